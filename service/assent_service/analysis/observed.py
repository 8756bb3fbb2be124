"""Which calls observing policies would have made stricter, counted and listed from the tables, by the rules of
`assent.contract.analysis.observed`.

Guard records with each decision which observed policies matched and what enforcing them would have given; it keeps no
reason of theirs. The policies as they were then are read from the log, and say the reason again of the rows of one page
(`assent.proof.deciding`, by which a proof checks the reasons that were recorded). So guard does nothing for this list.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from assent.contract.analysis.observed import (
    GET_OBSERVED_DECISIONS,
    MOST_OBSERVING,
    MOST_TOOLS,
    OBSERVED_WINDOW,
    ObservedDecision,
    ObservedDecisions,
    ObservedDecisionsQuery,
    ObservedReason,
    ObservedTool,
    ObservingPolicy,
)
from assent.contract.control.flows import flow_call
from assent.contract.control.guard import Decision, RecordedDecision
from assent.contract.control.policies import Mode, Policy
from assent.contract.control.rules import effect_of, parse_rules
from assent.contract.events import EventName
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent.contract.window import LONGEST_DAYS
from assent.proof.deciding import AppliedPolicy, Recorded, fields_of, match_of
from assent_service.base.clock import Clock, moment
from assent_service.base.problem import Refusal, refuse
from assent_service.control.guard import GUARD_DECISIONS
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.foundation import Foundation
from assent_service.core.moments import Window, rows_within, window_of
from assent_service.core.payload import decode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import Filter, list_rows
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger

__all__ = ["open_observed"]

_TYPES = (EventName.POLICY_CREATED.value, EventName.POLICY_UPDATED.value)
_ORDER = tuple(Decision)  # from mildest to most severe
_SEVERITY = {decision: severity for severity, decision in enumerate(_ORDER)}
_STEPS = ", ".join(f"'{decision.value}'" for decision in _ORDER)
_GIVEN, _WOULD = (f"list_position([{_STEPS}], CAST({name} AS VARCHAR)) - 1" for name in ("decision", "would_decide"))
_STRICTER = f"would_decide IS NOT NULL AND {_WOULD} > {_GIVEN}"
_NAMED = (
    "CASE WHEN json_type(context, '{0}') = 'VARCHAR' THEN nullif(trim(json_extract_string(context, '{0}')), '') END"
)
_TOOL = ", ".join(_NAMED.format(place) for place in ("$.metadata.tool", "$.tool", "$.tool_name"))
_COUNTED = """
    SELECT policy_version, CAST(decision AS VARCHAR), CAST(would_decide AS VARCHAR), CAST(observed_policies AS VARCHAR),
        count(*)
    FROM guard_decisions WHERE {where} GROUP BY ALL
"""
_ALL = """
    SELECT count(*), count(*) FILTER (WHERE source = 'simulated'), count(*) FILTER (WHERE source = 'import')
    FROM guard_decisions WHERE {where}
"""
_BY_TOOL = f"""
    SELECT coalesce({_TOOL}, action_type) AS tool, count(*) AS n
    FROM guard_decisions WHERE {{where}} GROUP BY tool ORDER BY n DESC, tool LIMIT {MOST_TOOLS}
"""


class PolicyStates:
    """Every state that each policy of an organization was ever in, by the version that it came with."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._states: dict[str, list[Policy]] = {}
        self._severities: dict[tuple[str, int], int | None] = {}
        for event in events:
            if not event.erased:
                policy = decode(event, Policy)
                self._states.setdefault(policy.policy_id, []).append(policy)

    def __contains__(self, policy_id: str) -> bool:
        return policy_id in self._states

    def at(self, policy_id: str, version: int) -> Policy | None:
        """The policy as it was when the organization's policies had that version."""
        states = self._states.get(policy_id, [])
        at = bisect_right(states, version, key=lambda policy: policy.version)
        return states[at - 1] if at else None

    def name(self, policy_id: str) -> str:
        """What it is called now, or was last."""
        states = self._states.get(policy_id)
        return states[-1].name if states else policy_id

    def observing(self) -> dict[str, datetime]:
        """Those that only observe now, in the order of their creation, and since when."""
        found: dict[str, datetime] = {}
        for policy_id, states in self._states.items():
            for state in reversed(states):
                if not (state.active and state.mode is Mode.OBSERVE and state.deleted_at is None):
                    break
                found[policy_id] = state.updated_at
        return found

    def severity(self, policy_id: str, version: int) -> int | None:
        """How severe a decision the policy gave then where it matched; None where it does not say so itself."""
        policy = self.at(policy_id, version)
        if policy is None:
            return None
        known = (policy_id, policy.version)
        if known not in self._severities:
            self._severities[known] = severity_of(policy)
        return self._severities[known]

    def severities(self, policy_id: str) -> list[tuple[int, int | None]]:
        """From which version on the policy would have given how severe a decision; None of a webhook."""
        found: list[tuple[int, int | None]] = []
        for state in self._states[policy_id]:
            severity = self.severity(policy_id, state.version)
            if not found or found[-1][1] != severity:
                found.append((state.version, severity))
        return found


