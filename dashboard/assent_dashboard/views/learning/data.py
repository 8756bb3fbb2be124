"""What the learning page asks the service for, and its rows as tables.

Every number and interval is the service's. Agents, maturity and the week are of all action types, since learning is
told for an agent as a whole; curves, lessons and recommendations follow the type that was chosen. These take longest
with a long history, so they are asked for by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
import polars as pl

from assent.contract.analysis.learning import CurvesAnswer, CurveStep, LearningPeriod, LearningSummary, MaturityLevel
from assent.contract.analysis.lessons import Lesson, Lessons, Recommendations
from assent.contract.analysis.weekly import WeeklyDigest
from assent.contract.record import Record
from assent_dashboard.sessions import Session
from assent_dashboard.views.addresses import Scope
from assent_dashboard.views.answers import both, later
from assent_dashboard.views.export import Tables

LONGEST_DAYS = 365
"""The service looks no further back for learning."""
DAILY_DAYS = 90
"""From more days than that, trends are told by week."""
MOST_POINTS, MOST_LESSONS = 1000, 200


@dataclass(frozen=True)
class Learned:
    """What there is first: whether agents get better, and the week."""

    summary: LearningSummary
    levels: Sequence[MaturityLevel]
    week: WeeklyDigest
    period: LearningPeriod


@dataclass(frozen=True)
class Advised:
    lessons: Lessons
    advice: Recommendations


def days_of(scope: Scope) -> int:
    return min(scope.days, LONGEST_DAYS)


def load(session: Session, scope: Scope) -> Learned:
    client, days, agent = session.client, days_of(scope), scope.agent_id
    period = LearningPeriod.DAILY if days <= DAILY_DAYS else LearningPeriod.WEEKLY
    week = later(lambda: client.get_digest(agent_id=agent))
    summary = client.get_learning_analytics_summary(agent, lookback_days=days, period=period)
    return Learned(summary, client.get_maturity_levels().levels, week(), period)


def load_curves(session: Session, scope: Scope) -> CurvesAnswer:
    return session.client.get_learning_curves(
        scope.agent_id, scope.action_type, MOST_POINTS, lookback_days=days_of(scope), by=CurveStep.EXPOSURE
    )


def load_advice(session: Session, scope: Scope) -> Advised:
    client, days, agent, kind = session.client, days_of(scope), scope.agent_id, scope.action_type
    return Advised(
        *both(
            lambda: client.get_lessons(kind, MOST_LESSONS, agent, lookback_days=days),
            lambda: client.get_recommendations(kind, MOST_LESSONS, agent, True, True, days),
        )
    )


def tables(learned: Learned) -> Tables:
    """What can be taken away of what there is first; curves and advice have an export of their own."""
    return {"agents": frame(learned.summary.velocity), "maturity": frame(learned.levels)}


def frame(records: Sequence[Record]) -> pl.DataFrame:
    """One row for each record, one column for each member; times are times."""
    rows = [msgspec.to_builtins(record, builtin_types=(datetime,)) for record in records]
    return pl.DataFrame(rows, infer_schema_length=None)


def steps(curves: CurvesAnswer) -> pl.DataFrame:
    """The points of the curves as the picture takes them."""
    return frame(curves.curves).rename({"episode_count": "n"}, strict=False)


def lessons_by_pair(advised: Advised) -> dict[tuple[str, str], Lesson]:
    """By agent and action type."""
    return {(lesson.agent_id, lesson.action_type): lesson for lesson in advised.lessons.lessons}
