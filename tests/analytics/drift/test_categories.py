"""Mixes against SciPy and values worked out by hand."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import jensenshannon

from assent_analytics.drift.categories import (
    FAR,
    ChiSquare,
    cdf,
    chi_square,
    cramers_v,
    jensen_shannon,
    noncentrality,
    pooled,
    psi,
)

COUNTS = st.integers(2, 8).flatmap(
    lambda k: st.tuples(*(st.lists(st.integers(0, 500), min_size=k, max_size=k) for _ in range(2)))
)


@given(COUNTS)
def test_chi_square_is_scipys_without_correction(both: tuple[list[int], list[int]]) -> None:
    before, after = both
    assume(sum(before) and sum(after))
    table = np.array(both)[:, np.array(before) + np.array(after) > 0]
    theirs = stats.chi2_contingency(table, correction=False)
    ours = chi_square(before, after)
    assert ours.df == theirs.dof
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-290)
    value = cramers_v(ours, sum(before) + sum(after))[0]
    if table.shape[1] > 1:
        theirs_v = stats.contingency.association(table, method="cramer")
        assert value == pytest.approx(theirs_v, rel=1e-9, abs=1e-9)


def test_chi_square_by_hand() -> None:
    # 30 of 50 against 20 of 50: each cell is 5 off an expected 25 in all four cells: 4 * 25 / 25.
    assert chi_square([30, 20], [20, 30]).statistic == pytest.approx(4.0)
    assert chi_square([7, 0], [9, 0]) == ChiSquare(0.0, 0, 1.0)
    with pytest.raises(ValueError, match="at least one each"):
        chi_square([0, 0], [1, 2])
    with pytest.raises(ValueError, match=r"shorter|longer"):
        chi_square([1], [1, 2])


@given(COUNTS)
def test_jensen_shannon_is_scipys(both: tuple[list[int], list[int]]) -> None:
    before, after = both
    assume(sum(before) and sum(after))
    theirs = float(jensenshannon(before, after, base=2))
    expected = 0.0 if np.isnan(theirs) else theirs**2
    assert jensen_shannon(before, after) ** 2 == pytest.approx(expected, rel=1e-9, abs=1e-14)
    assert jensen_shannon(after, before) == pytest.approx(jensen_shannon(before, after), rel=1e-9, abs=1e-7)


def test_jensen_shannon_ends() -> None:
    assert jensen_shannon([5, 0], [0, 9]) == pytest.approx(1.0)
    assert jensen_shannon([5, 10], [10, 20]) == 0.0
    for empty in (([0, 0], [1, 0]), ([1, 0], [0, 0])):
        with pytest.raises(ValueError, match="give some of both"):
            jensen_shannon(*empty)


def test_psi_by_hand() -> None:
    # (10.5 / 21, 10.5 / 21) against (5.5 / 21, 15.5 / 21).
    expected = (5.5 - 10.5) / 21 * log(5.5 / 10.5) + (15.5 - 10.5) / 21 * log(15.5 / 10.5)
    assert psi([10, 10], [5, 15]) == pytest.approx(expected)
    assert psi([10, 10, 0], [5, 15, 0]) == pytest.approx(expected)
    assert psi([10, 20], [10, 20]) == psi([0, 0], [0, 0]) == 0.0
    assert 0 < psi([10, 0], [0, 10]) < 10


@given(COUNTS)
def test_pooling_keeps_rows_and_leaves_enough_in_each(both: tuple[list[int], list[int]]) -> None:
    assume(sum(both[0]) and sum(both[1]))
    before, after = pooled(*both)
    assert (sum(before), sum(after)) == tuple(map(sum, both))
    if len(before) > 1:
        share = min(sum(before), sum(after)) / (sum(before) + sum(after))
        assert all((b + r) * share >= 5 - 1e-9 for b, r in zip(before, after, strict=True))
    least = min(map(sum, both)) / sum(map(sum, both))
    if all((b + r) * least > 5 + 1e-9 for b, r in zip(*both, strict=True)):
        assert sorted(zip(before, after, strict=True)) == sorted(zip(*both, strict=True))


def test_pooling_by_hand() -> None:
    # Of equal samples, 10 rows of a category are 5 expected in each; 6 and 3 are too few, 9 together still, and so the
    # next smallest joins them.
    assert pooled([50, 20, 6, 3], [50, 15, 0, 14]) == ([50, 20, 3 + 6], [50, 15, 14])
    assert pooled([40, 3, 2], [40, 2, 3]) == ([40, 5], [40, 5])
    assert pooled([40, 2, 0], [40, 0, 2]) == ([42], [42])
    assert pooled([], []) == ([], [])


@given(st.floats(0.1, 3000), st.integers(1, 40), st.floats(0, 3000))
def test_the_noncentral_distribution_is_scipys(x: float, df: int, noncentral: float) -> None:
    assert cdf(x, df, noncentral) == pytest.approx(float(stats.ncx2.cdf(x, df, noncentral)), rel=1e-8, abs=1e-12)


@given(st.floats(0.5, 2000), st.integers(1, 20), st.sampled_from((0.025, 0.975)))
def test_the_noncentrality_puts_the_statistic_at_its_quantile(x: float, df: int, probability: float) -> None:
    found = noncentrality(x, df, probability)
    if found == 0:
        assert stats.chi2.cdf(x, df) <= probability
    else:
        assert float(stats.ncx2.cdf(x, df, found)) == pytest.approx(probability, abs=1e-8)


@pytest.mark.parametrize("probability", [0.025, 0.975])
@pytest.mark.parametrize("df", [1, 5, 1000, 9000])
def test_the_approximation_continues_the_sum(df: int, probability: float) -> None:
    near, far = (noncentrality(FAR * factor, df, probability) for factor in (1 - 1e-9, 1 + 1e-9))
    assert far == pytest.approx(near, rel=1e-4)


@pytest.mark.parametrize("probability", [0.025, 0.975])
@pytest.mark.parametrize(("x", "df"), [(10_001, 1), (10_001, 9000), (12_000, 11_900), (1e6, 9999), (1e8, 3)])
def test_far_away_too_the_statistic_is_at_its_quantile(x: float, df: int, probability: float) -> None:
    found = noncentrality(x, df, probability)
    if found == 0:
        assert stats.chi2.cdf(x, df) <= probability
    else:
        assert float(stats.ncx2.cdf(x, df, found)) == pytest.approx(probability, abs=2e-6)


@given(COUNTS)
def test_the_interval_of_v_holds_it(both: tuple[list[int], list[int]]) -> None:
    assume(sum(both[0]) and sum(both[1]))
    found = chi_square(*both)
    n = sum(map(sum, both))
    value, low, high = cramers_v(found, n)
    assert 0 <= low <= high <= 1
    assert low <= value <= high
    assert value == pytest.approx(sqrt(found.statistic / n))


def test_huge_mixes_are_quick_and_narrow() -> None:
    value, low, high = cramers_v(chi_square([4_000_000, 6_000_000], [1_100_000, 1_400_000]), 12_500_000)
    assert 0 < low < value < high < 1
    assert high - low < 0.002
