"""Empirical distribution functions, against SciPy's and against what must hold for any values."""

from __future__ import annotations

from math import inf, log, nan, sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assent_analytics.ecdf import BASELINE, RECENT, ecdf

numbers = st.floats(-1e300, 1e300, allow_nan=False)
samples = st.lists(numbers | st.sampled_from([0.0, 1.0, 2.0]), max_size=60)


def frame(values: list[float | None]) -> pl.DataFrame:
    return pl.DataFrame({"x": values}, schema={"x": pl.Float64})


def window(steps: pl.DataFrame, name: str) -> pl.DataFrame:
    return steps.filter(pl.col("window") == name)


def at(steps: pl.DataFrame, x: float) -> float:
    """The drawn function at x."""
    share = steps.filter(pl.col("value") <= x)["share"]
    return float(share[-1]) if share.len() else 0.0


def test_two_windows_by_hand() -> None:
    steps = ecdf(frame([1.0, 2.0, 2.0, 4.0]), frame([3.0]), "x")
    assert window(steps, BASELINE).select("value", "share").rows() == [(1.0, 0.25), (2.0, 0.75), (4.0, 1.0)]
    assert window(steps, RECENT).select("value", "share").rows() == [(1.0, 0.0), (3.0, 1.0), (4.0, 1.0)]
    half = sqrt(log(40) / 8)
    low, high = steps.row(1, named=True)["low"], steps.row(1, named=True)["high"]
    assert (low, high) == pytest.approx((0.75 - half, 1.0))
    assert steps["n"].to_list() == [4, 4, 4, 1, 1, 1]


@given(samples, samples)
def test_it_is_scipys_everywhere(first: list[float], second: list[float]) -> None:
    steps = ecdf(frame(list(first)), frame(list(second)), "x")
    for name, values in ((BASELINE, first), (RECENT, second)):
        mine = window(steps, name)
        assert mine.is_empty() == (not values)
        if values:
            theirs = stats.ecdf(values).cdf
            assert all(at(mine, x) == pytest.approx(theirs.evaluate(x), abs=1e-12) for x in (*first, *second))


@pytest.mark.parametrize("points", [2, 7, 50])
def test_of_many_values_it_is_off_by_one_step_at_most(points: int) -> None:
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.normal(size=900), np.full(300, 0.25), rng.normal(3, 0.1, 900)])
    mine = window(ecdf(frame(values.tolist()), frame([]), "x", points=points), BASELINE)
    assert mine.height <= points + 2
    theirs = stats.ecdf(values).cdf
    away = [abs(at(mine, x) - theirs.evaluate(x)) for x in np.linspace(-4, 4, 997)]
    assert max(away) <= 1 / points
    assert mine["share"].is_sorted()
    assert mine["share"][-1] == 1.0


def test_the_band_holds_the_whole_truth_19_times_in_20() -> None:
    rng = np.random.default_rng(11)
    inside = 0
    for _ in range(400):
        mine = window(ecdf(frame(rng.uniform(size=80).tolist()), frame([]), "x"), BASELINE)
        value, low, high = (mine[name].to_numpy() for name in ("value", "low", "high"))
        # Just before a jump the band is the one of the step before.
        before_low = np.concatenate([[0.0], low[:-1]])
        inside += bool(np.all(low <= value + 1e-12) and np.all(value <= high) and np.all(before_low <= value))
    # The bound is for any n: more than 95% are held at 80 values, and not all.
    assert 0.93 * 400 <= inside <= 399


@pytest.mark.parametrize("strange", [None, nan, inf, -inf])
def test_what_is_no_number_does_not_count(strange: float | None) -> None:
    steps = ecdf(frame([strange, 1.0]), frame([strange]), "x")
    assert steps["n"].to_list() == [1]
    assert ecdf(frame([strange]), frame([]), "x").is_empty()


def test_simulated_values_are_counted() -> None:
    made = frame([1.0, 2.0]).with_columns(source=pl.lit("simulated"))
    steps = ecdf(made, frame([1.5]).with_columns(source=pl.lit("live")), "x")
    assert window(steps, BASELINE)["simulated"].unique().to_list() == [2]
    assert window(steps, RECENT)["simulated"].unique().to_list() == [0]


def test_wrong_questions_are_named() -> None:
    with pytest.raises(ValueError, match="recent values lack x; they have y"):
        ecdf(frame([1.0]), pl.DataFrame({"y": [1.0]}), "x")
    with pytest.raises(ValueError, match="points is 1; give 2 or more"):
        ecdf(frame([1.0]), frame([1.0]), "x", points=1)
