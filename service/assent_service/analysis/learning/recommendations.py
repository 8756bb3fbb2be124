"""Recommendations: lessons with ids, made anew whenever somebody asks, and what agents did with them.

Only what people and agents say about them is recorded: whether one is shown, and what became of it. An id is that of
the organization, agent and action type, so what was said stays with a recommendation however its numbers change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import polars as pl

from assent.contract.analysis.learning import (
    DataStatus,
)
from assent.contract.analysis.lessons import (
    GET_RECOMMENDATION,
    GET_RECOMMENDATION_METRICS,
    GET_RECOMMENDATIONS,
    REBUILD_RECOMMENDATIONS,
    RECORD_RECOMMENDATION_EVENTS,
    SET_RECOMMENDATION_ACTIVE,
    RebuildRecommendations,
    Recommendation,
    RecommendationDetail,
    RecommendationEvent,
    RecommendationHints,
    RecommendationMetrics,
    RecommendationMetricsQuery,
    RecommendationQuery,
    RecommendationReport,
    Recommendations,
    RecommendationSaid,
    RecommendationsQuery,
    RecommendationSwitch,
    RecordedRecommendationEvents,
    RecordRecommendationEvents,
    SetRecommendationActive,
    SwitchedRecommendation,
)
from assent.contract.events import EventName
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent_analytics.adoption import adoption
from assent_service.analysis.learning.lessons import lesson_rows
from assent_service.analysis.learning.reading import Episodes, TimeSpan, recommendation_id
from assent_service.base.clock import moment, new_id
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.faithful import check_canonical
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, RECORDS_NOTHING, Route, serves
from assent_service.core.rows import find_row, of_caller
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_is
from assent_service.store.tables import Table

# What was said about recommendations, as rows. Recommendations themselves are made when they are asked for.


RECOMMENDATION_SWITCHES = Table.of(
    RecommendationSwitch,
    name="recommendation_switches",
    meaning="recommendations that were switched off or on, one row for each as it is now",
    key="id",
    created=frozenset(),
    replaced=("recommendation.updated",),
)
RECOMMENDATION_EVENTS = Table.of(
    RecommendationEvent,
    name="recommendation_events",
    meaning="what agents said of recommendations, one row for each time",
    key="id",
    created=("recommendation_event.created",),
)


RECOMMENDATION_FENCE = Fence("recommendation", "recommendation_id")
LARGEST_DETAILS = 16_384
"""Bytes of JSON of what an agent adds to an event."""

About = tuple[str, str]
"""Agent and action type."""

_SAID = """
    SELECT agent_id, action_type, event_type, action_id, created_at FROM recommendation_events WHERE {chosen}
