"""Learning curves of agents, by the rules of `assent_analytics.curves`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
import polars as pl

from assent.contract.learning import (
    ComputeCurves,
    ComputedCurves,
    CurvesAnswer,
    CurvesQuery,
    CurveStep,
    LearningCurve,
)
from assent.contract.prepared import prepared
from assent_analytics.curves import by_exposure, by_week
from assent_service.core.principal import Principal
from assent_service.learning.naming import name
from assent_service.learning.reading import Episodes, Span

_STEPS = {CurveStep.EXPOSURE: (by_exposure, "step"), CurveStep.WEEK: (by_week, "week")}


async def answer_curves(episodes: Episodes, principal: Principal, query: CurvesQuery) -> CurvesAnswer:
    span = episodes.span(query.lookback_days)
    rows = await _curves(episodes, principal, span, query.agent_id, query.action_type, query.by)
    return CurvesAnswer(
        curves=[_shown(row, principal.org_id, query.by, span.until) for row in rows[: query.limit]],
        total=len(rows),
        by=query.by,
        since=span.since,
        until=span.until,
    )


async def compute_curves(episodes: Episodes, principal: Principal, said: ComputeCurves) -> ComputedCurves:
    span = episodes.span(said.lookback_days)
    rows = await _curves(episodes, principal, span, said.agent_id, said.action_type, said.by)
    results = [_shown(row, principal.org_id, said.by, span.until) for row in rows]
    return ComputedCurves(curves_computed=len(results), results=results)


async def _curves(
    episodes: Episodes, principal: Principal, span: Span, agent_id: str | None, action_type: str | None, by: CurveStep
) -> list[dict[str, Any]]:
    frame = await episodes.read(principal, span, agent_id, action_type)
    return await asyncio.to_thread(_rows, frame, by)


def _rows(frame: pl.LazyFrame, by: CurveStep) -> list[dict[str, Any]]:
    cut, _ = _STEPS[by]
    return cut(frame).collect().to_dicts()


def _shown(row: Mapping[str, Any], org_id: str, by: CurveStep, at: datetime) -> LearningCurve:
    members = dict(row)
    step = str(members.pop(_STEPS[by][1]))
    members["episode_count"] = members.pop("n")
    members["id"] = name("lc_", org_id, members["agent_id"], members["action_type"], by.value, step)
    return msgspec.convert(members | {"created_at": at}, prepared(LearningCurve))
