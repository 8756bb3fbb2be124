"""Distances of two samples of numbers against SciPy, NumPy and values worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import jensenshannon

from assent_analytics.drift.numbers import Numbers, compared_groups, distances, distances_between
from assent_analytics.drift.values import interleaved, table_of
from tests.analytics.drift.samples import ANY, FINITE, HUGE, TIED, finite, numbers, samples

BOTH = st.tuples(samples(FINITE) | samples(TIED) | samples(HUGE), samples(FINITE) | samples(TIED) | samples(HUGE))


@given(BOTH)
def test_wasserstein_means_and_deviations(both: tuple[list[float], list[float]]) -> None:
    found = numbers(*both)
    assert found.distances is not None
    largest = max(map(abs, both[0] + both[1])) or 1.0
    # SciPy overflows nowhere when values are scaled by a power of two first.
    scale = 2.0 ** np.floor(np.log2(largest))
    scaled = [np.array(each) / scale for each in both]
    theirs = stats.wasserstein_distance(*scaled) * scale
    assert found.distances.wasserstein == pytest.approx(theirs, rel=1e-9, abs=1e-12 * largest)
    for sample, values, raw in zip((found.baseline, found.recent), scaled, both, strict=True):
        assert sample.n == len(raw)
        assert sample.mean == pytest.approx(values.mean() * scale, rel=1e-9, abs=1e-12 * largest)
        if len(raw) < 2:
            assert sample.sd is None
        else:
            assert sample.sd == pytest.approx(values.std(ddof=1) * scale, rel=1e-9, abs=1e-9 * largest)


def test_normed_wasserstein_is_evidentlys() -> None:
    rng = np.random.default_rng(1)
    baseline, recent = rng.normal(5, 2, 400), rng.normal(6, 2.5, 250)
    theirs = stats.wasserstein_distance(baseline, recent) / np.std(baseline)
    assert numbers(baseline.tolist(), recent.tolist()).wasserstein_normed == pytest.approx(theirs, rel=1e-9)
    assert numbers([3.0] * 30, [4.0] * 30).wasserstein_normed is None


def dominances(baseline: Sequence[float], recent: Sequence[float]) -> tuple[float, float]:
    """Delta and its variance from the whole matrix of pairs, as Cliff (1993) writes them."""
    matrix = np.sign(np.array(recent)[None, :] - np.array(baseline)[:, None])
    m, n = matrix.shape
    delta = matrix.mean()
    rows, cols = matrix.mean(axis=1), matrix.mean(axis=0)
    spread = n**2 * ((rows - delta) ** 2).sum() + m**2 * ((cols - delta) ** 2).sum() - ((matrix - delta) ** 2).sum()
    return float(delta), float(spread / (m * n * (m - 1) * (n - 1)))


@given(BOTH.filter(lambda both: min(map(len, both)) > 1))
def test_cliffs_delta_and_its_variance_are_those_of_all_pairs(both: tuple[list[float], list[float]]) -> None:
    found = numbers(*both).distances
    assert found is not None
    delta, variance = dominances(*both)
    assert found.delta == pytest.approx(delta, rel=1e-9, abs=1e-12)
    assert found.variance == pytest.approx(variance, rel=1e-9, abs=1e-12)


def test_cliffs_delta_is_mann_and_whitneys_u() -> None:
    rng = np.random.default_rng(2)
    baseline, recent = rng.lognormal(0, 3, 80), rng.lognormal(1, 3, 50)
    u = stats.mannwhitneyu(recent, baseline).statistic
    found = numbers(baseline.tolist(), recent.tolist()).distances
    assert found is not None
    assert found.delta == pytest.approx(2 * u / (80 * 50) - 1, rel=1e-9)


def binned(baseline: list[float], recent: list[float]) -> tuple[list[int], list[int]]:
    """Counts in deciles of the baseline and beyond it, value by value."""
    ordered = sorted(baseline)
    edges = [ordered[max(0, -(-k * len(ordered) // 10) - 1)] for k in range(1, 11)]
    bins = range(12)

    def place(value: float) -> int:
        if value < ordered[0]:
            return 0
        return 1 + sum(edge < value for edge in edges)

    return tuple([sum(place(v) == k for v in values) for k in bins] for values in (baseline, recent))  # type: ignore[return-value]


@given(BOTH)
def test_psi_and_jensen_shannon_by_deciles_of_the_baseline(both: tuple[list[float], list[float]]) -> None:
    found = numbers(*both).distances
    assert found is not None
    before, after = (np.array(each, float) for each in binned(*both))
    there = before + after > 0
    p, q = ((each[there] + 0.5) / (each[there] + 0.5).sum() for each in (before, after))
    assert found.psi == pytest.approx(float(((q - p) * np.log(q / p)).sum()), rel=1e-9, abs=1e-12)
    theirs = float(jensenshannon(before, after, base=2))
    # Squared, since the root of a divergence near 0 has half its digits; SciPy's of nearly 0 can be NaN.
    expected = 0.0 if np.isnan(theirs) else theirs**2
    assert found.jensen_shannon**2 == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_a_constant_that_moves_is_seen_both_ways() -> None:
    for recent in (5.0, 15.0):
        found = numbers([10.0] * 40, [recent] * 20).distances
        assert found is not None
        assert found.ks == found.jensen_shannon == 1.0
        assert found.psi > 4
        assert found.wasserstein == 5.0
        assert found.delta == (1.0 if recent > 10 else -1.0)
        assert found.variance == 0.0


def test_nothing_moves_in_constants_that_are_alike() -> None:
    found = numbers([0.1] * 40, [0.1] * 20)
    assert found.baseline.sd == found.recent.sd == 0.0
    assert found.distances is not None
    assert found.distances == (0.0, 0.0, 0.0, found.distances.variance, found.distances.psi, 0.0)
    assert found.wasserstein_normed is None


@given(st.lists(ANY, max_size=30), st.lists(ANY, max_size=30))
def test_any_values_leave_what_their_finite_ones_say(baseline: list[float | None], recent: list[float | None]) -> None:
    assert numbers(baseline, recent) == numbers(finite(baseline), finite(recent))


@pytest.mark.parametrize(("baseline", "recent"), [([], []), ([1.0], []), ([], [1.0])])
def test_an_empty_side_has_no_distance(baseline: list[float], recent: list[float]) -> None:
    found = numbers(baseline, recent)
    assert found.distances is None
    assert found.wasserstein_normed is None
    assert (found.baseline.n, found.recent.n) == (len(baseline), len(recent))


def test_one_value_each() -> None:
    found = numbers([1.0], [3.0])
    assert found.baseline == (1, 1.0, None, 1.0)
    assert found.distances is not None
    assert (found.distances.ks, found.distances.wasserstein, found.distances.delta) == (1.0, 2.0, 1.0)
    assert found.distances.variance == 0.0


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), FINITE | TIED | HUGE), max_size=80))
def test_many_groups_at_once_are_each_by_itself(rows: list[tuple[int, bool, float]]) -> None:
    schema = {"group": pl.UInt32, "later": pl.Boolean, "value": pl.Float64}
    together = compared_groups(pl.DataFrame(rows, schema=schema, orient="row"))
    assert sorted(together) == sorted({group for group, _, _ in rows})
    for group, found in together.items():
        sides = [[value for g, later, value in rows if g == group and later is side] for side in (False, True)]
        assert_alike(found, numbers(*sides))


@pytest.mark.parametrize("sizes", [(1, 1), (1, 5), (7, 1), (100, 37), (32_768, 32_768), (20_000, 90_001)])
def test_places_of_distinct_values_say_what_their_table_says(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(sizes))
    both = interleaved(pl.Series(rng.normal(0, 1, sizes[0])), pl.Series(rng.normal(0.1, 2, sizes[1])))
    assert both.distinct
    assert distances_between(both) == pytest.approx(distances(table_of(both))[0], rel=1e-12)


def assert_alike(one: Numbers, other: Numbers) -> None:
    assert (one.distances is None) == (other.distances is None)
    largest = max(abs(each.mean or 0.0) + (each.sd or 0.0) for each in (other.baseline, other.recent))
    for mine, theirs in ((one.baseline, other.baseline), (one.recent, other.recent)):
        assert mine.n == theirs.n
        assert (mine.mean is None, mine.sd is None) == (theirs.mean is None, theirs.sd is None)
        for name in ("mean", "sd"):
            expected = getattr(theirs, name) or 0.0
            assert (getattr(mine, name) or 0.0) == pytest.approx(expected, rel=1e-9, abs=1e-12 * largest)
    if one.distances and other.distances:
        assert list(one.distances) == pytest.approx(list(other.distances), rel=1e-9, abs=1e-12)


def test_values_of_1e300_and_of_1e_minus_300_keep_their_deviation() -> None:
    for scale in (1e300, 1e-300):
        found = numbers([scale, 3 * scale] * 20, [2 * scale, 4 * scale] * 20)
        assert found.baseline.mean == pytest.approx(2 * scale, rel=1e-9)
        assert found.baseline.sd == pytest.approx(np.std([1, 3] * 20, ddof=1) * scale, rel=1e-9)
        assert found.wasserstein_normed == pytest.approx(1.0, rel=1e-9)
