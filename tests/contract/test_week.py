"""Weeks, and what is none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.analysis.week import week_of

NOW = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)
"""A Saturday."""


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_without_one_the_last_seven_whole_days() -> None:
    week = week_of(None, NOW)
    assert (week.text, week.since, week.until, week.complete) == (None, at("2026-11-14"), at("2026-11-21"), True)
    assert week.before == (at("2026-11-07"), at("2026-11-14"))


def test_days_are_utc_wherever_the_clock_stands() -> None:
    there = NOW.astimezone(timezone(timedelta(hours=13)))
    assert there.date() != NOW.date()
    assert week_of(None, there) == week_of(None, NOW)


def test_an_iso_week_runs_from_monday_to_sunday() -> None:
    week = week_of("2026-W46", NOW)
    assert (week.since, week.until, week.complete) == (at("2026-11-09"), at("2026-11-16"), True)
    # The first week of a year may begin in the year before.
    assert week_of("2026-W01", NOW).since == at("2025-12-29")


def test_a_week_under_way_is_cut_and_so_is_the_one_before() -> None:
    week = week_of("2026-W47", NOW)
    assert (week.since, week.until, week.complete) == (at("2026-11-16"), NOW, False)
    assert week.before == (at("2026-11-09"), NOW - timedelta(days=7))


@given(st.integers(0, 10 * 365 * 86_400))
def test_the_week_of_a_moment_holds_it(seconds: int) -> None:
    now = at("2020-01-01") + timedelta(seconds=seconds)
    year, number, _ = now.isocalendar()
    week = week_of(f"{year}-W{number:02}", now + timedelta(microseconds=1))
    assert week.since <= now < week.until


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "2026", "2026-47", "2026W47", "2026-W7", "2026-W00", "2026-W54", "2025-W53", "0000-W01", "0001-W01"),
        *("2026-W47\n", " 2026-W47", "2026-w47", "-2026-W47", "٢٠٢٦-W47", "2026-W47-1", "9999-W53"),
    ],
)
def test_what_is_no_week_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="give an ISO week of a year that has it, such as 2026-W47"):
        week_of(text, NOW)


@pytest.mark.parametrize("text", ["2026-W48", "2027-W01", "9998-W01"])
def test_a_week_that_has_not_begun_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="has not begun"):
        week_of(text, NOW)
