"""Spans are rounded and never cut."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.spans import measured, span

SECONDS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86400}


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "0 s"), (0.4, "0 s"), (0.9, "1 s"), (59.4, "59 s"), (59.9, "1 min"), (60, "1 min"), (91.8, "1.5 min"),
        (119, "2 min"), (195, "3.3 min"), (596, "9.9 min"), (598, "10 min"), (754, "13 min"), (3599, "1 h"),
        (7500, "2 h 5 min"), (7529, "2 h 5 min"), (7531, "2 h 6 min"), (86399, "1 d"), (86400 * 400, "400 d"),
        (86400 * 4 + 3600 * 3 + 1700, "4 d 3 h"), (86400 * 4 + 3600 * 3 + 1900, "4 d 4 h"),
    ],
)  # fmt: skip
def test_a_span_is_rounded_to_what_can_be_read(seconds: float, said: str) -> None:
    assert span(seconds) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.0042, "4.2 ms"),
        (0.09994, "99.9 ms"),
        (0.09996, "0.10 s"),
        (0.42, "0.42 s"),
        (9.5, "9.50 s"),
        (9.999, "10 s"),
        (75, "1.3 min"),
        (91.8, "1.5 min"),
    ],
)
def test_a_measured_time_keeps_decimals_below_ten_seconds(seconds: float, said: str) -> None:
    assert measured(seconds) == said


@given(st.floats(0, 1e8))
def test_what_is_said_is_as_near_as_its_smallest_unit_allows(seconds: float) -> None:
    parts = re.findall(r"([\d.]+) (ms|s|min|h|d)", measured(seconds))
    told = sum(float(number) * SECONDS[unit] for number, unit in parts)
    # Half of the last unit that can be told at this size: a decimal of a minute, a minute, or an hour.
    for below, half in ((0.1, 0.00005), (9.995, 0.005), (60, 0.5), (600, 3), (86400, 30), (1e9, 1800)):
        if seconds < below:
            assert abs(told - seconds) <= half * 1.0001
            return
