"""What counts as seen, for how long, and how many."""

from __future__ import annotations

import pytest

from assent_service.control.actions import signature_memory as limits
from assent_service.control.actions.signature_memory import SignatureMemory
from tests.service.control.actions.world import DAY, HOUR, Hands

ONE, OTHER = ("org", "one"), ("org", "other")


def test_first_sight_and_the_next() -> None:
    seen = SignatureMemory(Hands())
    assert seen.begin(ONE)
    assert not seen.begin(ONE)  # while it is being recorded
    seen.remember(ONE, Hands().now)
    seen.end(ONE)
    assert not seen.begin(ONE)
    assert seen.begin(OTHER)
    assert seen.begin(("another org", "one"))


def test_what_was_not_recorded_was_not_seen() -> None:
    seen = SignatureMemory(Hands())
    assert seen.begin(ONE)
    seen.end(ONE)
    assert seen.begin(ONE)


def test_a_day_after_it_was_last_recorded_it_is_forgotten() -> None:
    clock = Hands()
    seen = SignatureMemory(clock)
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
    seen = SignatureMemory(clock)
    seen.remember(ONE, clock.now)
    seen.remember(ONE, clock.now - HOUR)
    clock.turn(DAY - HOUR // 2)
    assert not seen.begin(ONE)


def test_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SEEN", 3)
    clock = Hands()
    seen = SignatureMemory(clock)
    for number in range(5):
        seen.remember(("org", str(number)), clock())
    assert [digest for _, digest in seen.snapshot()] == ["2", "3", "4"]


def test_each_organization_has_room_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "EACH", 2)
    clock = Hands()
    seen = SignatureMemory(clock)
    seen.remember(("quiet", "0"), clock())
    for number in range(5):
        seen.remember(("busy", str(number)), clock())
    assert list(seen.snapshot()) == [("quiet", "0"), ("busy", "3"), ("busy", "4")]
    assert (seen.partial("busy"), seen.partial("quiet"), seen.partial("unknown")) == (True, False, False)
    assert (seen.size("busy"), seen.size("quiet"), seen.size("unknown")) == (2, 1, 0)
    # The tables need not be asked any more once the last that was lost is a day old.
    clock.turn(DAY - HOUR)
    assert seen.partial("busy")
    clock.turn(HOUR)
    assert not seen.partial("busy")


def test_the_organization_with_the_most_makes_room_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SEEN", 6)
    clock = Hands()
    seen = SignatureMemory(clock)
    seen.remember(("quiet", "0"), clock())
    for number in range(6):
        seen.remember(("busy", str(number)), clock())
    for number in (1, 2):
        seen.remember(("quiet", str(number)), clock())
    assert {org: seen.size(org) for org in ("busy", "quiet")} == {"busy": 3, "quiet": 3}
    assert (seen.partial("busy"), seen.partial("quiet")) == (True, False)
    assert [digest for org, digest in seen.snapshot() if org == "busy"] == ["3", "4", "5"]


def test_what_is_a_day_old_is_not_missed_when_it_goes() -> None:
    clock = Hands()
    seen = SignatureMemory(clock)
    seen.remember(ONE, clock.now)
    clock.turn(DAY)
    seen.remember(OTHER, clock.now)
    assert (list(seen.snapshot()), seen.size("org"), seen.partial("org")) == ([OTHER], 1, False)


@pytest.mark.parametrize(
    ("counts", "share"),
    [([], 5), ([3, 4], 5), ([9], 5), ([9, 1], 5), ([4, 4, 4], 5), ([5, 5, 5], 4), ([9, 9, 2], 5), ([9] * 13, 0)],
)
def test_what_is_loaded_of_each_leaves_room_for_all(
    monkeypatch: pytest.MonkeyPatch, counts: list[int], share: int
) -> None:
    monkeypatch.setattr(limits, "EACH", 5)
    monkeypatch.setattr(limits, "SEEN", 12)
    assert limits.fair_share(counts) == share
    assert sum(min(count, share) for count in counts) <= 12
