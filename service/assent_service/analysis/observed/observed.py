"""Which decisions observing policies would have made stricter, counted and listed from the tables, by the rules of
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
from assent.contract.control.rules import PolicyType, effect_of, parse_rules
from assent.contract.control.shared_tools import read_with
from assent.contract.events import EventName
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent.contract.window import LONGEST_DAYS
from assent.proof.deciding import AppliedPolicy, Recorded, fields_of, match_of
from assent_service.analysis.observed.untold import CALLED, UntoldCalls, flow_rules
from assent_service.base.clock import Clock, moment
from assent_service.base.problem import Refusal, refuse
from assent_service.control.guard import GUARD_DECISIONS
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.foundation import Foundation
from assent_service.core.moments import Window, window_of
from assent_service.core.payload import decode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import Filter, list_rows, rows_within
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger

_TYPES = (EventName.POLICY_CREATED.value, EventName.POLICY_UPDATED.value)
_ORDER = tuple(Decision)  # from mildest to most severe
_SEVERITY = {decision: severity for severity, decision in enumerate(_ORDER)}
_STEPS = ", ".join(f"'{decision.value}'" for decision in _ORDER)
_GIVEN, _WOULD = (f"list_position([{_STEPS}], CAST({name} AS VARCHAR)) - 1" for name in ("decision", "would_decide"))
_STRICTER = f"would_decide IS NOT NULL AND {_WOULD} > {_GIVEN}"
_COUNTED = """
    SELECT policy_version, CAST(decision AS VARCHAR), CAST(would_decide AS VARCHAR), CAST(observed_policies AS VARCHAR),
        count(*)
    FROM guard_decisions WHERE {where} GROUP BY ALL
"""
_ALL = """
    SELECT policy_version, count(*), count(*) FILTER (WHERE source = 'simulated'),
        count(*) FILTER (WHERE source = 'import')
    FROM guard_decisions WHERE {where} GROUP BY policy_version
"""
_SESSIONS = "SELECT count(DISTINCT session_id) FROM guard_decisions WHERE {where}"
_BY_TOOL = f"""
    SELECT {CALLED} AS tool, count(*) AS n
    FROM guard_decisions WHERE {{where}} GROUP BY tool ORDER BY n DESC, tool LIMIT {MOST_TOOLS}
