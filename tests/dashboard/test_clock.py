"""The service's clock, known here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from assent_dashboard.sessions import ASK_AGAIN_SECONDS, ServiceClock

THERE = datetime(2026, 11, 20, 14, 2, 7, tzinfo=UTC)


class Time:
    """Seconds that only grow; asking takes `slow` of them, and the other clock is looked at in the middle."""

    def __init__(self, slow: float = 0.0) -> None:
        self.now, self.slow, self.asked, self.set_ahead = 1000.0, slow, 0, 0.0

    def ask(self) -> datetime:
        self.asked += 1
        self.now += self.slow / 2
        told = THERE + timedelta(seconds=self.now - 1000.0 + self.set_ahead)
        self.now += self.slow / 2
        return told

    def clock(self) -> ServiceClock:
        return ServiceClock(self.ask, lambda: self.now)


def test_it_is_asked_once_and_counted_on() -> None:
    time = Time()
    clock = time.clock()
    assert clock.now() == THERE
    time.now += 90
    assert clock.now() == THERE + timedelta(seconds=90)
    assert clock.at(1010.0) == THERE + timedelta(seconds=10), "a moment that has passed"
    assert time.asked == 1


def test_half_of_the_way_there_and_back_is_the_moment_it_looked() -> None:
    time = Time(slow=4.0)
    clock = time.clock()
    assert clock.now() == THERE, "the moment of the question"
    assert clock.at(1002.0) == THERE + timedelta(seconds=2)


def test_it_is_asked_again_after_a_while_and_follows_a_clock_that_was_set() -> None:
    time = Time()
    clock = time.clock()
    clock.now()
    time.now += ASK_AGAIN_SECONDS
    clock.now()
    assert time.asked == 1
    time.now += 1
    time.set_ahead = 3600.0
    assert clock.now() == THERE + timedelta(seconds=ASK_AGAIN_SECONDS + 1 + 3600)
    assert time.asked == 2


def test_what_asking_raises_is_raised() -> None:
    def gone() -> datetime:
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        ServiceClock(gone, lambda: 0.0).now()
