"""Drift warnings of lessons: which alerts, for whom, and how they are written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from math import inf
from typing import Any

import msgspec
import polars as pl
import pytest

from assent.contract.analysis.drift import DriftAlert
from assent.contract.analysis.lessons import Lessons, LessonsQuery
from assent.contract.roles import Role
from assent_service.analysis.learning.lessons import answer_lessons
from assent_service.analysis.learning.reading import Episodes, TimeSpan, Untold
from assent_service.base.clock import microseconds
from assent_service.core.principal import Principal

NOW = datetime(2026, 11, 20, tzinfo=UTC)
ALERT: dict[str, Any] = {
    "id": "da_1",
    "org_id": "org_1",
    "agent_id": "bot",
    "action_type": "look",
    "metric": "score",
    "severity": "warning",
    "direction": "down",
    "description": "score went down",
    "baseline_mean": 90.0,
    "baseline_sd": 5.0,
    "baseline_n": 50,
    "recent_mean": 78.0,
    "recent_n": 12,
    "z_score": -2.449,
    "n": 62,
    "e_value": 1e5,
    "threshold": 100.0,
    "change_estimated_at": NOW,
    "detected_at": NOW,
    "acknowledged": False,
    "acknowledged_by": None,
    "acknowledged_at": None,
    "deleted_at": None,
    "source": "live",
    "raised_n": 7,
    "created_at": NOW,
    "updated_at": NOW,
}


def alert(**members: Any) -> DriftAlert:
    return msgspec.convert(ALERT | members, DriftAlert)


class Alerts:
    """Answers with the alerts that it has, and keeps what it was asked."""

    def __init__(self, *alerts: DriftAlert) -> None:
        self.alerts = alerts
        self.asked: list[tuple[str, str | None, str | None]] = []

    def unacknowledged(
        self, org_id: str, agent_id: str | None = None, action_type: str | None = None
    ) -> Sequence[DriftAlert]:
        self.asked.append((org_id, agent_id, action_type))
        return self.alerts


class NoEpisodes(Episodes):
    """An organization in which nothing has happened."""

    def __init__(self) -> None:
        self._clock = lambda: microseconds(NOW)

    async def read(
        self,
        principal: Principal,
        span: TimeSpan,
        agent_id: str | None,
        action_type: str | None = None,
        *,
        every_id: bool = False,
        sessions: bool = False,
    ) -> pl.LazyFrame:
        types = {"agent_id": pl.String, "action_type": pl.String, "score": pl.Int64, "success": pl.Boolean}
        return pl.LazyFrame(schema=types | {"ended_at": pl.Datetime("us", "UTC")})

    async def untold(
        self, principal: Principal, span: TimeSpan, agent_id: str | None, action_type: str | None = None
    ) -> dict[tuple[str, str], Untold]:
        return {}

    async def groups(self, org_id: str, span: TimeSpan, action_type: str | None) -> pl.DataFrame:
        return pl.DataFrame(
            schema={"agent_id": pl.String, "action_type": pl.String, "n": pl.Int64, "successes": pl.Int64}
        )


async def told(drift: Alerts, agent: str | None = None, **asked: Any) -> Lessons:
    role = Role.AGENT if agent else Role.OPERATOR
    principal = Principal("org_1", "key_1", "key", role, agent)
    return await answer_lessons(NoEpisodes(), drift, principal, LessonsQuery(**asked))


async def test_a_warning_as_published() -> None:
    found = await told(Alerts(alert()))
    assert found.lessons == found.insufficient_data == []
    (warning,) = found.drift_warnings
    assert (warning.metric, warning.severity, warning.z_score, warning.direction) == (
        "score",
        "warning",
        "-2.4",
        "down",
    )
    assert (warning.id, warning.action_type, warning.detected_at) == ("da_1", "look", NOW)


@pytest.mark.parametrize("z", [None, inf, -inf])
async def test_a_score_that_cannot_be_told_is_none(z: float | None) -> None:
    assert (await told(Alerts(alert(z_score=z)))).drift_warnings[0].z_score is None


async def test_the_five_newest_warnings_and_no_information() -> None:
    alerts = [alert(id=f"da_{at}", severity="info" if at == 0 else "critical") for at in range(8)]
    found = await told(Alerts(*alerts))
    assert [each.id for each in found.drift_warnings] == ["da_1", "da_2", "da_3", "da_4", "da_5"]


async def test_what_a_simulator_made_up_is_told_as_such() -> None:
    found = await told(Alerts(alert(source="simulated"), alert()))
    assert [each.source for each in found.drift_warnings] == ["simulated", "live"]


async def test_an_agent_is_told_of_itself_only() -> None:
    drift = Alerts(alert(agent_id="other", id="da_2"), alert())
    found = await told(drift, "bot", action_type="look")
    assert [each.id for each in found.drift_warnings] == ["da_1"]
    assert drift.asked == [("org_1", "bot", "look")]
    assert found.agent_id == "bot"
    asked_for_another = await told(Alerts(alert(agent_id="other")), "bot", agent_id="other")
    assert asked_for_another.drift_warnings == []
