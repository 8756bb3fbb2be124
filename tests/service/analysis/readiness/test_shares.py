"""The shares as they are told."""

from __future__ import annotations

from assent_service.analysis.readiness.judge import shares_of
from assent_service.analysis.readiness.queries import ReadinessCounts


def test_counts_become_percentages() -> None:
    counts = ReadinessCounts(actions=8, governed=7, simulated=2, asked=3, decided=2, newest=None)
    governed, approval, proof = shares_of(counts)
    assert (governed.name, governed.percent, governed.count, governed.n) == ("governed", 87.5, 7, 8)
    assert approval.percent is not None
    assert (approval.name, round(approval.percent, 3), approval.count, approval.n) == ("approval", 66.667, 2, 3)
    assert (proof.name, proof.available, proof.percent, proof.n) == ("proof", False, None, 0)
    assert governed.available
    assert approval.available


def test_nothing_of_nothing_is_no_percentage() -> None:
    counts = ReadinessCounts(actions=0, governed=0, simulated=0, asked=0, decided=0, newest=None)
    assert [(share.percent, share.available) for share in shares_of(counts)] == [
        (None, True),
        (None, True),
        (None, False),
    ]


def test_without_counts_nothing_is_made_up() -> None:
    shares = shares_of(None)
    assert [share.name for share in shares] == ["governed", "approval", "proof"]
    assert all((share.available, share.percent, share.count, share.n) == (False, None, 0, 0) for share in shares)
