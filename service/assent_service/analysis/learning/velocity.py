"""Velocity and learning curves of agents: whether their episodes get better over time and with experience, by the rules
of `assent_analytics.velocity` and `assent_analytics.curves`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
import polars as pl

from assent.contract.analysis.learning import (
    COMPUTE_LEARNING_CURVES,
    COMPUTE_LEARNING_VELOCITY,
    GET_LEARNING_ANALYTICS_SUMMARY,
    GET_LEARNING_CURVES,
    GET_LEARNING_VELOCITY,
    GET_MATURITY_LEVELS,
    ComputeCurves,
    ComputedCurves,
    ComputedVelocity,
    ComputeVelocity,
    CurvesAnswer,
    CurvesQuery,
    CurveStep,
    DataStatus,
    LearningCurve,
    LearningDirection,
    LearningPeriod,
    LearningSummary,
    LearningSummaryQuery,
    LearningVelocity,
    MaturityLevel,
    MaturityLevels,
    VelocityAnswer,
    VelocityQuery,
)
from assent.contract.prepared import prepared
from assent_analytics.curves import by_exposure, by_week
from assent_analytics.velocity import LEVELS, overall, velocity
from assent_service.analysis.learning.lessons import bounded
from assent_service.analysis.learning.reading import Episodes, TimeSpan, Untold, name
from assent_service.core.call import Call
from assent_service.core.principal import Principal
from assent_service.core.route import RECORDS_NOTHING, Route, serves

DECIMALS = 3
"""Of the three numbers that published clients know."""
_ROUNDED = ("velocity", "acceleration", "score_delta")


async def answer_velocity(episodes: Episodes, principal: Principal, query: VelocityQuery) -> VelocityAnswer:
    span = episodes.span(query.lookback_days)
    rows = await _velocities(episodes, principal, span, query.agent_id, query.period)
    return VelocityAnswer(velocity=rows[: query.limit], total=len(rows), since=span.since, until=span.until)


async def compute_velocity(episodes: Episodes, principal: Principal, said: ComputeVelocity) -> ComputedVelocity:
    rows = await _velocities(episodes, principal, episodes.span(said.lookback_days), said.agent_id, said.period)
    return ComputedVelocity(agents_computed=sum(row.status is DataStatus.OK for row in rows), results=rows)


async def summarize(episodes: Episodes, principal: Principal, query: LearningSummaryQuery) -> LearningSummary:
    span = episodes.span(query.lookback_days)
    frame = await episodes.read(principal, span, query.agent_id, sessions=True)
    untold = (await episodes.untold(principal, span, query.agent_id)).values()
    without = Untold(sum(each.stopped for each in untold), sum(each.cancelled for each in untold))
    totals, rows = await asyncio.to_thread(_summary, frame, query.period)
    found = [_answer(row, principal.org_id, span.until) for row in rows]
    improving = sum(row.direction is LearningDirection.IMPROVING for row in found)
    declining = sum(row.direction is LearningDirection.DECLINING for row in found)
    successes = round((totals["success_rate"] or 0.0) * totals["total_episodes"])
    reached = [row.maturity_level for row in found]
    return LearningSummary(
        **totals,
        **bounded({"successes": successes, "n": totals["total_episodes"]}, without),
        total_agents=len(found),
        improving=improving,
        declining=declining,
        unclear=len(found) - improving - declining,
        by_maturity={each.level: reached.count(each.level) for each in LEVELS},
        velocity=found,
        since=span.since,
        until=span.until,
    )


async def _velocities(
    episodes: Episodes, principal: Principal, span: TimeSpan, agent_id: str | None, period: LearningPeriod
) -> list[LearningVelocity]:
    frame = await episodes.read(principal, span, agent_id, sessions=True)
    rows = await asyncio.to_thread(_rows, frame, period)
    return [_answer(row, principal.org_id, span.until) for row in rows]


def _rows(frame: pl.LazyFrame, period: LearningPeriod) -> list[dict[str, Any]]:
    return velocity(frame, period.value).to_dicts()


def _summary(frame: pl.LazyFrame, period: LearningPeriod) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    known = frame.collect()
    totals = overall(known).collect().row(0, named=True)
    # Every action that ran to an end has a score and a success.
    totals.pop("left_out")
    return totals | {"status": DataStatus(totals["status"])}, _rows(known.lazy(), period)


def _answer(row: Mapping[str, Any], org_id: str, at: datetime) -> LearningVelocity:
    members = {member: value for member, value in row.items() if member != "left_out"}
    members["episode_count"] = members.pop("n")
    for each in _ROUNDED:
        if members[each] is not None:
            members[each] = round(members[each], DECIMALS)
    members["id"] = name("lv_", org_id, members["agent_id"], members["period"])
    return msgspec.convert(members | {"created_at": at}, prepared(LearningVelocity))


# Learning curves of agents, by the rules of `assent_analytics.curves`.


_STEPS = {CurveStep.EXPOSURE: (by_exposure, "step"), CurveStep.WEEK: (by_week, "week")}


async def answer_curves(episodes: Episodes, principal: Principal, query: CurvesQuery) -> CurvesAnswer:
    span = episodes.span(query.lookback_days)
    rows = await _curves(episodes, principal, span, query.agent_id, query.action_type, query.by)
    return CurvesAnswer(
        curves=[_curve(row, principal.org_id, query.by, span.until) for row in rows[: query.limit]],
        total=len(rows),
        by=query.by,
        since=span.since,
        until=span.until,
    )


async def compute_curves(episodes: Episodes, principal: Principal, said: ComputeCurves) -> ComputedCurves:
    span = episodes.span(said.lookback_days)
    rows = await _curves(episodes, principal, span, said.agent_id, said.action_type, said.by)
    results = [_curve(row, principal.org_id, said.by, span.until) for row in rows]
    return ComputedCurves(curves_computed=len(results), results=results)


async def _curves(
    episodes: Episodes,
    principal: Principal,
    span: TimeSpan,
    agent_id: str | None,
    action_type: str | None,
    by: CurveStep,
) -> list[dict[str, Any]]:
    frame = await episodes.read(principal, span, agent_id, action_type)
    return await asyncio.to_thread(_curve_rows, frame, by)


def _curve_rows(frame: pl.LazyFrame, by: CurveStep) -> list[dict[str, Any]]:
    cut, _ = _STEPS[by]
    return cut(frame).collect().to_dicts()


def _curve(row: Mapping[str, Any], org_id: str, by: CurveStep, at: datetime) -> LearningCurve:
    members = dict(row)
    step = str(members.pop(_STEPS[by][1]))
    members["episode_count"] = members.pop("n")
    members["id"] = name("lc_", org_id, members["agent_id"], members["action_type"], by.value, step)
    return msgspec.convert(members | {"created_at": at}, prepared(LearningCurve))


_LEVELS = MaturityLevels(
    levels=[
        MaturityLevel(
            level=each.level,
            min_episodes=each.episodes,
            min_success_rate=each.success_rate,
            min_avg_score=each.avg_score,
        )
        for each in LEVELS
    ]
)


def velocity_routes(episodes: Episodes) -> tuple[Route, ...]:
    @serves(GET_LEARNING_VELOCITY)
    async def velocity(call: Call[None, VelocityQuery]) -> VelocityAnswer:
        return await answer_velocity(episodes, call.principal, call.query)

    @serves(COMPUTE_LEARNING_VELOCITY, unfenced=RECORDS_NOTHING)
    async def computed_velocity(call: Call[ComputeVelocity, None]) -> ComputedVelocity:
        return await compute_velocity(episodes, call.principal, call.body)

    @serves(GET_LEARNING_CURVES)
    async def curves(call: Call[None, CurvesQuery]) -> CurvesAnswer:
        return await answer_curves(episodes, call.principal, call.query)

    @serves(COMPUTE_LEARNING_CURVES, unfenced=RECORDS_NOTHING)
    async def computed_curves(call: Call[ComputeCurves, None]) -> ComputedCurves:
        return await compute_curves(episodes, call.principal, call.body)

    @serves(GET_LEARNING_ANALYTICS_SUMMARY)
    async def summary(call: Call[None, LearningSummaryQuery]) -> LearningSummary:
        return await summarize(episodes, call.principal, call.query)

    @serves(GET_MATURITY_LEVELS)
    async def maturity(call: Call[None, None]) -> MaturityLevels:
        return _LEVELS

    return velocity, computed_velocity, curves, computed_curves, summary, maturity
