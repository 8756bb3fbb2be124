"""What counts as seen, for how long, and how many."""

from __future__ import annotations

import pytest

from assent_service.actions import seen as limits
from assent_service.actions.seen import SeenSignatures
from tests.service.actions.world import DAY, HOUR, Hands

ONE, OTHER = ("org", "one"), ("org", "other")


def test_first_sight_and_the_next() -> None:
    seen = SeenSignatures(Hands())
    assert seen.begin(ONE)
    assert not seen.begin(ONE)  # while it is being recorded
    seen.remember(ONE, Hands().now)
    seen.end(ONE)
    assert not seen.begin(ONE)
    assert seen.begin(OTHER)
    assert seen.begin(("another org", "one"))


def test_what_was_not_recorded_was_not_seen() -> None:
    seen = SeenSignatures(Hands())
    assert seen.begin(ONE)
    seen.end(ONE)
    assert seen.begin(ONE)


def test_a_day_after_it_was_last_recorded_it_is_forgotten() -> None:
    clock = Hands()
    seen = SeenSignatures(clock)
    seen.remember(ONE, clock.now)
    clock.turn(23 * HOUR)
    assert not seen.begin(ONE)
    seen.remember(ONE, clock.now)
    clock.turn(23 * HOUR)
    assert not seen.begin(ONE)
    clock.turn(HOUR)
    assert seen.snapshot() == {}
    assert seen.begin(ONE)


def test_a_clock_that_steps_back_does_not_shorten_it() -> None:
    clock = Hands()
    seen = SeenSignatures(clock)
    seen.remember(ONE, clock.now)
    seen.remember(ONE, clock.now - HOUR)
    clock.turn(DAY - HOUR // 2)
    assert not seen.begin(ONE)


def test_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SEEN", 3)
    clock = Hands()
    seen = SeenSignatures(clock)
    for number in range(5):
        seen.remember(("org", str(number)), clock())
    assert [digest for _, digest in seen.snapshot()] == ["2", "3", "4"]
