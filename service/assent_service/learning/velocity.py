"""Velocity of agents, by the rules of `assent_analytics.velocity`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
import polars as pl

from assent.contract.learning import (
    ComputedVelocity,
    ComputeVelocity,
    DataStatus,
    LearningPeriod,
    LearningSummary,
    LearningSummaryQuery,
    LearningVelocity,
    VelocityAnswer,
    VelocityQuery,
)
from assent.contract.prepared import prepared
from assent_analytics.maturity import LEVELS
from assent_analytics.velocity import overall, velocity
from assent_service.core.principal import Principal
from assent_service.learning.naming import name
from assent_service.learning.reading import Episodes, Span

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
    frame = await episodes.read(principal, span, query.agent_id)
    totals, rows = await asyncio.to_thread(_summary, frame, query.period)
    found = [_shown(row, principal.org_id, span.until) for row in rows]
    improving = sum(row.slope_low is not None and row.slope_low > 0 for row in found)
    declining = sum(row.slope_high is not None and row.slope_high < 0 for row in found)
    reached = [row.maturity_level for row in found]
    return LearningSummary(
        **totals,
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
    episodes: Episodes, principal: Principal, span: Span, agent_id: str | None, period: LearningPeriod
) -> list[LearningVelocity]:
    frame = await episodes.read(principal, span, agent_id)
    rows = await asyncio.to_thread(_rows, frame, period)
    return [_shown(row, principal.org_id, span.until) for row in rows]


def _rows(frame: pl.LazyFrame, period: LearningPeriod) -> list[dict[str, Any]]:
    return velocity(frame, period.value).to_dicts()


def _summary(frame: pl.LazyFrame, period: LearningPeriod) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    known = frame.collect()
    totals = overall(known).collect().row(0, named=True)
    return totals | {"status": DataStatus(totals["status"])}, _rows(known.lazy(), period)


def _shown(row: Mapping[str, Any], org_id: str, at: datetime) -> LearningVelocity:
    members = dict(row)
    members["episode_count"] = members.pop("n")
    for each in _ROUNDED:
        if members[each] is not None:
            members[each] = round(members[each], DECIMALS)
    members["id"] = name("lv_", org_id, members["agent_id"], members["period"])
    return msgspec.convert(members | {"created_at": at}, prepared(LearningVelocity))
