"""Bootstrap intervals against SciPy's, with the same draws, and against laws that are known."""

from __future__ import annotations

import warnings
from math import inf, nan
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from assent_analytics.bootstrap import RESAMPLES, Interval, band, interval, quantile_intervals, totals

# Of numbers that are 130 digits apart, neither their sums nor the cubes of the acceleration know the small ones.
values = st.lists(st.floats(-1e6, 1e6).map(lambda value: round(value, 6)), min_size=3, max_size=40)


@given(values, st.sampled_from(["percentile", "bca"]), st.sampled_from([np.mean, np.median, np.std]))
def test_it_is_scipys(rows: list[float], method: Any, statistic: Any) -> None:
    found = interval(rows, statistic, seed=3, resamples=300, method=method)
    there = scipys(rows, statistic, "percentile" if method == "percentile" else "BCa")
    if np.isnan(there).any():
        # SciPy has no BCa interval where no row changes the statistic, or all replicates are on one side of it.
        there = scipys(rows, statistic, "percentile")
    assert (found.low, found.high) == pytest.approx(there, rel=1e-9, abs=1e-6)


def scipys(rows: list[float], statistic: Any, method: str) -> tuple[float, float]:
    random = np.random.default_rng(3)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = scipy_stats.bootstrap((rows,), statistic, n_resamples=300, method=method, rng=random, vectorized=True)
    low, high = found.confidence_interval
    return float(low), float(high)


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.9])
def test_quantiles_have_the_law_of_drawn_samples(share: float) -> None:
    rows = np.random.default_rng(1).gamma(2, 3, 60)
    (found,) = quantile_intervals(rows, [share], seed=2, resamples=40_000)
    random = np.random.default_rng(3)
    drawn = np.quantile(rows[random.integers(0, 60, (40_000, 60))], share, axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert found.estimate == pytest.approx(np.quantile(rows, share), rel=1e-12)
    assert (found.low, found.high) == pytest.approx((low, high), rel=0.05)


def test_the_least_and_the_greatest_are_quantiles_too() -> None:
    first, last = quantile_intervals([1.0, 2.0, 3.0, 4.0], [0, 1], seed=1)
    assert (first.estimate, first.low, last.estimate, last.high) == (1, 1, 4, 4)


def test_totals_have_the_law_of_drawn_rows() -> None:
    counts, each = [50, 30, 20], [[0.0, 1.0], [1.0, 2.0], [5.0, -1.0]]
    found = totals(counts, each, seed=4, resamples=20_000)
    rows = np.repeat(np.array(each), counts, axis=0)
    n = len(rows)
    assert found.mean(axis=0) == pytest.approx(rows.sum(axis=0), rel=0.01)
    assert found.std(axis=0) == pytest.approx(rows.std(axis=0) * n**0.5, rel=0.03)
    low, high = band(found)
    assert low == pytest.approx(np.quantile(found, 0.025, axis=0))
    assert (low < high).all()
    assert totals([0, 0], [1, 2], resamples=5).tolist() == [[0.0]] * 5
    assert totals([3], [2], resamples=5).tolist() == [[6.0]] * 5


def test_the_same_seed_gives_the_same_interval_and_another_another() -> None:
    rows = np.random.default_rng(1).normal(size=50)
    assert interval(rows, seed=1) == interval(rows, seed=1) != interval(rows, seed=2)
    assert quantile_intervals(rows, [0.5], seed=1) == quantile_intervals(rows, [0.5], seed=1)


def test_an_interval_is_bca_from_the_first_seed_unless_told_otherwise() -> None:
    rows = np.random.default_rng(1).exponential(size=40)
    assert interval(rows) == interval(rows, seed=0, method="bca") != interval(rows, seed=0, method="percentile")
    at = [0.1, 0.3, 0.7]
    first, second = (quantile_intervals(rows, at, seed=seed, resamples=50) for seed in (0, 1))
    assert quantile_intervals(rows, at, resamples=50) == first != second
    assert (totals([3, 4], [1, 2]) == totals([3, 4], [1, 2], seed=0, resamples=RESAMPLES)).all()


def test_degenerate_values() -> None:
    assert interval([]) == Interval(0, None, None, None, "insufficient_data")
    assert interval([7.0]) == Interval(1, 7.0, None, None, "insufficient_data")
    assert interval([5.0] * 10) == Interval(10, 5.0, 5.0, 5.0, "ok")
    assert interval([nan, inf, -inf, 1.0, 2.0]).n == 2
    assert interval(pl.Series([1, None, 3])).n == 2
    huge = interval([1e300, 2e300, 3e300])
    assert huge.low is not None
    assert huge.high is not None
    assert 1e300 <= huge.low <= huge.high <= 3e300
    assert quantile_intervals([nan], [0.5]) == [Interval(0, None, None, None, "insufficient_data")]
    assert quantile_intervals([3, 3, 3], [0.5]) == [Interval(3, 3.0, 3.0, 3.0, "ok")]


@pytest.mark.parametrize("given", [{"confidence": 0}, {"confidence": 1}, {"resamples": 1}])
def test_numbers_that_cannot_be(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"is [01]; give"):
        interval([1, 2, 3], **given)
    with pytest.raises(ValueError, match=r"is [01]; give"):
        quantile_intervals([1, 2, 3], [0.5], **given)


def test_shapes_and_shares_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="shares between 0 and 1"):
        quantile_intervals([1, 2], [1.5])
    with pytest.raises(ValueError, match="k counts and k rows"):
        totals([1, 2], [1.0])
    with pytest.raises(ValueError, match="0 or more"):
        totals([-1], [1.0])
    with pytest.raises(ValueError, match="finite"):
        totals([1], [nan])
