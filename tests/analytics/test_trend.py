"""Slopes against SciPy's, and by hand where SciPy has none."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from assent_analytics.velocity import Slope, least_squares, theil_sen

points = st.lists(
    st.tuples(st.integers(0, 12), st.one_of(st.integers(0, 3), st.floats(-100, 100))), min_size=5, max_size=30
).filter(lambda rows: len({x for x, _ in rows}) > 1 and len({y for _, y in rows}) > 1)


@given(points)
def test_they_are_scipys(rows: list[tuple[int, float]]) -> None:
    x, y = [float(each) for each, _ in rows], [float(each) for _, each in rows]
    with np.errstate(invalid="ignore"):
        expected = scipy_stats.theilslopes(y, x)
    found = [nan if each is None else each for each in theil_sen(x, y)]
    there = [expected.slope, expected.low_slope, expected.high_slope]
    assert found == pytest.approx(there, rel=1e-9, abs=1e-9, nan_ok=True)
    line = scipy_stats.linregress(x, y)
    half = scipy_stats.t.ppf(0.975, len(x) - 2) * line.stderr
    assert least_squares(x, y) == pytest.approx((line.slope, line.slope - half, line.slope + half), rel=1e-7, abs=1e-7)


def test_by_hand() -> None:
    # Slopes of (0,0) (1,1) (2,5): 1, 4, 2.5, whose median is 2.5; least squares: (0 * -1 + 5 * 1) / 2.
    assert theil_sen([0, 1, 2], [0, 1, 5]) == Slope(2.5, None, None)
    assert least_squares([0, 1, 2], [0, 1, 5]).slope == 2.5


def test_one_wild_point_moves_one_and_not_the_other() -> None:
    x, y = np.arange(11.0), np.arange(11.0)
    wild = y.copy()
    wild[9] = 1e6
    assert theil_sen(x, wild).slope == pytest.approx(1.0, rel=1e-9)
    assert (least_squares(x, wild).slope or 0) > 1e4


@pytest.mark.parametrize("slope", [theil_sen, least_squares])
def test_degenerate_points(slope: object) -> None:
    assert callable(slope)
    assert slope([], []) == Slope(None, None, None)
    assert slope([1], [2]) == Slope(None, None, None)
    assert slope([3, 3, 3], [1, 2, 3]) == Slope(None, None, None)
    assert slope([0, 1], [1, 3]) == Slope(2.0, None, None)
    assert slope(list(range(8)), [5] * 8) == Slope(0.0, None, None)
    assert slope([0, 1, 2, 3, 4], [0, 1e300, 2e300, 3e300, 4e300]).slope == pytest.approx(1e300)
    with pytest.raises(ValueError, match="as many of one as of the other"):
        slope([1, 2], [1])


def test_four_points_are_too_few_for_sens_interval() -> None:
    assert theil_sen([0, 1, 2, 3], [0, 2, 1, 3]).low is None
    assert theil_sen([0, 1, 2, 3, 4], [0, 2, 1, 3, 4]).low is not None
