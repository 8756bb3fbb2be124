"""The history of rules, read from the log, and what moved with a change of them.

1. A change is an event that made, changed or removed a policy, a risk template, a scoring profile or a dimension. Its
   payload is the whole row after it, so that what differs is told by the event before it of the same row.
2. What a row keeps for the house (its id, who made it and when, its version) is no difference.
3. What was erased says nothing; the change after it is compared with what came before.
4. Before and after is worked out by `assent_analytics.before_after` over the decisions around the change, each with its
   action and its approval.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import msgspec
import polars as pl

from assent.contract.analysis.changes import (
    BEFORE_AFTER,
    GET_RULE_CHANGES,
    BeforeAfter,
    BeforeAfterQuery,
    ChangedMember,
    ChangeMeasure,
    ChangeWhat,
    EffectMethod,
    EffectStatus,
    MeasuredEffect,
    MeasuredSide,
    PlaceboDate,
    PlaceboResult,
    RuleChange,
    RuleChanges,
    RuleChangesQuery,
    RuleKind,
)
from assent.contract.control.guard import Source
from assent.contract.control.policies import Policy
from assent.contract.control.risk_templates import RiskTemplate
from assent.contract.events import EventName
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent.contract.window import days_of
from assent_analytics.before_after import Effect, before_after, outcome_bounds
from assent_analytics.changes import Pair, headline, measured, reach_in_words, reached, sentence
from assent_analytics.clusters import ClusterEstimate
from assent_service.base.clock import Clock, moment
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import of_caller
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger

__all__ = [
    "open_changes",
]

KINDS: dict[RuleKind, tuple[EventName, EventName]] = {
    RuleKind.POLICY: (EventName.POLICY_CREATED, EventName.POLICY_UPDATED),
    RuleKind.RISK_TEMPLATE: (EventName.RISK_TEMPLATE_CREATED, EventName.RISK_TEMPLATE_UPDATED),
    RuleKind.SCORING_PROFILE: (EventName.SCORING_PROFILE_CREATED, EventName.SCORING_PROFILE_UPDATED),
    RuleKind.SCORING_DIMENSION: (EventName.SCORING_DIMENSION_CREATED, EventName.SCORING_DIMENSION_UPDATED),
}
_KIND = {event.value: kind for kind, events in KINDS.items() for event in events}
_CREATED = frozenset(created.value for created, _ in KINDS.values())
_HOUSE = frozenset(
    {"id", "org_id", "policy_id", "version", "created_at", "created_by", "updated_at", "updated_by", "deleted_at"}
)
MOST_OTHERS = 20
_NAMES = "SELECT key_id, name FROM api_keys WHERE org_id = ?"
_ROWS = """
    SELECT d.occurred_at, d.agent_id, d.action_type, d.session_id, d.source, d.decision,
        a.status, p.state, p.requested_at, p.decided_at
    FROM (SELECT * FROM guard_decisions WHERE {chosen}) AS d
    LEFT JOIN (
        SELECT decision_id, any_value(status) AS status, any_value(approval_id) AS approval_id
        FROM actions WHERE org_id = ? GROUP BY decision_id
    ) AS a ON a.decision_id = d.decision_id
    LEFT JOIN (SELECT approval_id, state, requested_at, decided_at FROM approvals WHERE org_id = ?) AS p
        ON p.approval_id = a.approval_id
