"""Who is on shift at a moment, worked out by hand: nights, weekends, and days on which clocks are set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.people.rota import DAYS, OperatorGroup, SetRota, Shift, Weekday, hours, on_shift
from assent.contract.prepared import prepared

WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday")


def shift(days: tuple[str, ...], start: str, end: str) -> Shift:
    return Shift(days=tuple(map(Weekday, days)), start=start, end=end)


def group(*shifts: Shift, zone: str = "Europe/Berlin") -> OperatorGroup:
    return OperatorGroup(name="g", members=("ana",), time_zone=zone, shifts=shifts)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


OFFICE = group(shift(WEEK, "09:00", "17:00"))
NIGHT = group(shift(("friday",), "22:00", "06:00"))
TURNS = group(shift(("saturday",), "22:00", "02:30"), shift(("sunday",), "02:30", "10:00"))
WHOLE = group(shift(("monday",), "00:00", "00:00"))


@pytest.mark.parametrize(
    ("whose", "now", "until", "next_at"),
    [
        # 2 March 2026 is a Monday, in winter: 09:00 in Berlin is 08:00 UTC; on 1 June it is 07:00.
        (OFFICE, "2026-03-02T07:59:59", None, "2026-03-02T08:00"),
        (OFFICE, "2026-03-02T08:00:00", "2026-03-02T16:00", None),
        (OFFICE, "2026-03-02T15:59:59", "2026-03-02T16:00", None),
        (OFFICE, "2026-03-02T16:00:00", None, "2026-03-03T08:00"),
        (OFFICE, "2026-06-01T06:59:00", None, "2026-06-01T07:00"),
        (OFFICE, "2026-06-05T15:00:00", None, "2026-06-08T07:00"),  # a Friday evening: until Monday
        # A night begins on Friday and ends on Saturday.
        (NIGHT, "2026-03-06T20:59:00", None, "2026-03-06T21:00"),
        (NIGHT, "2026-03-07T04:59:00", "2026-03-07T05:00", None),
        (NIGHT, "2026-03-07T05:00:00", None, "2026-03-13T21:00"),
        # The night on which the clock goes from 02:00 to 03:00, 29 March: 02:30 is what was 01:30 UTC, and no gap.
        (TURNS, "2026-03-28T20:59:00", None, "2026-03-28T21:00"),
        (TURNS, "2026-03-28T21:00:00", "2026-03-29T08:00", None),
        (TURNS, "2026-03-29T01:30:00", "2026-03-29T08:00", None),
        (TURNS, "2026-03-29T08:00:00", None, "2026-04-04T20:00"),
        # The night on which it goes from 03:00 back to 02:00, 25 October: the first 02:30 is 00:30 UTC.
        (TURNS, "2026-10-24T20:00:00", "2026-10-25T09:00", None),
        (TURNS, "2026-10-25T00:30:00", "2026-10-25T09:00", None),
        (TURNS, "2026-10-25T09:00:00", None, "2026-10-31T21:00"),
        # From midnight to midnight, by the group's clock.
        (WHOLE, "2026-03-01T22:59:00", None, "2026-03-01T23:00"),
        (WHOLE, "2026-03-02T22:59:00", "2026-03-02T23:00", None),
        # Never, and always.
        (group(), "2026-03-02T12:00:00", None, None),
    ],
)
def test_a_shift_by_hand(whose: OperatorGroup, now: str, until: str | None, next_at: str | None) -> None:
    (state,) = on_shift([whose], at(now))
    assert state.on is (until is not None)
    assert (state.until, state.next_at) == (until and at(until), next_at and at(next_at))


def test_the_night_of_the_set_clock_has_two_shifts_that_touch() -> None:
    """Alone, the second one begins at the moment in which the first one ends, on both nights."""
    first, second = (group(each) for each in TURNS.shifts)
    for now, touch in (("2026-03-28T12:00:00", "2026-03-29T01:30"), ("2026-10-24T12:00:00", "2026-10-25T00:30")):
        ends = [end for _, end in hours(first, at(now))]
        begins = [start for start, _ in hours(second, at(now))]
        assert at(touch) in ends
        assert at(touch) in begins


def test_a_group_that_is_always_on_shift_has_no_end() -> None:
    for zone in ("Europe/Berlin", "America/New_York", "UTC"):
        always = group(shift(tuple(DAYS), "07:00", "07:00"), zone=zone)
        for month in range(1, 13):
            (state,) = on_shift([always], datetime(2026, month, 8, 12, tzinfo=UTC))
            assert (state.on, state.until, state.next_at) == (True, None, None)
    almost = group(shift(tuple(DAYS), "07:00", "06:59"))
    (state,) = on_shift([almost], at("2026-03-02T12:00:00"))
    assert state.until == at("2026-03-03T05:59")


@given(
    st.lists(
        st.builds(
            shift,
            st.sets(st.sampled_from([str(day) for day in DAYS]), min_size=1).map(lambda days: tuple(sorted(days))),
            st.integers(0, 47).map(lambda half: f"{half // 2:02}:{half % 2 * 30:02}"),
            st.integers(0, 47).map(lambda half: f"{half // 2:02}:{half % 2 * 30:02}"),
        ),
        max_size=4,
    ),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]),
    st.integers(0, 366 * 48),
)
def test_it_is_what_the_clock_on_the_wall_says(shifts: list[Shift], zone: str, half_hours: int) -> None:
    """Away from the days on which the clock is set, where the wall's clock says it plainly."""
    now = datetime(2026, 1, 1, 0, 7, tzinfo=UTC) + timedelta(minutes=30 * half_hours)
    wall = now.astimezone(ZoneInfo(zone))
    near = [(now + timedelta(days=by)).astimezone(ZoneInfo(zone)).utcoffset() for by in (-2, 2)]
    if near[0] != near[1]:
        return
    today, before, clock = DAYS[wall.weekday()], DAYS[wall.weekday() - 1], f"{wall:%H:%M}"
    expected = any(
        (today in each.days and each.start <= clock and (clock < each.end or each.end <= each.start))
        or (before in each.days and each.end <= each.start and clock < each.end)
        for each in shifts
    )
    (state,) = on_shift([group(*shifts, zone=zone)], now)
    assert state.on is expected


@pytest.mark.parametrize(
    "wrong",
    [
        {"days": [], "start": "09:00", "end": "17:00"},
        {"days": ["someday"], "start": "09:00", "end": "17:00"},
        {"days": ["monday"], "start": "24:00", "end": "17:00"},
        {"days": ["monday"], "start": "9:00", "end": "17:00"},
        {"days": ["monday"], "start": "09:00", "end": "17:60"},
        {"days": ["monday"], "start": "09:00"},
    ],
)
def test_what_is_no_shift(wrong: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"groups": [{"name": "g", "members": ["a"], "shifts": [wrong]}]}, prepared(SetRota))
