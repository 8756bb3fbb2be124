"""The Kolmogorov-Smirnov p-value against SciPy, published tables and paths counted by hand."""

from __future__ import annotations

import warnings
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats._stats_py import _attempt_exact_2kssamp  # behind ks_2samp, takes the distance itself

from assent_analytics.drift.kolmogorov_smirnov import EXACT_BELOW, exact, limit, p_value
from tests.analytics.drift.samples import FINITE, TIED, numbers, samples


@given(samples(FINITE) | samples(TIED), samples(FINITE) | samples(TIED))
def test_statistic_and_exact_p_are_scipys(baseline: list[float], recent: list[float]) -> None:
    found = numbers(baseline, recent).distances
    assert found is not None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        theirs = stats.ks_2samp(baseline, recent, method="exact")
    assert found.ks == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-15)
    p = p_value(found.ks, len(baseline), len(recent))
    # SciPy gives up where rounding takes its probability above 1.
    assert p == pytest.approx(1.0 if caught else theirs.pvalue, rel=1e-9)


@given(st.integers(2, 120), st.integers(2, 80), st.floats(0.001, 1))
def test_exact_p_of_any_distance_is_scipys(n: int, m: int, share: float) -> None:
    # Distances that can be: multiples of 1 / (n m).
    distance = max(1, round(share * n * m)) / (n * m)
    i, j = np.meshgrid(np.arange(n + 1), np.arange(m + 1))
    possible = np.unique(np.abs(i * m - j * n)) / (n * m)
    distance = float(possible[np.abs(possible - distance).argmin()]) or float(possible[1])
    worked, _, theirs = _attempt_exact_2kssamp(n, m, int(np.gcd(n, m)), distance, "two-sided")
    # It gives up where rounding takes its probability above 1.
    assert exact(distance, n, m) == pytest.approx(theirs if worked else 1.0, rel=1e-9)


def test_paths_by_hand() -> None:
    # Of the 6 orders of two and two values, in 2 (aabb, bbaa) the distance is 1, in 2 (abab, baba) it is 1/2, and in
    # abba and baab it is 1/2 too.
    assert exact(1.0, 2, 2) == pytest.approx(2 / 6)
    assert exact(0.5, 2, 2) == 1.0
    assert exact(1.0, 8, 3) == pytest.approx(2 / 165)


@pytest.mark.parametrize("n", [100, 120, 500, 2000])
@pytest.mark.parametrize("z", [0.2, 0.5, 0.9, 1.2, 1.36, 1.5, 2, 3])
def test_samples_of_one_size_are_exact_however_large(n: int, z: float) -> None:
    distance = round(z * sqrt(2 / n) * n) / n
    worked, _, theirs = _attempt_exact_2kssamp(n, n, n, distance, "two-sided")
    assert worked
    assert p_value(distance, n, n) == pytest.approx(theirs, rel=1e-9)


def test_millions_of_one_size_are_near_the_limit() -> None:
    for n in (10**6, 10**7):
        for z in (0.0001, 0.5, 1.36, 2.0):
            distance = max(1, round(z * sqrt(2 / n) * n)) / n
            assert p_value(distance, n, n) == pytest.approx(limit(distance * sqrt(n / 2)), rel=1e-5)


@given(st.floats(0.05, 6))
def test_the_limit_is_kolmogorovs(z: float) -> None:
    assert limit(z) == pytest.approx(float(stats.kstwobign.sf(z)), rel=1e-9)


def test_the_limits_published_quantiles() -> None:
    # Smirnov, Annals of Mathematical Statistics 19 (1948), 279-281.
    assert limit(1.3581) == pytest.approx(0.05, abs=1e-4)
    assert limit(1.6276) == pytest.approx(0.01, abs=1e-4)


@pytest.mark.parametrize(("n", "m"), [(150, 100), (2000, 60), (5000, 10), (1000, 1000), (100_000, 50_000)])
@pytest.mark.parametrize("z", [0.4, 0.8, 1.2, 1.6, 2.2])
def test_the_corrected_limit_is_close_to_scipys_asymptotic(n: int, m: int, z: float) -> None:
    assert n * m >= EXACT_BELOW
    distance = z / sqrt(n * m / (n + m))
    if distance >= 1:
        pytest.skip("no such distance")
    ours = p_value(distance, n, m)
    # SciPy rounds the effective size to a whole number and takes the exact one-sample law of that.
    theirs = float(stats.kstwo.sf(distance, round(n * m / (n + m))))
    assert ours == pytest.approx(theirs, rel=0.02, abs=0.002)


@pytest.mark.parametrize("n", [100, 101, 250])
def test_around_the_change_of_method_both_are_close(n: int) -> None:
    for reach in (0.1, 0.15, 0.2, 0.25):
        distance = round(reach * n) / n
        assert p_value(distance, n, n) == pytest.approx(exact(distance, n, n), rel=0.15, abs=0.02)


@given(st.integers(1, 10**7), st.integers(1, 10**7), st.floats(0, 1))
def test_p_is_a_probability_and_falls_with_distance(n: int, m: int, distance: float) -> None:
    p = p_value(distance, n, m)
    assert 0 <= p <= 1
    if n * m >= EXACT_BELOW:
        # Rule 3 has seven digits for ten million values of each.
        assert p_value(min(1.0, distance * 1.1 + 0.001), n, m) <= p + 1e-7


def test_no_distance_is_no_evidence_and_an_empty_sample_is_refused() -> None:
    assert p_value(0.0, 50, 20) == p_value(0.0, 5000, 2000) == 1.0
    for n, m in ((0, 5), (5, 0)):
        with pytest.raises(ValueError, match="give at least one each"):
            p_value(0.5, n, m)
