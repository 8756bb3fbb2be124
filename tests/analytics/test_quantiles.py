"""Intervals of quantiles, beside SciPy's binomial and by simulation."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from assent_analytics.quantiles import Quantile, quantile, ranks


@given(st.integers(0, 400), st.sampled_from([0.05, 0.5, 0.9, 0.95]), st.sampled_from([0.8, 0.95, 0.99]))
def test_ranks_are_what_the_binomial_says(n: int, share: float, confidence: float) -> None:
    tail = (1 - confidence) / 2
    # By definition, from SciPy's distribution function, rank by rank.
    lower = [r for r in range(1, n + 1) if binom.cdf(r - 1, n, share) <= tail]
    upper = [r for r in range(1, n + 1) if binom.cdf(r - 1, n, share) >= 1 - tail]
    assert ranks(n, share, confidence) == (max(lower, default=None), min(upper, default=None))


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_the_interval_covers_at_least_what_it_says(share: float) -> None:
    rng = np.random.default_rng(3)
    true = -np.log(1 - share)
    inside = 0
    for _ in range(2000):
        found = quantile(pl.Series(rng.exponential(size=150)), share)
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= true <= found.high
    # Ranks are whole, so it covers a little more than it says.
    assert 0.945 <= inside / 2000 <= 0.985


def test_the_value_is_numpys() -> None:
    values = np.random.default_rng(5).normal(size=37)
    for share in (0.05, 0.5, 0.95):
        assert quantile(pl.Series(values), share).value == pytest.approx(np.quantile(values, share), rel=1e-12)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], Quantile(None, None, None)),
        ([4.0], Quantile(4.0, None, None)),
        ([None, float("nan"), float("inf"), 4.0], Quantile(4.0, None, None)),
        ([2.0] * 50, Quantile(2.0, 2.0, 2.0)),
        ([1e300, -1e300, 0.0], Quantile(0.0, None, None)),
    ],
)
def test_degenerate(values: list[float | None], expected: Quantile) -> None:
    assert quantile(pl.Series(values, dtype=pl.Float64), 0.5) == expected


@pytest.mark.parametrize(("share", "confidence", "says"), [(0.0, 0.95, "share"), (1.0, 0.95, "share"), (0.5, 1.0, "c")])
def test_what_cannot_be_is_refused(share: float, confidence: float, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ranks(10, share, confidence)