def severity_of(policy: Policy) -> int | None:
    """How severe a decision the policy gives where it matches. None where it does not say so itself, and for rules that
    an earlier release took and nobody can read any more."""
    try:
        effect = effect_of(parse_rules(policy.policy_type, policy.rules))
    except ValueError:
        return None
    return None if effect is None else _SEVERITY[Decision(effect.value)]


class Group(NamedTuple):
    """Decisions that are alike in all that is counted: `n` of them."""

    version: int
    decision: Decision
    would_decide: Decision
    observed: tuple[str, ...]
    n: int


def by_policy(groups: Sequence[Group], states: PolicyStates) -> list[ObservingPolicy]:
    """What each policy alone would have made stricter, by rule 2; the most first, then those that observe in their
    order. Pure."""
    observing = states.observing()
    counts = {policy_id: Counter[Decision]() for policy_id in observing}
    for group in groups:
        for policy_id in group.observed:
            severity = states.severity(policy_id, group.version)
            would = group.would_decide if severity is None else _ORDER[severity]
            if _SEVERITY[would] > _SEVERITY[group.decision]:
                counts.setdefault(policy_id, Counter())[would] += group.n
    found = [
        ObservingPolicy(
            policy_id=policy_id,
            name=states.name(policy_id),
            observes_since=observing.get(policy_id),
            warned=each[Decision.WARN],
            asked=each[Decision.REQUIRE_APPROVAL],
            blocked=each[Decision.BLOCK],
        )
        for policy_id, each in counts.items()
    ]
    return sorted(found, key=lambda each: -(each.warned + each.asked + each.blocked))


def listed(decision: RecordedDecision, states: PolicyStates, action_id: str | None) -> ObservedDecision:
    """One row of the list, in which policies say again what they would have given and why. Pure."""
    assert decision.would_decide is not None
    reasons = [
        reason_of(decision, policy_id, states.at(policy_id, decision.policy_version))
        for policy_id in decision.observed_policies
    ]
    given = _SEVERITY[decision.decision]
    return carry(
        ObservedDecision,
        decision,
        action_id=action_id,
        tool=flow_call(decision.action_type, decision.context).tool,
        would_decide=decision.would_decide,
        policies=[each for each in reasons if _SEVERITY[each.would_decide or decision.would_decide] > given],
    )


def reason_of(decision: RecordedDecision, policy_id: str, policy: Policy | None) -> ObservedReason:
    """What an observed policy, as it was then, said of a decision."""
    if policy is None:
        return ObservedReason(policy_id=policy_id, name=policy_id, would_decide=None, reason=None)
    severity = severity_of(policy)
    reason = None if severity is None else _said(decision, policy)
    would = None if severity is None else _ORDER[severity]
    return ObservedReason(policy_id=policy_id, name=policy.name, would_decide=would, reason=reason)


def _said(decision: RecordedDecision, policy: Policy) -> str | None:
    """The policy's reason without its name; None where the record does not tell it, as that of an earlier release."""
    rules = parse_rules(policy.policy_type, policy.rules)
    applied = AppliedPolicy(policy.policy_id, policy.name, rules, observed=True)
    known = msgspec.structs.replace(decision, policy_digest=decision.policy_digest or "")
    try:
        said = msgspec.json.decode(msgspec.json.encode(known), type=prepared(Recorded))
        return match_of(applied, said, fields_of(said)).text.removeprefix(f"{policy.name}: ")
    except (ValueError, KeyError):
        return None


