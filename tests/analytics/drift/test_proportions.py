"""Newcombe's interval against published values and SciPy's parts, Fisher's test against SciPy."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assent_analytics.drift import newcombe
from assent_analytics.drift.categories import compared, fisher

COUNTS = st.tuples(st.integers(1, 400), st.integers(1, 400)).flatmap(
    lambda n: st.tuples(st.integers(0, n[0]), st.just(n[0]), st.integers(0, n[1]), st.just(n[1]))
)


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        # Newcombe (1998), table II, method 10, of p1 - p2: ours is p2 - p1.
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0000),
        ((5, 56), (0, 29), -0.0381, 0.1926),
    ],
)
def test_published_intervals(first: tuple[int, int], second: tuple[int, int], low: float, high: float) -> None:
    assert newcombe(*second, *first) == pytest.approx((low, high), abs=5.1e-5)


@given(COUNTS)
def test_it_is_made_of_two_wilson_intervals_of_scipy(counts: tuple[int, int, int, int]) -> None:
    k, m, j, n = counts
    (l1, u1), (l2, u2) = (stats.binomtest(*each).proportion_ci(method="wilson") for each in ((k, m), (j, n)))
    p1, p2 = k / m, j / n
    low = p2 - p1 - sqrt((p2 - l2) ** 2 + (u1 - p1) ** 2)
    high = p2 - p1 + sqrt((u2 - p2) ** 2 + (p1 - l1) ** 2)
    assert newcombe(*counts) == pytest.approx((max(-1, low), min(1, high)), rel=1e-9, abs=1e-12)
    other_low, other_high = newcombe(j, n, k, m)
    assert (-other_high, -other_low) == pytest.approx(newcombe(*counts), abs=1e-12)


def test_of_nothing_all_is_possible_and_what_cannot_be_is_refused() -> None:
    assert newcombe(0, 0, 3, 5) == newcombe(3, 5, 0, 0) == (-1.0, 1.0)
    for wrong in ((3, 2, 0, 1), (-1, 2, 0, 1), (0, 1, 3, 2)):
        with pytest.raises(ValueError, match="give 0 <= successes <= n"):
            newcombe(*wrong)
    with pytest.raises(ValueError, match="between 0 and 1"):
        newcombe(1, 2, 1, 2, confidence=95)


@given(COUNTS)
def test_fisher_is_scipys(counts: tuple[int, int, int, int]) -> None:
    k, m, j, n = counts
    theirs = float(stats.fisher_exact([[k, m - k], [j, n - j]]).pvalue)
    assert fisher(*counts) == pytest.approx(theirs, rel=1e-9, abs=1e-300)


def test_fishers_tea() -> None:
    # The lady tasting tea: 3 of 4 right on both sides is 34 of 70.
    assert fisher(1, 4, 3, 4) == pytest.approx(34 / 70)
    assert fisher(0, 4, 4, 4) == pytest.approx(2 / 70)


def test_fisher_of_millions() -> None:
    theirs = stats.fisher_exact([[3, 9_999_997], [6, 2_999_994]]).pvalue
    assert fisher(3, 10_000_000, 6, 3_000_000) == pytest.approx(float(theirs), rel=1e-8)


@given(COUNTS)
def test_the_test_goes_by_expected_counts(counts: tuple[int, int, int, int]) -> None:
    k, m, j, n = counts
    name, statistic, p = compared(*counts)
    if k + j in (0, m + n):
        assert (name, statistic, p) == ("fisher_exact", None, 1.0)
        return
    table = [[k, m - k], [j, n - j]]
    theirs = stats.chi2_contingency(table, correction=False)
    if theirs.expected_freq.min() >= 5 + 1e-9:
        assert name == "chi_square"
        assert (statistic, p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9, abs=1e-12)
    elif theirs.expected_freq.min() < 5 - 1e-9:
        assert (name, statistic) == ("fisher_exact", None)
        assert p == pytest.approx(float(stats.fisher_exact(table).pvalue), rel=1e-9, abs=1e-300)