"""


class Advice:
    """The recommendations of every organization."""

    def __init__(self, ledger: Ledger, locks: EntityLocks, episodes: Episodes) -> None:
        self._ledger, self._locks, self._episodes = ledger, locks, episodes

    async def page(self, principal: Principal, query: RecommendationsQuery) -> Recommendations:
        asked = RebuildRecommendations(
            agent_id=query.agent_id,
            action_type=query.action_type,
            lookback_days=query.lookback_days,
            min_samples=query.min_samples,
        )
        found = await self.rebuild(principal, asked, inactive=query.include_inactive)
        shown = found.recommendations[: query.limit]
        if query.include_metrics:
            span = TimeSpan(found.since, found.until)
            metrics = await self._metrics(principal, span, query.agent_id, query.action_type)
            of = {each.recommendation_id: each for each in metrics}
            shown = [msgspec.structs.replace(each, metrics=of.get(each.id)) for each in shown]
        return msgspec.structs.replace(found, recommendations=shown)

    async def get(self, principal: Principal, id_: str, query: RecommendationQuery) -> RecommendationDetail:
        """Raises `recommendation_not_found`, also where too few episodes make it in these days."""
        agent_id, action_type = (await self._about(principal, [id_]))[id_]
        asked = RebuildRecommendations(
            agent_id=agent_id,
            action_type=action_type,
            lookback_days=query.lookback_days,
            min_samples=query.min_samples,
        )
        found = await self.rebuild(principal, asked, inactive=True)
        for each in found.recommendations:
            if each.id == id_:
                return RecommendationDetail(
                    recommendation=each, lookback_days=found.lookback_days, since=found.since, until=found.until
                )
        raise refuse(
            Code.RECOMMENDATION_NOT_FOUND,
            f"{agent_id} has fewer than {query.min_samples} episodes of {action_type} in {query.lookback_days} days: "
            "nothing is recommended. Give more days, or be content with fewer.",
        )

    async def rebuild(
        self, principal: Principal, said: RebuildRecommendations, *, inactive: bool = False
    ) -> Recommendations:
        span = self._episodes.span(said.lookback_days)
        rows = await lesson_rows(self._episodes, principal, span, said.agent_id, said.action_type, said.min_samples)
        off = await self._off(principal.org_id)
        made = [_recommendation(row, principal.org_id, off, span) for row in rows if row["status"] == DataStatus.OK]
        shown = [each for each in made if each.active or inactive]
        return Recommendations(
            recommendations=shown,
            total=len(shown),
            lookback_days=said.lookback_days,
            since=span.since,
            until=span.until,
        )

    async def switch(self, principal: Principal, id_: str, said: SetRecommendationActive) -> RecommendationSwitch:
        """Raises `recommendation_not_found`. Repeating it records nothing."""
        async with self._locks.hold(RECOMMENDATION_FENCE.of(principal.org_id, id_)):
            agent_id, action_type = (await self._about(principal, [id_]))[id_]
            before = await self._switch(principal.org_id, id_)
            if before is not None and before.active == said.active:
                return before
            now = self._episodes.now()
            after = RecommendationSwitch(
                id=id_,
                org_id=principal.org_id,
                agent_id=agent_id,
                action_type=action_type,
                active=said.active,
                created_at=moment(now) if before is None else before.created_at,
                updated_at=moment(now),
                updated_by=principal.key_id,
            )
            await self._ledger.append(_draft(EventName.RECOMMENDATION_SWITCHED, after, principal, now))
            return after

    async def record(self, principal: Principal, said: RecordRecommendationEvents) -> RecordedRecommendationEvents:
        """Raises `invalid_body` for no event and for details that cannot be kept, and `recommendation_not_found`;
        nothing is recorded then."""
        told = _reports(said)
        for number, each in enumerate(told):
            place = "details" if said.events is None else f"events[{number}].details"
            check_canonical(each.details or {}, place, LARGEST_DETAILS)
        about = await self._about(principal, {each.recommendation_id for each in told})
        now = self._episodes.now()
        events = [_event(each, about[each.recommendation_id], principal, now) for each in told]
        if events:
            drafts = [_draft(EventName.RECOMMENDATION_EVENT, event, principal, now) for event in events]
            await self._ledger.append(*drafts)
        return RecordedRecommendationEvents(events=events, recorded=len(events))

    async def report(self, principal: Principal, query: RecommendationMetricsQuery) -> RecommendationReport:
        span = self._episodes.span(query.lookback_days)
        metrics = await self._metrics(principal, span, query.agent_id, query.action_type)
        chosen = [each for each in metrics if each.active or query.include_inactive]
        return RecommendationReport(
            metrics=chosen[: query.limit],
            total=len(chosen),
            lookback_days=query.lookback_days,
            since=span.since,
            until=span.until,
        )

    async def _metrics(
        self, principal: Principal, span: TimeSpan, agent_id: str | None, action_type: str | None
    ) -> list[RecommendationMetrics]:
        chosen = of_caller(principal)
        chosen.add(name_is("agent_id"), agent_id)
        chosen.add("action_type = ?", action_type)
        moments = [at.replace(tzinfo=None) for at in (span.since, span.until)]
        chosen.add_all("created_at >= ? AND created_at <= ?", moments)
        said = await self._ledger.frame(_SAID.format(chosen=chosen.where), chosen.parameters)
        if not len(said):
            return []
        done = await self._episodes.read(principal, span, agent_id, action_type, every_id=True)
        off = await self._off(principal.org_id)
        rows = await asyncio.to_thread(_adopted, said, done)
        return [_measured(row, principal.org_id, off) for row in rows]

    async def _about(self, principal: Principal, ids: Iterable[str]) -> dict[str, About]:
        """Whom and what each recommendation is about. Raises `recommendation_not_found` for the first that is
        nobody's, or not for the caller."""
        chosen = of_caller(principal)
        rows = await self._ledger.read(
            f"SELECT DISTINCT agent_id, action_type FROM actions WHERE {chosen.where} AND agent_id IS NOT NULL",
            chosen.parameters,
        )
        known = {
            recommendation_id(principal.org_id, str(agent), str(kind)): (str(agent), str(kind)) for agent, kind in rows
        }
        for id_ in ids:
            if id_ not in known:
                raise refuse(
                    Code.RECOMMENDATION_NOT_FOUND,
                    f"There is no recommendation {id_[:128]!r} that this key may see; get_recommendations has the ids.",
                )
        return known

    async def _off(self, org_id: str) -> frozenset[str]:
        rows = await self._ledger.read(
            "SELECT id FROM recommendation_switches WHERE org_id = ? AND NOT active", [org_id]
        )
        return frozenset(str(id_) for (id_,) in rows)

    async def _switch(self, org_id: str, id_: str) -> RecommendationSwitch | None:
        return await find_row(self._ledger, RECOMMENDATION_SWITCHES, RecommendationSwitch, org_id, id_)


