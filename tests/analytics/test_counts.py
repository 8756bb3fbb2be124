"""Intervals of counts, beside SciPy and by simulation."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assent_analytics.counts import garwood, ratio
from tests.tiers import deep


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 30, 400, 12_345, 1_000_000])
def test_garwood_is_what_scipy_says(n: int, confidence: float) -> None:
    tail = (1 - confidence) / 2
    low = stats.chi2.ppf(tail, 2 * n) / 2 if n else 0.0
    high = stats.chi2.ppf(1 - tail, 2 * n + 2) / 2
    assert garwood(n, confidence) == pytest.approx((low, high), rel=1e-9)


@deep("every count to a thousand")
def test_garwood_covers_at_least_what_it_says() -> None:
    """Exact: of all means between two counts, the coverage is never below 95%."""
    for mean in (0.3, 1.0, 2.7, 8.0, 25.0):
        covered = sum(stats.poisson.pmf(n, mean) for n in range(200) if garwood(n)[0] <= mean <= garwood(n)[1])
        assert covered >= 0.95


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_ratio_lies_in_its_interval_and_turns_round(n: int, before: int) -> None:
    value, low, high = ratio(n, before)
    if n + before == 0:
        assert (value, low, high) == (None, None, None)
        return
    assert low is not None
    assert low >= 0
    if before == 0:
        assert (value, high) == (None, None)
        return
    assert value is not None
    assert high is not None
    assert low <= value <= high
    other, other_low, other_high = ratio(before, n)
    if n:
        assert other == pytest.approx(1 / value)
        assert other_low == pytest.approx(1 / high)
        assert other_high == pytest.approx(1 / low)


@pytest.mark.parametrize("before", range(1, 400, 3))
def test_nothing_after_something_is_nothing_at_least(before: int) -> None:
    value, low, high = ratio(0, before)
    assert (value, low) == (0.0, 0.0)
    assert high is not None
    assert 0 < high < 1 or before < 4


def test_a_ratio_by_hand() -> None:
    # Wilson of 3 of 9: centre (3 + z2/2) / (9 + z2), half z / (9 + z2) * sqrt(3 * 6 / 9 + z2 / 4).
    z = stats.norm.ppf(0.975)
    centre, half = (3 + z * z / 2) / (9 + z * z), z / (9 + z * z) * sqrt(2 + z * z / 4)
    low, high = centre - half, centre + half
    assert ratio(3, 6) == pytest.approx((0.5, low / (1 - low), high / (1 - high)), rel=1e-9)


def test_a_ratio_covers_what_it_says() -> None:
    rng = np.random.default_rng(11)
    for pace, factor in ((20.0, 1.0), (60.0, 0.5), (200.0, 1.3)):
        pairs = zip(rng.poisson(pace * factor, 2000), rng.poisson(pace, 2000), strict=True)
        found = [ratio(int(n), int(before)) for n, before in pairs]
        inside = [low is not None and low <= factor and (high is None or factor <= high) for _, low, high in found]
        assert 0.93 <= sum(inside) / len(inside) <= 0.97


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: garwood(-1), "n is -1"),
        (lambda: garwood(1, 1.0), "confidence is 1.0"),
        (lambda: garwood(1, 0.0), "confidence is 0.0"),
        (lambda: ratio(-1, 2), "the counts are -1 and 2"),
        (lambda: ratio(1, -2), "the counts are 1 and -2"),
        (lambda: ratio(1, 2, 2.0), "confidence is 2.0"),
    ],
)
def test_what_cannot_be_is_refused(call: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()  # type: ignore[operator]