"""


class Beginning(NamedTuple):
    """When a policy began to observe by the rules that it has now, and which version the policies had then."""

    at: datetime
    version: int


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
        last = self.last(policy_id)
        return policy_id if last is None else last.name

    def now(self) -> list[Policy]:
        """All of them as they are now, or were last, in the order of their creation."""
        return [states[-1] for states in self._states.values()]

    def last(self, policy_id: str) -> Policy | None:
        """The policy as it is now, or was last."""
        states = self._states.get(policy_id)
        return states[-1] if states else None

    def observed(self, policy_id: str) -> bool:
        """Whether it ever observed."""
        return any(_observes(state) for state in self._states.get(policy_id, []))

    def observing(self) -> dict[str, Beginning]:
        """Those that only observe now, in the order of their creation, and since when by the rules that they have."""
        found: dict[str, Beginning] = {}
        for policy_id, states in self._states.items():
            last = states[-1]
            for state in reversed(states):
                if not _observes(state) or _decided_by(state) != _decided_by(last):
                    break
                found[policy_id] = Beginning(state.updated_at, state.version)
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


def _observes(state: Policy) -> bool:
    return state.active and state.mode is Mode.OBSERVE and state.deleted_at is None


def _decided_by(state: Policy) -> tuple[str, object, list[str]]:
    """What tells how a policy decides."""
    return state.policy_type, state.rules, state.agent_ids


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


def by_policy(
    groups: Sequence[Group],
    decided: Mapping[int, int],
    states: PolicyStates,
    observing: Mapping[str, Beginning],
    asked: str | None = None,
) -> list[ObservingPolicy]:
    """What each policy alone would have made stricter, by rules 2 and 5; the one that was asked for first, then the
    most, then those that observe in their order. `decided` are all decisions by the versions of policies, `observing`
    those that observe now. Pure."""
    counts = {policy_id: Counter[Decision]() for policy_id in observing}
    if asked is not None:
        counts.setdefault(asked, Counter())
    earlier = Counter[str]()
    for group in groups:
        for policy_id in group.observed:
            severity = states.severity(policy_id, group.version)
            would = group.would_decide if severity is None else _ORDER[severity]
            if _SEVERITY[would] > _SEVERITY[group.decision]:
                count = counts.setdefault(policy_id, Counter())
                if _is_earlier(observing.get(policy_id), group.version):
                    earlier[policy_id] += group.n
                else:
                    count[would] += group.n
    found = [
        _counted(policy_id, states, observing.get(policy_id), each, earlier[policy_id], decided)
        for policy_id, each in counts.items()
    ]
    return sorted(found, key=lambda each: (each.policy_id != asked, -each.stricter, -each.earlier))


def _is_earlier(beginning: Beginning | None, version: int) -> bool:
    """Whether a decision was made by rules that a policy does not observe by any more."""
    return beginning is None or version < beginning.version


def _counted(
    policy_id: str,
    states: PolicyStates,
    beginning: Beginning | None,
    count: Counter[Decision],
    earlier: int,
    decided: Mapping[int, int],
) -> ObservingPolicy:
    last = states.last(policy_id)
    severity = None if last is None else states.severity(policy_id, last.version)
    return ObservingPolicy(
        policy_id=policy_id,
        name=states.name(policy_id),
        observes_since=None if beginning is None else beginning.at,
        observed=states.observed(policy_id),
        would_decide=None if severity is None else _ORDER[severity],
        n=sum(n for version, n in decided.items() if not _is_earlier(beginning, version)),
        warned=count[Decision.WARN],
        asked=count[Decision.REQUIRE_APPROVAL],
        blocked=count[Decision.BLOCK],
        earlier=earlier,
        untold=0,
        untold_writes=0,
        untold_unknown=0,
        read_with=[],
    )


def listed(
    decision: RecordedDecision, states: PolicyStates, observing: Mapping[str, Beginning], action_id: str | None
) -> ObservedDecision:
    """One row of the list, in which policies say again what they would have given and why. Pure."""
    assert decision.would_decide is not None
    version = decision.policy_version
    reasons = [
        reason_of(decision, policy_id, states.at(policy_id, version), _is_earlier(observing.get(policy_id), version))
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


def reason_of(decision: RecordedDecision, policy_id: str, policy: Policy | None, earlier: bool) -> ObservedReason:
    """What an observed policy, as it was then, said of a decision."""
    severity = None if policy is None else severity_of(policy)
    reason = None if policy is None or severity is None else _said(decision, policy)
    return ObservedReason(
        policy_id=policy_id,
        name=policy_id if policy is None else policy.name,
        would_decide=None if severity is None else _ORDER[severity],
        reason=reason,
        condition=policy is not None and reason is not None and _is_condition(policy),
        earlier=earlier,
    )


def _is_condition(policy: Policy) -> bool:
    """Whether its reason is a tree, as `describe` writes it."""
    if policy.policy_type == PolicyType.CONDITION:
        return True
    rules = flow_rules(policy)
    return rules is not None and rules.when is not None


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
        versions = await self._ledger.read(_ALL.format(where=chosen.where), chosen.parameters)
        decided = {int(str(version)): int(str(n)) for version, n, _, _ in versions}
        simulated, imported = (sum(int(str(row[at])) for row in versions) for at in (2, 3))
        untold = UntoldCalls(self._ledger, chosen.copy(), states.now())
        chosen.add_all(_STRICTER, [])
        groups = await self._groups(chosen)
        totals = Counter[Decision]()
        for group in groups:
            totals[group.would_decide] += group.n
        observing = states.observing()
        policies = await asyncio.to_thread(by_policy, groups, decided, states, observing, query.policy_id)
        total = sum(totals.values())
        if query.policy_id is not None:
            total = policies[0].stricter + policies[0].earlier
            _narrow(chosen, query.policy_id, states)
        page = await list_rows(self._ledger, GUARD_DECISIONS, RecordedDecision, chosen, query, total=total)
        tools = await self._ledger.read(_BY_TOOL.format(where=chosen.where), chosen.parameters) if total else []
        ((sessions,),) = await self._ledger.read(_SESSIONS.format(where=chosen.where), chosen.parameters)
        actions = await self._actions(principal.org_id, [each.decision_id for each in page.rows])
        decisions = await asyncio.to_thread(
            lambda: [listed(each, states, observing, actions.get(each.decision_id)) for each in page.rows]
        )
        shown = [
            await _with_untold(each, observing.get(each.policy_id), states, untold)
            for each in policies[:MOST_OBSERVING]
        ]
        return ObservedDecisions(
            since=window.since,
            until=window.until,
            n=sum(decided.values()),
            simulated=simulated,
            imported=imported,
            warned=totals[Decision.WARN],
            asked=totals[Decision.REQUIRE_APPROVAL],
            blocked=totals[Decision.BLOCK],
            policies=shown,
            not_shown=len(policies) - len(shown),
            tools=[ObservedTool(name=str(name), n=int(str(count))) for name, count in tools],
            sessions=int(str(sessions)),
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


async def _with_untold(
    count: ObservingPolicy, beginning: Beginning | None, states: PolicyStates, calls: UntoldCalls
) -> ObservingPolicy:
    """With what a flow policy leaves alone while it observes."""
    policy = states.last(count.policy_id)
    if beginning is None or policy is None or policy.policy_type != PolicyType.FLOW:
        return count
    n, writes, unknown = await calls.of(policy, beginning.version)
    others = read_with(policy, states.now())
    return msgspec.structs.replace(count, untold=n, untold_writes=writes, untold_unknown=unknown, read_with=others)


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
