"""Effects by hand and against SciPy's parts; that their intervals hold the truth is in `test_honesty`."""

from __future__ import annotations

from math import inf, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assent_analytics.drift.numbers import cliffs_delta, hedges_g

SIZES = st.integers(2, 10**7)


@given(st.floats(-0.999, 0.999), st.floats(0, 0.2), SIZES, SIZES)
def test_an_interval_of_delta_holds_it_within_its_bounds(delta: float, variance: float, m: int, n: int) -> None:
    value, low, high = cliffs_delta(delta, variance, m, n)
    assert -1 <= low <= value <= high <= 1
    assert value == delta
    mirrored = cliffs_delta(-delta, variance, m, n)
    assert (-mirrored.high, -mirrored.low) == pytest.approx((low, high), rel=1e-9, abs=1e-12)


def test_delta_by_hand() -> None:
    # Feng and Cliff's formula, written out, for delta 0.4 and s 0.1 of 60 and 40 values.
    t = float(stats.t.ppf(0.975, 98))
    square = (t * 0.1) ** 2
    half = t * 0.1 * sqrt((1 - 0.16) ** 2 + square)
    expected = ((0.4 - 0.064 - half) / (1 - 0.16 + square), (0.4 - 0.064 + half) / (1 - 0.16 + square))
    assert cliffs_delta(0.4, 0.01, 60, 40)[1:] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("delta", [1.0, -1.0])
def test_apart_altogether(delta: float) -> None:
    t = float(stats.t.ppf(0.975, 28))
    inner = (10 - t * t) / (10 + t * t)
    expected = (inner, 1.0) if delta > 0 else (-1.0, -inner)
    assert cliffs_delta(delta, 0.0, 20, 10)[1:] == pytest.approx(expected, rel=1e-9)


def test_hedges_g_by_hand() -> None:
    # Means 10 and 13, sds 3 and 4 of 20 and 10: pooled sd sqrt((19 * 9 + 9 * 16) / 28), J = 1 - 3 / 111.
    g = 3 / sqrt((19 * 9 + 9 * 16) / 28) * (1 - 3 / 111)
    half = 1.959963984540054 * sqrt(30 / 200 + g * g / 60)
    found = hedges_g((10, 13), (3, 4), 20, 10)
    assert found == pytest.approx((g, g - half, g + half), rel=1e-9)


def test_hedges_g_does_not_mind_units() -> None:
    small, large = hedges_g((10, 13), (3, 4), 20, 10), hedges_g((1e301, 1.3e301), (3e300, 4e300), 20, 10)
    assert small == pytest.approx(large, rel=1e-9)


@pytest.mark.parametrize(
    ("deviations", "m", "n"), [((0.0, 0.0), 20, 10), ((1.0, 1.0), 1, 10), ((1.0, 1.0), 10, 1), ((inf, 1.0), 20, 10)]
)
def test_where_g_says_nothing(deviations: tuple[float, float], m: int, n: int) -> None:
    assert hedges_g((0.0, 1.0), deviations, m, n) is None