"""


class Step(NamedTuple):
    """A change, with the row before and after it as it was recorded."""

    change: RuleChange
    before: Mapping[str, Any] | None
    after: Mapping[str, Any]


def steps(events: Iterable[Event], names: Mapping[str, str]) -> list[Step]:
    """The changes of the events, in their order, by rules 1 to 3. `names` are those of keys."""
    rows: dict[tuple[RuleKind, str], Mapping[str, Any]] = {}
    found = []
    for event in events:
        if event.erased or not event.data:
            continue
        kind, after = _KIND[event.type], msgspec.json.decode(event.data)
        before = rows.get((kind, event.subject))
        rows[kind, event.subject] = after
        what = ChangeWhat.CREATED if event.type in _CREATED else ChangeWhat.CHANGED
        if after.get("deleted_at") is not None:
            what = ChangeWhat.REMOVED
        change = RuleChange(
            change_id=f"{event.subject}.{event.n}",
            kind=kind,
            id=event.subject,
            name=str(after.get("name") or event.subject),
            what=what,
            at=moment(event.ts),
            by=event.actor,
            by_name=names.get(event.actor),
            version=after.get("version"),
            members=[] if what is ChangeWhat.REMOVED else differences(before or {}, after),
        )
        found.append(Step(change, before, after))
    return found


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[ChangedMember]:
    """Members whose values differ, in the order of the row; one that is not there is null."""
    names = [name for name in dict.fromkeys((*after, *before)) if name not in _HOUSE]
    return [
        ChangedMember(member=name, before=before.get(name), after=after.get(name))
        for name in names
        if before.get(name) != after.get(name)
    ]


class Changes:
    """Asked by whoever may read policies."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger, self._clock = ledger, clock

    async def page(self, org_id: str, query: RuleChangesQuery) -> RuleChanges:
        """Raises `projection_behind`."""
        found = [
            each.change
            for each in reversed(await self._steps(org_id))
            if query.kind in (None, each.change.kind) and query.id in (None, each.change.id)
        ]
        return RuleChanges(changes=found[query.offset : query.offset + query.limit], total=len(found))

    async def before_after(self, principal: Principal, change_id: str, query: BeforeAfterQuery) -> BeforeAfter:
        """Raises `change_not_found`, `invalid_query` and `projection_behind`."""
        try:
            window = timedelta(days=days_of(query.window))
        except ValueError as error:
            raise refuse(Code.INVALID_QUERY, f"{error}.", FieldError(place="window", message="not a window")) from None
        history = await self._steps(principal.org_id)
        step = next((each for each in history if each.change.change_id == change_id), None)
        if step is None:
            raise refuse(
                Code.CHANGE_NOT_FOUND, f"There is no change {change_id[:128]!r} of a rule in this organization."
            )
        now = moment(self._clock())
        rows = await self._rows(principal, step.change, query, window)
        until = min(step.change.at + window, now)
        others = [
            headline(each.change)
            for each in reversed(history)
            if each.change.change_id != change_id
            and each.change.kind in (RuleKind.POLICY, RuleKind.RISK_TEMPLATE)
            and step.change.at - window <= each.change.at < until
        ]
        return await asyncio.to_thread(_answer, step, query.window, window, until, rows, others[:MOST_OTHERS])

    async def _steps(self, org_id: str) -> list[Step]:
        events = await self._ledger.events_about(org_id, list(_KIND), "type")
        names = {str(key): str(name) for key, name in await self._ledger.read(_NAMES, [org_id])}
        return await asyncio.to_thread(steps, events, names)

    async def _rows(
        self, principal: Principal, change: RuleChange, query: BeforeAfterQuery, window: timedelta
    ) -> pl.DataFrame:
        chosen = of_caller(principal)
        chosen.add("agent_id = ?", query.agent_id)
        chosen.add("source = ?", None if query.source is None else query.source.value)
        first, last = (each.replace(tzinfo=None) for each in (change.at - 2 * window, change.at + window))
        chosen.add_all("occurred_at >= ? AND occurred_at < ?", [first, last])
        org = principal.org_id
        return await self._ledger.frame(_ROWS.format(chosen=chosen.where), [*chosen.parameters, org, org])


def _answer(
    step: Step, text: str, window: timedelta, until: Any, rows: pl.DataFrame, others: Sequence[str]
) -> BeforeAfter:
    change = step.change
    pairs: list[Pair] = rows.select("agent_id", "action_type").unique(maintain_order=True).rows()
    hit = _reached(step, pairs)
    flags = pl.DataFrame(
        {"agent_id": [a for a, _ in pairs], "action_type": [t for _, t in pairs], "touched": hit},
        schema={"agent_id": rows.schema["agent_id"], "action_type": rows.schema["action_type"], "touched": pl.Boolean},
    )
    table = measured(rows.join(flags, on=["agent_id", "action_type"], how="left", nulls_equal=True)).collect()
    at = change.at.replace(tzinfo=None)
    first, last = (each.replace(tzinfo=None) for each in (change.at - window, until))
    inside = table.filter((pl.col("occurred_at") >= first) & (pl.col("occurred_at") < last))
    found = [_measure(each, table, inside, step, window, until, at, any(hit)) for each in ChangeMeasure]
    source = inside["source"].cast(pl.String)
    return BeforeAfter(
        change=change,
        window=text,
        since=change.at - window,
        until=until,
        n=inside.height,
        touched=int(inside["touched"].sum()),
        simulated=int((source == Source.SIMULATED.value).sum()),
        imported=int((source == Source.IMPORT.value).sum()),
        reach=reach_in_words(pairs, hit),
        basis=next((basis for _, basis in found if basis), ""),
        others=list(others),
        measures=[measure for measure, _ in found],
    )


