"""How much of the past guard keeps at hand."""

from __future__ import annotations

import pytest

from assent_service.control.guard import recent as module
from assent_service.control.guard.recent import KEEP, RecentDecisions


def test_only_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NEWEST", 3)
    recent = RecentDecisions()
    for number in range(5):
        recent.add("org", f"dec_{number}", number, b"{}")
    held = [number for number in range(5) if recent.get("org", f"dec_{number}", 5) is not None]
    assert held == [2, 3, 4]


def test_used_ones_take_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NEWEST", 3)
    recent = RecentDecisions()
    recent.add("org", "dec_kept", 0, b"{}")
    for number in range(1, 100):
        recent.add("org", f"dec_{number}", number, b"{}")
        recent.use("org", f"dec_{number}")
    assert recent.get("org", "dec_kept", 100) == b"{}"
    assert recent.snapshot(100) == {("org", "dec_kept")}


def test_they_are_kept_for_five_minutes_and_used_once() -> None:
    recent = RecentDecisions()
    recent.add("org", "dec_1", 0, b"1")
    assert recent.get("org", "dec_1", KEEP - 1) == b"1"
    assert recent.get("org", "dec_1", KEEP) is None
    assert recent.get("other", "dec_1", 1) is None
    recent.use("org", "dec_1")
    assert recent.get("org", "dec_1", 1) is None
