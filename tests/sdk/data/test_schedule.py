"""Times of history: inside the window, in order, and the same every time."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.data.records import Window, WindowError, parse_length, parse_window, times_of

END = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


def test_episodes_share_the_window_evenly_and_calls_follow_by_six_seconds() -> None:
    window = Window(END - timedelta(days=30), END)
    assert times_of(window, 3, 0, 2, 0) == (END - timedelta(days=30), END - timedelta(days=30) + timedelta(seconds=2))
    assert times_of(window, 3, 2, 2, 1)[0] == END - timedelta(days=10) + timedelta(seconds=6)


@given(
    st.timedeltas(timedelta(minutes=1), timedelta(days=3650)),
    st.integers(1, 5000),
    st.integers(1, 300),
    st.data(),
)
def test_everything_lies_in_the_window_in_order(
    length: timedelta, episodes: int, calls: int, data: st.DataObject
) -> None:
    window = Window(END - length, END)
    episode = data.draw(st.integers(0, episodes - 1))
    times = [moment for call in range(calls) for moment in times_of(window, episodes, episode, calls, call)]
    assert times == sorted(times)
    assert window.start <= times[0]
    following = times_of(window, episodes, episode + 1, calls, 0)[0]
    assert times[-1] <= following


@given(st.timedeltas(timedelta(minutes=1), timedelta(days=3650)))
def test_a_window_survives_being_written_down(length: timedelta) -> None:
    window = Window(END - length, END)
    assert parse_window(str(window)) == window


@pytest.mark.parametrize(
    ("text", "length"),
    [("90m", timedelta(minutes=90)), ("12h", timedelta(hours=12)), ("30d", timedelta(days=30)), ("4w", timedelta(28))],
)
def test_lengths(text: str, length: timedelta) -> None:
    assert parse_length(text) == length


@pytest.mark.parametrize("text", ["", "30", "d", "0d", "-1d", "1.5d", "30 d", "1y", "99999999d", "4000d", "3d "])
def test_what_is_no_length_is_refused_with_what_to_give(text: str) -> None:
    with pytest.raises(WindowError, match="the window"):
        parse_length(text)