def _reached(step: Step, pairs: Sequence[Pair]) -> list[bool]:
    shape: Any = {RuleKind.POLICY: Policy, RuleKind.RISK_TEMPLATE: RiskTemplate}.get(step.change.kind)
    if shape is None:
        return [False] * len(pairs)
    before, after = (
        None if row is None else msgspec.convert(row, prepared(shape)) for row in (step.before, step.after)
    )
    return reached(before, after, pairs)


def _measure(
    measure: ChangeMeasure,
    table: pl.DataFrame,
    inside: pl.DataFrame,
    step: Step,
    window: timedelta,
    until: Any,
    at: Any,
    reaches: bool,
) -> tuple[MeasuredEffect, str]:
    change = step.change
    known = table.filter(pl.col(measure.value).is_not_null())
    effect = before_after(
        known,
        change.at,
        measure.value,
        touched="touched",
        window=window,
        until=max(until, change.at + timedelta(microseconds=1)),
    )
    if not reaches:
        profile = change.kind in (RuleKind.SCORING_PROFILE, RuleKind.SCORING_DIMENSION)
        why = "a scoring profile scores what has happened" if profile else "no decision in this time is of its reach"
        effect = effect._replace(reason=f"the change reaches no decision: {why}")
    bounds: tuple[float | None, float | None] = (None, None)
    if measure is ChangeMeasure.FAILED:
        bounds = _possible(inside.filter("touched"), at)
    unit = "minutes" if measure is ChangeMeasure.WAITING_MINUTES else "share"
    found = MeasuredEffect(
        measure=measure,
        unit=unit,
        status=EffectStatus(effect.status),
        reason=effect.reason,
        method=EffectMethod(effect.method),
        estimate=effect.estimate,
        low=effect.low,
        high=effect.high,
        raw=effect.raw,
        before=_side(effect.before),
        after=_side(effect.after),
        control_before=None if effect.control_before is None else _side(effect.control_before),
        control_after=None if effect.control_after is None else _side(effect.control_after),
        blocks_before=effect.blocks[0],
        blocks_after=effect.blocks[1],
        season=list(effect.season),
        mix=list(effect.mix),
        left_out=effect.left_out,
        assumptions=list(effect.assumptions),
        placebo=PlaceboResult(effect.placebo),
        placebos=_placebos(effect),
        possible_low=bounds[0],
        possible_high=bounds[1],
        sentence="",
    )
    return msgspec.structs.replace(found, sentence=sentence(found)), effect.basis if known.height else ""


def _placebos(effect: Effect) -> list[PlaceboDate]:
    return [
        PlaceboDate(at=each.at, estimate=each.estimate, low=each.low, high=each.high, found=each.found)
        for each in effect.placebos
    ]


def _possible(touched: pl.DataFrame, at: Any) -> tuple[float | None, float | None]:
    """Where the difference of failures over all decisions lies, whatever the unknown ones would have been."""
    failed, earlier = ChangeMeasure.FAILED.value, pl.col("occurred_at") < at
    before = outcome_bounds(touched.filter(earlier)[failed])
    after = outcome_bounds(touched.filter(~earlier)[failed])
    if before.low is None or before.high is None or after.low is None or after.high is None:
        return None, None
    return after.low - before.high, after.high - before.low


def _side(found: ClusterEstimate) -> MeasuredSide:
    return MeasuredSide(
        n=found.n,
        clusters=found.clusters,
        n_effective=found.n_effective,
        design_effect=found.design_effect,
        mean=found.estimate,
        low=found.low,
        high=found.high,
    )


def routes(changes: Changes) -> tuple[Route, ...]:
    @serves(GET_RULE_CHANGES)
    async def page(call: Call[None, RuleChangesQuery]) -> RuleChanges:
        return await changes.page(call.principal.org_id, call.query)

    @serves(BEFORE_AFTER)
    async def compare(call: Call[None, BeforeAfterQuery], change_id: str) -> BeforeAfter:
        return await changes.before_after(call.principal, change_id, call.query)

    return page, compare


def open_changes(on: Foundation) -> None:
    on.bring(routes=routes(Changes(on.ledger, on.clock)))
