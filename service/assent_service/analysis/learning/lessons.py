"""Lessons, by the rules of `assent_analytics.lessons`, with what has drifted.

Success rates are shrunk toward those of the whole organization, also for an agent's own key: it learns how often an
action type succeeds here, and nothing about whose actions those were.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Protocol

import msgspec
import polars as pl

from assent.contract.analysis.drift import DriftAlert, DriftSeverity
from assent.contract.analysis.learning import (
    DataStatus,
)
from assent.contract.analysis.lessons import (
    GET_LESSONS,
    MOST_DRIFT_WARNINGS,
    DriftWarning,
    Lesson,
    LessonHints,
    Lessons,
    LessonsQuery,
)
from assent.contract.prepared import prepared
from assent_analytics.lessons import lessons
from assent_service.analysis.learning.reading import Episodes, TimeSpan, Untold
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves

_TOLD = (DriftSeverity.WARNING, DriftSeverity.CRITICAL)


class DriftAlerts(Protocol):
    """What lessons need of drift: alerts that nobody has acknowledged, the newest first."""

    def unacknowledged(
        self, org_id: str, agent_id: str | None = None, action_type: str | None = None
    ) -> Sequence[DriftAlert]: ...


async def answer_lessons(episodes: Episodes, drift: DriftAlerts, principal: Principal, query: LessonsQuery) -> Lessons:
    span = episodes.span(query.lookback_days)
    agent_id = query.agent_id or _own(principal)
    rows = await lesson_rows(episodes, principal, span, query.agent_id, query.action_type, query.min_samples)
    told = [_lesson(row) for row in rows]
    known = [lesson for lesson in told if lesson.status is DataStatus.OK]
    return Lessons(
        lessons=known[: query.limit],
        insufficient_data=[lesson for lesson in told if lesson.status is not DataStatus.OK][: query.limit],
        drift_warnings=_warnings(drift, principal, agent_id, query.action_type),
        agent_id=agent_id,
        total=len(known),
        min_samples=query.min_samples,
        since=span.since,
        until=span.until,
    )


async def lesson_rows(
    episodes: Episodes,
    principal: Principal,
    span: TimeSpan,
    agent_id: str | None,
    action_type: str | None,
    min_samples: int,
) -> list[dict[str, Any]]:
    frame = await episodes.read(principal, span, agent_id, action_type, sessions=True)
    groups = await episodes.groups(principal.org_id, span, action_type)
    untold = await episodes.untold(principal, span, agent_id, action_type)
    rows = await asyncio.to_thread(_rows, frame, groups, min_samples)
    return [row | bounded(row, untold.get((row["agent_id"], row["action_type"]), Untold())) for row in rows]


def bounded(row: Mapping[str, Any], untold: Untold) -> dict[str, Any]:
    """What has no outcome, and the shares of success if all of it had failed, or all succeeded."""
    done, without = row["successes"], sum(untold)
    every = row["n"] + without
    return {
        **untold._asdict(),
        "success_least": done / every if every else None,
        "success_most": (done + without) / every if every else None,
    }


def _rows(frame: pl.LazyFrame, groups: pl.DataFrame, min_samples: int) -> list[dict[str, Any]]:
    return lessons(frame, groups=groups, min_samples=min_samples).to_dicts()


def _own(principal: Principal) -> str | None:
    return None if principal.sees(None) else principal.agent_id


def _lesson(row: Mapping[str, Any]) -> Lesson:
    members = dict(row)
    for end in ("rate", "low", "high"):
        members[f"raw_success_{end}"] = members[f"success_{end}"]
        members[f"success_{end}"] = members[f"shrunk_{end}"]
    members["sample_size"] = members["n"]
    members["hints"] = LessonHints(
        risk_cap=row["risk_cap"],
        prefer_reversible=row["prefer_reversible"],
        confidence_floor=row["confidence_floor"],
        expected_duration=row["expected_duration_ms"],
        expected_cost=row["expected_cost"],
    )
    return msgspec.convert(members, prepared(Lesson))


def _warnings(
    drift: DriftAlerts, principal: Principal, agent_id: str | None, action_type: str | None
) -> list[DriftWarning]:
    alerts = drift.unacknowledged(principal.org_id, agent_id, action_type)
    told = [alert for alert in alerts if alert.severity in _TOLD and principal.sees(alert.agent_id)]
    return [
        carry(
            DriftWarning,
            alert,
            z_score=None if alert.z_score is None or not isfinite(alert.z_score) else f"{alert.z_score:.1f}",
        )
        for alert in told[:MOST_DRIFT_WARNINGS]
    ]


def lesson_routes(episodes: Episodes, drift: DriftAlerts) -> tuple[Route, ...]:
    @serves(GET_LESSONS)
    async def lessons(call: Call[None, LessonsQuery]) -> Lessons:
        return await answer_lessons(episodes, drift, call.principal, call.query)

    return (lessons,)
