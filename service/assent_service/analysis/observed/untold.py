"""Calls that a flow policy leaves alone while it observes, and decides about once it is enforced, by rule 6 of
`assent.contract.analysis.observed`.

They are counted in groups of alike calls; the pack tells from the names of one what all of a group do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

import msgspec

from assent.contract.control.guard import Decision, Source
from assent.contract.control.policies import Mode, Policy
from assent.contract.control.rules import FlowRules, PolicyType, parse_rules
from assent.flows import Pack, joined, read_pack
from assent.flows.pack import SINKS
from assent.proof.replay import HALT_POLICY
from assent_service.core.rows import Filter
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_is

MOST_GROUPS = 5_000
"""So many different calls are looked at, the most frequent first."""
_MOST_NAMES, _LONGEST_NAME = 100, 100
"""So much of a call's argument names is looked at, and of its tool's name as much as the pack looks at."""
_NAMED = (
    "CASE WHEN json_type(context, '{0}') = 'VARCHAR' THEN nullif(trim(json_extract_string(context, '{0}')), '') END"
)
CALLED = f"coalesce({', '.join(map(_NAMED.format, ('$.metadata.tool', '$.tool', '$.tool_name')))}, action_type)"
"""The tool of a decision's call, as `flow_call` tells it."""
_ARGUMENTS = (
    f"CASE WHEN json_type(context, '$.parameters') = 'OBJECT' THEN list_sort([left(each_name, {_LONGEST_NAME}) "
    f"FOR each_name IN json_keys(context, '$.parameters')[:{_MOST_NAMES}]]) ELSE [] END"
)
_GROUPS = f"""
    SELECT left({CALLED}, 256) AS tool, {_ARGUMENTS} AS arguments, CAST(decision AS VARCHAR) AS decision, count(*) AS n,
        CAST(sum(count(*)) OVER () AS BIGINT) AS total
    FROM guard_decisions WHERE {{where}} GROUP BY ALL ORDER BY n DESC, tool, arguments LIMIT {{most}}
"""


class Untold(NamedTuple):
    """Calls of sessions that were told nothing; `writes` is None where the tool alone does not tell."""

    n: int = 0
    writes: int | None = 0
    unknown: int = 0


class Group(NamedTuple):
    """Calls with the same names, and the same decision: `n` of them."""

    tool: str
    arguments: tuple[str, ...]
    decision: Decision
    n: int


class UntoldCalls:
    """Of one question: `chosen` are the decisions that it is about, `policies` all of the organization as they are
    now."""

    def __init__(self, ledger: Ledger, chosen: Filter, policies: Iterable[Policy]) -> None:
        self._ledger, self._chosen = ledger, chosen
        self._flows = [
            (each, rules)
            for each in policies
            if each.active and each.deleted_at is None and (rules := flow_rules(each)) is not None
        ]
        self._groups: dict[tuple[int, tuple[str, ...]], tuple[Sequence[Group], int]] = {}
        self._sinks: dict[tuple[Pack, str, tuple[str, ...]], bool] = {}

    async def of(self, policy: Policy, version: int) -> Untold:
        """Of a policy that observes since the policies had this version."""
        rules = next((rules for each, rules in self._flows if each.policy_id == policy.policy_id), None)
        if rules is None:
            return Untold()
        groups, total = await self._asked(version, tuple(policy.agent_ids))
        unknown = total - sum(each.n for each in groups)
        if rules.when is not None:
            return Untold(total, None, unknown)
        pack = joined((read_pack(other.pack), self._decides(each, policy)) for each, other in self._flows)
        return Untold(
            total, await asyncio.to_thread(self._stricter, groups, pack, Decision(rules.action.value)), unknown
        )

    @staticmethod
    def _decides(each: Policy, enforced: Policy) -> bool:
        return each.mode is Mode.ENFORCE or each.policy_id == enforced.policy_id

    def _stricter(self, groups: Sequence[Group], pack: Pack, would: Decision) -> int:
        order = tuple(Decision)
        milder = [each for each in groups if order.index(each.decision) < order.index(would)]
        return sum(each.n for each in milder if self._changes(pack, each.tool, each.arguments))

    def _changes(self, pack: Pack, tool: str, arguments: tuple[str, ...]) -> bool:
        """Whether such a call writes, sends or destroys, by its names."""
        known = pack, tool, arguments
        if known not in self._sinks:
            self._sinks[known] = pack.tool(tool, arguments).effect in SINKS
        return self._sinks[known]

    async def _asked(self, version: int, agent_ids: tuple[str, ...]) -> tuple[Sequence[Group], int]:
        """The calls that were left alone, as far as they are looked at, and how many there are in all."""
        known = version, agent_ids
        if known not in self._groups:
            rows = await self._ledger.read(*_question(self._chosen, version, agent_ids))
            groups = [
                Group(str(tool), tuple(cast("list[str]", arguments)), Decision(str(decision)), int(str(n)))
                for tool, arguments, decision, n, _ in rows
            ]
            self._groups[known] = groups, int(str(rows[0][4])) if rows else 0
        return self._groups[known]


def _question(chosen: Filter, version: int, agent_ids: Sequence[str]) -> tuple[str, Sequence[object]]:
    asked = chosen.copy()
    asked.add("policy_version >= ?", version)
    asked.add("source = ?", Source.LIVE.value)
    asked.add("NOT json_contains(matched_policies, ?)", msgspec.json.encode(HALT_POLICY).decode())
    asked.add_all("flow IS NULL", [])
    if agent_ids:
        asked.add_all(f"({' OR '.join([name_is('agent_id')] * len(agent_ids))})", agent_ids)
    return _GROUPS.format(where=asked.where, most=MOST_GROUPS), asked.parameters


def flow_rules(policy: Policy) -> FlowRules | None:
    """The rules of a flow policy that can be read; None of others."""
    if policy.policy_type != PolicyType.FLOW:
        return None
    try:
        rules = parse_rules(policy.policy_type, policy.rules)
        assert isinstance(rules, FlowRules)
        read_pack(rules.pack)
    except ValueError:
        return None
    return rules