class ObservedCalls:
    """Asked by whoever reads policies."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger, self._clock = ledger, clock

    async def list(self, principal: Principal, query: ObservedDecisionsQuery) -> ObservedDecisions:
        """Raises `invalid_query`, `policy_not_found` and `projection_behind`."""
        window = span(query, self._clock())
        states = PolicyStates(await self._ledger.events_about(principal.org_id, _TYPES, "type"))
        if query.policy_id is not None and query.policy_id not in states:
            raise refuse(Code.POLICY_NOT_FOUND, f"There is no policy {query.policy_id!r} in this organization.")
        chosen = rows_within(window, "occurred_at", principal, query.agent_id)
        chosen.add("session_id = ?", query.session_id)
        chosen.add("source = ?", None if query.source is None else query.source.value)
        ((n, simulated, imported),) = await self._ledger.read(_ALL.format(where=chosen.where), chosen.parameters)
        chosen.add_all(_STRICTER, [])
        groups = await self._groups(chosen)
        totals = Counter[Decision]()
        for group in groups:
            totals[group.would_decide] += group.n
        policies = await asyncio.to_thread(by_policy, groups, states)
        total = sum(totals.values())
        if query.policy_id is not None:
            alone = next((each for each in policies if each.policy_id == query.policy_id), None)
            total = 0 if alone is None else alone.warned + alone.asked + alone.blocked
            _narrow(chosen, query.policy_id, states)
        page = await list_rows(self._ledger, GUARD_DECISIONS, RecordedDecision, chosen, query, total=total)
        tools = await self._ledger.read(_BY_TOOL.format(where=chosen.where), chosen.parameters) if total else []
        actions = await self._actions(principal.org_id, [each.decision_id for each in page.rows])
        decisions = await asyncio.to_thread(
            lambda: [listed(each, states, actions.get(each.decision_id)) for each in page.rows]
        )
        return ObservedDecisions(
            since=window.since,
            until=window.until,
            n=int(str(n)),
            simulated=int(str(simulated)),
            imported=int(str(imported)),
            warned=totals[Decision.WARN],
            asked=totals[Decision.REQUIRE_APPROVAL],
            blocked=totals[Decision.BLOCK],
            policies=policies[:MOST_OBSERVING],
            not_shown=max(0, len(policies) - MOST_OBSERVING),
            tools=[ObservedTool(name=str(name), n=int(str(count))) for name, count in tools],
            decisions=decisions,
            total=total,
            limit=query.limit,
            offset=query.offset,
            next_cursor=page.next_cursor,
        )

    async def _groups(self, chosen: Filter) -> Sequence[Group]:
        rows = await self._ledger.read(_COUNTED.format(where=chosen.where), chosen.parameters)
        return [
            Group(
                int(str(version)),
                Decision(str(given)),
                Decision(str(would)),
                tuple(msgspec.json.decode(str(observed))),
                int(str(n)),
            )
            for version, given, would, observed, n in rows
        ]

    async def _actions(self, org_id: str, decision_ids: Sequence[str]) -> Mapping[str, str]:
        """The actions that came of decisions."""
        if not decision_ids:
            return {}
        marks = ", ".join("?" * len(decision_ids))
        rows = await self._ledger.read(
            f"SELECT decision_id, min(action_id) FROM actions WHERE org_id = ? AND decision_id IN ({marks}) GROUP BY 1",
            [org_id, *decision_ids],
        )
        return {str(decision_id): str(action_id) for decision_id, action_id in rows}


def span(query: ObservedDecisionsQuery, now: int) -> Window:
    """The window of a question. Raises `invalid_query`."""
    if query.since is None and query.until is None:
        return window_of(query.window, now)
    place = "since" if query.since is not None else "until"
    if query.window != OBSERVED_WINDOW:
        raise _invalid("window", f"window and {place} were both given; give a window, or the times since and until.")
    until = query.until or moment(now)
    since = query.since or until - timedelta(days=LONGEST_DAYS)
    if until < since:
        raise _invalid(place, f"since is {since.isoformat()}, after until, {until.isoformat()}; give an earlier since.")
    if until - since > timedelta(days=LONGEST_DAYS):
        raise _invalid("since", f"since and until are more than {LONGEST_DAYS} days apart; ask for fewer.")
    return Window(query.window, since, until)


def _invalid(place: str, why: str) -> Refusal:
    return refuse(Code.INVALID_QUERY, why, FieldError(place=place, message="not a window"))


def _narrow(chosen: Filter, policy_id: str, states: PolicyStates) -> None:
    """Leave what this policy alone would have made stricter."""
    chosen.add_all("json_contains(observed_policies, ?)", [msgspec.json.encode(policy_id).decode()])
    cases, parameters = "", list[object]()
    for version, severity in reversed(states.severities(policy_id)):
        cases += f" WHEN policy_version >= ? THEN {_WOULD if severity is None else severity}"
        parameters.append(version)
    chosen.add_all(f"CASE{cases} ELSE {_WOULD} END > {_GIVEN}", parameters)


def routes(observed: ObservedCalls) -> tuple[Route, ...]:
    @serves(GET_OBSERVED_DECISIONS)
    async def decisions(call: Call[None, ObservedDecisionsQuery]) -> ObservedDecisions:
        return await observed.list(call.principal, call.query)

    return (decisions,)


def open_observed(on: Foundation) -> None:
    on.bring(routes=routes(ObservedCalls(on.ledger, on.clock)))
