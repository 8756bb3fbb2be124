"""Cells are fixed beforehand, in the order of their values, and bounded in number."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.detector import Grid, cell


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("grid", list(Grid))
def test_what_is_not_finite_has_no_cell(value: float, grid: Grid) -> None:
    assert cell(value, grid) is None


def test_numbers_and_shares_go_to_whole_numbers() -> None:
    assert [cell(value, Grid.NUMBER) for value in (0, 49.4, 49.6, 100.0)] == [0, 49, 50, 100]
    assert [cell(value, Grid.SHARE) for value in (0.0, 1.0, 0.5, 2.0, -1.0)] == [0, 1, None, None, None]


def test_cells_of_the_logarithmic_grid_are_two_per_cent_wide() -> None:
    places = [cell(1000 * 1.02**step, Grid.LOGARITHM) for step in range(5)]
    first = places[0]
    assert first is not None
    assert places == [first + step for step in range(5)]


def test_zero_has_a_cell_of_its_own_and_negative_ones_none() -> None:
    zero, least = cell(0.0, Grid.LOGARITHM), cell(5e-324, Grid.LOGARITHM)
    assert zero is not None
    assert least is not None
    assert zero < least
    assert cell(-1.0, Grid.LOGARITHM) is None


def test_every_duration_fits_into_1750_cells() -> None:
    low, high = cell(1.0, Grid.LOGARITHM), cell(1e15, Grid.LOGARITHM)
    assert low is not None
    assert high is not None
    assert 1700 < high - low < 1750


@given(st.floats(0, allow_nan=False, allow_infinity=False), st.floats(0, allow_nan=False, allow_infinity=False))
def test_cells_keep_the_order_of_values(one: float, other: float) -> None:
    for grid in (Grid.NUMBER, Grid.LOGARITHM):
        low, high = (cell(value, grid) for value in sorted((one, other)))
        assert low is not None
        assert high is not None
        assert low <= high
