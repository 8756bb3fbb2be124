"""What a service knows of the database that it shares its log in: how far behind it is, since when, and whether it
answers."""

from __future__ import annotations

import pytest

from assent_service.base.clock import SECOND
from assent_service.store.standing import Standing


class Time:
    def __init__(self) -> None:
        self.now = 1_000 * SECOND
        self.folded = 0

    def __call__(self) -> int:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def standing(time: Time) -> Standing:
    made = Standing(time)
    made.follow(lambda: time.folded)
    return made


def metric(standing: Standing) -> bool:
    """Whether the database is away, as it is looked at anew each time."""
    return standing.away


def test_seconds_are_those_since_the_oldest_event_was_heard_of_that_is_not_folded(
    standing: Standing, time: Time
) -> None:
    standing.heard(10)
    time.pass_by(1)
    assert standing.behind() == (10, 1.0)
    standing.heard(30)
    time.pass_by(0.5)
    assert standing.behind() == (30, 1.5)
    time.folded = 10
    assert standing.behind() == (20, 0.5)
    time.folded = 29
    assert standing.behind() == (1, 0.5)
    time.folded = 30
    time.pass_by(100)
    assert standing.behind() == (0, 0.0)


def test_heads_that_come_close_together_are_as_old_as_the_first(standing: Standing, time: Time) -> None:
    for head in range(1, 11):
        standing.heard(head)
        time.pass_by(0.01)
    time.folded = 9
    assert standing.behind().events == 1
    assert standing.behind().seconds == pytest.approx(0.1)


def test_what_is_folded_before_it_is_heard_of_is_not_behind(standing: Standing, time: Time) -> None:
    time.folded = 12
    standing.heard(12)
    time.pass_by(1)
    assert standing.behind() == (0, 0.0)
    standing.heard(9)
    assert standing.behind() == (0, 0.0)


def test_more_than_two_seconds_behind_is_not_ready(standing: Standing, time: Time) -> None:
    standing.heard(5)
    time.pass_by(2)
    standing.heard(6)
    found = standing.inspect()
    assert (found.status, found.name) == ("pass", "database")
    time.pass_by(0.1)
    found = standing.inspect()
    assert found.status == "fail"
    assert "6 events, 2.1 s behind" in found.detail
    time.folded = 6
    assert standing.inspect().status == "pass"


def test_a_database_without_an_answer_is_away_until_it_answers(standing: Standing, time: Time) -> None:
    standing.heard(0)
    assert metric(standing) is False
    standing.missed()
    time.pass_by(0.5)
    assert metric(standing) is True
    found = standing.inspect()
    assert found.status == "fail"
    assert "has not answered" in found.detail
    standing.heard(0)
    assert metric(standing) is False
    assert standing.inspect().status == "pass"


def test_silence_is_no_answer(standing: Standing, time: Time) -> None:
    standing.heard(0)
    time.pass_by(2.0)
    assert metric(standing) is False
    time.pass_by(0.1)
    assert metric(standing) is True
    assert "for 2 s" in standing.inspect().detail
