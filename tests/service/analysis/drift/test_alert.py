"""Alarms as alerts: their ids, their severity, and what they say."""

from __future__ import annotations

import msgspec
import pytest

from assent.contract.analysis.drift import DriftSeverity
from assent.contract.control.guard import Source
from assent_analytics.detector import Alarm, Direction, EstablishedAlarm
from assent_service.analysis.drift.alert import alert_of, id_of, severity_of
from assent_service.analysis.drift.streams import Stream, StreamAlarm
from assent_service.base.clock import moment
from tests.service.control.actions.world import HOUR, START

STREAM = Stream("org_1", "bot", "look", "duration_ms", False)
ALARM = Alarm(
    n=80,
    epoch=0,
    at=START,
    change_at=START - HOUR,
    e_value=120.0,
    threshold=100.0,
    direction=Direction.UP,
    baseline_n=60,
    baseline_mean=1000.0,
    baseline_sd=100.0,
    recent_n=20,
    recent_mean=1250.0,
    z_score=2.5,
)

ESTABLISHED = EstablishedAlarm(
    **msgspec.structs.asdict(ALARM),
    change_low=START - 2 * HOUR,
    change_high=START,
    clusters=40,
    recent_clusters=10,
    n_effective=32.5,
    basis="session",
)


@pytest.mark.parametrize(
    ("z_score", "severity"),
    [
        (0.1, "info"),
        (-1.99, "info"),
        (2.0, "warning"),
        (-2.99, "warning"),
        (3.0, "critical"),
        (-999.0, "critical"),
        (None, "warning"),
    ],
)
def test_the_severity_is_the_size_of_the_change(z_score: float | None, severity: str) -> None:
    assert severity_of(z_score) == DriftSeverity(severity)


def test_the_id_is_that_of_the_stream_and_of_the_event() -> None:
    found = StreamAlarm(STREAM, ALARM, Source.LIVE, 7)
    same = id_of(found._replace(stream=Stream("org_1", "bot", "look", "duration_ms", False), source=Source.IMPORT))
    assert same == id_of(found)
    others = [
        found._replace(n=8),
        found._replace(stream=STREAM._replace(simulated=True)),
        found._replace(alarm=ESTABLISHED),
    ]
    assert len({same, *map(id_of, others)}) == 4
    assert same.startswith("da_")


def test_what_is_established_says_on_what_it_rests() -> None:
    told = alert_of(StreamAlarm(STREAM, ESTABLISHED, Source.LIVE, 7), START)
    assert told.established
    assert (told.clusters, told.recent_clusters, told.n_effective, told.basis) == (40, 10, 32.5, "session")
    assert (told.change_earliest_at, told.change_latest_at) == (moment(START - 2 * HOUR), moment(START))
    hint = alert_of(StreamAlarm(STREAM, ALARM, Source.LIVE, 7), START)
    assert (hint.established, hint.clusters, hint.change_earliest_at) == (False, None, None)


def test_an_alert_says_it_all() -> None:
    alert = alert_of(StreamAlarm(STREAM, ALARM, Source.IMPORT, 7), START + 5)
    assert (alert.n, alert.baseline_n, alert.recent_n) == (80, 60, 20)
    assert (alert.change_estimated_at, alert.detected_at) == (moment(START - HOUR), moment(START))
    assert alert.created_at == moment(START + 5)
    assert (alert.source, alert.raised_n, alert.severity) == ("import", 7, "warning")
    assert not alert.acknowledged
    assert alert.description == (
        "duration_ms of bot on look went up about 2026-03-02 08:00 UTC: mean 1000 before, 1250 since"
    )


def test_a_simulated_one_says_so() -> None:
    found = StreamAlarm(STREAM._replace(simulated=True, agent_id=None), ALARM, Source.SIMULATED, 7)
    alert = alert_of(found, START)
    assert "(simulated)" in alert.description
    assert "an agent without a name" in alert.description
