"""How far a follower is behind: by how many events, and since when."""

from __future__ import annotations

import pytest

from assent_service.base.clock import SECOND
from assent_service.base.trail import Behind, Trail


class Log:
    """Events are recorded and taken in at whatever second it is."""

    def __init__(self) -> None:
        self.second, self.head, self.reached = 100, 0, 0
        self.recorded: list[int] = []
        self.trail = Trail(lambda: self.head, lambda: self.reached, lambda: self.second * SECOND)

    def record(self, events: int) -> None:
        self.trail.came(self.head, self.second * SECOND)
        self.recorded += [self.second] * events
        self.head += events

    def take(self, events: int) -> None:
        self.reached += events
        self.trail.taken(self.recorded[self.reached - 1] * SECOND)


@pytest.fixture
def log() -> Log:
    return Log()


def test_whoever_has_everything_is_not_behind(log: Log) -> None:
    assert log.trail.behind() == Behind(0, 0.0)
    log.record(3)
    log.take(3)
    log.second += 3600
    assert log.trail.behind() == Behind(0, 0.0)
    assert str(log.trail.behind()) == "0 events behind"


def test_it_counts_from_the_oldest_event_that_waits(log: Log) -> None:
    log.record(2)
    log.second += 5
    log.record(3)
    assert log.trail.behind() == Behind(5, 5.0)
    log.take(2)
    log.second += 1
    assert log.trail.behind().events == 3
    assert 1.0 <= log.trail.behind().seconds <= 6.0
    assert str(log.trail.behind()).startswith("3 events, ")


def test_a_night_without_events_does_not_count(log: Log) -> None:
    log.record(1)
    log.take(1)
    log.second += 8 * 3600
    log.record(1)
    log.second += 2
    assert log.trail.behind() == Behind(1, 2.0)


def test_nothing_is_said_about_time_before_anything_is_known(log: Log) -> None:
    log.head, log.reached = 500, 20
    assert log.trail.behind() == Behind(480, 0.0)
