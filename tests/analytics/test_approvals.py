"""Approvals: counts, times and the backlog, worked out by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics import approvals
from tests.analytics.tables import NOW
from tests.analytics.tables import actions as actions_table
from tests.analytics.tables import approvals as table

START = NOW - timedelta(days=1)


def asked(state: str, at: float, seconds: float | None, by: str | None = None, **more: Any) -> dict[str, Any]:
    """Asked `at` seconds after START and ended so many seconds later."""
    requested = START + timedelta(seconds=at)
    decided = None if seconds is None else requested + timedelta(seconds=seconds)
    return {"state": state, "requested_at": requested, "decided_at": decided, "decided_by": by, **more}


SIX = table(
    asked("approved", 0, 10, "Mia"),
    asked("approved", 0, 20, "Mia"),
    asked("denied", 5, 40, "Mia"),
    asked("denied", 7, 100, "Ben"),
    asked("expired", 9, 86400),
    asked("awaiting", 11, None),
)


def test_insight() -> None:
    # Decided after 10, 20, 40 and 100 s. Type 7: p50 lies at position 1.5, halfway from 20 to 40; p95 at position
    # 0.95 * 3 = 2.85, so 40 + 0.85 * 60 = 91.
    assert approvals.insight(SIX).collect().row(0, named=True) == {
        "asked": 6,
        "awaiting": 1,
        "approved": 2,
        "denied": 2,
        "expired": 1,
        "withdrawn": 0,
        "decided": 4,
        "p50_seconds": 30.0,
        "p95_seconds": pytest.approx(91.0),
        "simulated": 0,
        "approval_rate": 50.0,
    }


def test_insight_when_nobody_decided() -> None:
    found = approvals.insight(table(asked("expired", 0, 86400), asked("awaiting", 0, None))).collect()
    row = found.row(0, named=True)
    assert (row["asked"], row["decided"]) == (2, 0)
    assert row["approval_rate"] is row["p50_seconds"] is row["p95_seconds"] is None
    assert approvals.insight(table()).collect().row(0, named=True)["asked"] == 0


def test_a_withdrawn_one_is_asked_and_nobodys_decision() -> None:
    frame = table(asked("withdrawn", 0, 30), asked("approved", 0, 10))
    row = approvals.insight(frame).collect().row(0, named=True)
    assert (row["asked"], row["withdrawn"], row["decided"], row["approval_rate"]) == (2, 1, 1, 100.0)
    assert row["p95_seconds"] == 10.0
    # It waits until it is withdrawn, and no longer.
    waiting = approvals.backlog(
        frame, timedelta(seconds=15), since=START, until=START + timedelta(seconds=45)
    ).collect()
    assert waiting["waiting"].to_list() == [2, 1, 0, 0]


def test_by_operator() -> None:
    # Mia took 10, 20 and 40 s, Ben 100 s.
    assert approvals.by_operator(SIX).collect().rows() == [("Mia", 3, 2, 1, 20.0), ("Ben", 1, 0, 1, 100.0)]


def test_times_to_decide() -> None:
    found = approvals.times_to_decide(SIX).collect()
    assert found["seconds"].to_list() == [10.0, 20.0, 40.0, 100.0]
    assert found["decided_by"].to_list() == ["Mia", "Mia", "Mia", "Ben"]
    assert not found["simulated"].any()


def test_simulated_ones_are_told_by_their_actions() -> None:
    acts = actions_table({"source": "simulated"}, {"action_id": "act_2"})
    both = table({}, {"action_id": "act_2"}, {"action_id": "gone"})
    found = approvals.with_source(both, acts)
    assert found.collect()["source"].to_list() == ["simulated", "live", None]
    assert approvals.insight(found).collect()["simulated"].to_list() == [1]


def test_backlog() -> None:
    # Asked at 0, 0, 5, 7, 9 and 11 s; ended at 10, 20, 45, 107 s and after a day; one waits still.
    found = approvals.backlog(SIX, timedelta(seconds=5), until=START + timedelta(seconds=50)).collect()
    assert [(at - START).total_seconds() for at in found["at"]] == [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50]
    assert found["waiting"].to_list() == [2, 3, 4, 5, 4, 4, 4, 4, 4, 3, 3]


def test_backlog_before_the_first_is_empty() -> None:
    early = START - timedelta(seconds=10)
    found = approvals.backlog(SIX, timedelta(seconds=10), since=early, until=START).collect()
    assert found["waiting"].to_list() == [0, 2]


def test_backlog_of_nothing() -> None:
    assert approvals.backlog(table(), timedelta(hours=1)).collect().is_empty()
    found = approvals.backlog(table(), timedelta(hours=12), since=START, until=NOW).collect()
    assert found["waiting"].to_list() == [0, 0, 0]


def test_backlog_refuses_steps_that_lead_nowhere() -> None:
    with pytest.raises(ValueError, match="give steps above zero"):
        approvals.backlog(SIX, timedelta(0))


MOMENTS = st.tuples(st.integers(0, 30), st.none() | st.integers(0, 30))


@given(st.lists(MOMENTS, max_size=12))
def test_backlog_is_what_counting_each_moment_gives(rows: list[tuple[int, int | None]]) -> None:
    frame = table(*(asked("approved", at, took) for at, took in rows))
    steps = approvals.backlog(frame, timedelta(seconds=3), since=START, until=START + timedelta(seconds=60)).collect()
    for moment, waiting in zip(range(0, 61, 3), steps["waiting"], strict=True):
        assert waiting == sum(at <= moment and (took is None or moment < at + took) for at, took in rows)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=20))
def test_quantiles_lie_within_what_was_seen(seconds: list[int]) -> None:
    frame = table(*(asked("approved", 0, each) for each in seconds))
    row = approvals.insight(frame.sample(fraction=1.0, shuffle=True, seed=1)).collect().row(0, named=True)
    assert min(seconds) <= row["p50_seconds"] <= row["p95_seconds"] <= max(seconds)


@given(st.lists(MOMENTS, max_size=12), st.sampled_from([1, 3, 7, 60]))
def test_the_most_at_once_is_counted_and_not_sampled(rows: list[tuple[int, int | None]], every: int) -> None:
    """Whatever the steps, the greatest number is that of the moments themselves."""
    frame = table(*(asked("approved", at, took) for at, took in rows))
    end = START + timedelta(seconds=60)
    steps = approvals.backlog(frame, timedelta(seconds=every), since=START, until=end).collect()
    there = [sum(at <= moment and (took is None or moment < at + took) for at, took in rows) for moment in range(61)]
    assert max(steps["most"]) == max(there)
    for begin, most in zip(range(0, 61, every), steps["most"], strict=False):
        assert most == max(there[begin : begin + every])