def _reports(said: RecordRecommendationEvents) -> list[RecommendationSaid]:
    if said.events is not None:
        return said.events
    if said.recommendation_id is None or said.event_type is None:
        missing = "recommendation_id" if said.recommendation_id is None else "event_type"
        raise refuse(
            Code.INVALID_BODY,
            f"{missing} is missing. Send an event with recommendation_id and event_type, or a list of them as events.",
            FieldError(place=missing, message="required, where there is no list of events"),
        )
    return [
        RecommendationSaid(
            recommendation_id=said.recommendation_id,
            event_type=said.event_type,
            action_id=said.action_id,
            details=said.details,
        )
    ]


def _event(said: RecommendationSaid, about: About, principal: Principal, now: int) -> RecommendationEvent:
    return RecommendationEvent(
        id=new_id("re_", now),
        org_id=principal.org_id,
        recommendation_id=said.recommendation_id,
        agent_id=about[0],
        action_type=about[1],
        event_type=said.event_type,
        action_id=said.action_id,
        details=said.details or {},
        created_at=moment(now),
        created_by=principal.key_id,
    )


def _draft(name: EventName, said: RecommendationSwitch | RecommendationEvent, principal: Principal, now: int) -> Draft:
    return Draft(org=said.org_id, type=name.value, ts=now, subject=said.id, actor=principal.key_id, data=encode(said))


def _recommendation(row: Mapping[str, Any], org_id: str, off: frozenset[str], span: TimeSpan) -> Recommendation:
    id_ = recommendation_id(org_id, row["agent_id"], row["action_type"])
    members = dict(row) | {
        "id": id_,
        "active": id_ not in off,
        "sample_size": row["n"],
        "success_rate": row["shrunk_rate"],
        "success_low": row["shrunk_low"],
        "success_high": row["shrunk_high"],
        "hints": RecommendationHints(
            preferred_risk_cap=row["risk_cap"],
            prefer_reversible=row["prefer_reversible"],
            confidence_floor=row["confidence_floor"],
            expected_duration_ms=row["expected_duration_ms"],
            expected_cost_estimate=row["expected_cost"],
        ),
        "metrics": None,
        "computed_at": span.until,
    }
    return msgspec.convert(members, prepared(Recommendation))


def _adopted(said: pl.DataFrame, done: pl.LazyFrame) -> list[dict[str, Any]]:
    return adoption(said, done.collect()).collect().to_dicts()


def _measured(row: Mapping[str, Any], org_id: str, off: frozenset[str]) -> RecommendationMetrics:
    id_ = recommendation_id(org_id, row["agent_id"], row["action_type"])
    members = dict(row) | {"recommendation_id": id_, "active": id_ not in off}
    return msgspec.convert(members, prepared(RecommendationMetrics))


def recommendation_routes(advice: Advice) -> tuple[Route, ...]:
    @serves(GET_RECOMMENDATIONS)
    async def page(call: Call[None, RecommendationsQuery]) -> Recommendations:
        return await advice.page(call.principal, call.query)

    @serves(GET_RECOMMENDATION)
    async def get(call: Call[None, RecommendationQuery], recommendation_id: str) -> RecommendationDetail:
        return await advice.get(call.principal, recommendation_id, call.query)

    @serves(REBUILD_RECOMMENDATIONS, unfenced=RECORDS_NOTHING)
    async def rebuild(call: Call[RebuildRecommendations, None]) -> Recommendations:
        return await advice.rebuild(call.principal, call.body)

    @serves(SET_RECOMMENDATION_ACTIVE, holds=(RECOMMENDATION_FENCE,))
    async def switch(call: Call[SetRecommendationActive, None], recommendation_id: str) -> SwitchedRecommendation:
        switched = await advice.switch(call.principal, recommendation_id, call.body)
        return SwitchedRecommendation(recommendation=switched)

    @serves(RECORD_RECOMMENDATION_EVENTS, unfenced=NEW_ID)
    async def record(call: Call[RecordRecommendationEvents, None]) -> RecordedRecommendationEvents:
        return await advice.record(call.principal, call.body)

    @serves(GET_RECOMMENDATION_METRICS)
    async def metrics(call: Call[None, RecommendationMetricsQuery]) -> RecommendationReport:
        return await advice.report(call.principal, call.query)

    return page, get, rebuild, switch, record, metrics
