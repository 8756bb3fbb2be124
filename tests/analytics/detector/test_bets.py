"""The martingale against its definition, written out over every moment of change."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import integrate, stats

from assent_analytics.detector.bets import NEVER, NUMBERS, SHARES, Beginning, Bets, Family, of_number, of_share, unbet

Rows = NDArray[np.float64]
RANKS = st.lists(st.floats(2.0**-60, 1 - 2.0**-53), min_size=1, max_size=60)
UNDER = [(mean, 1.0) for mean in (0.25, -0.25, 0.5, -0.5, 1.0, -1.0)] + [(0.0, 2.0), (0.0, 0.5)]
"""Mean and standard deviation of z, in the order of the module's text."""


def ratios(ranks: list[float]) -> Rows:
    """One row for each alternative, by SciPy's densities."""
    z = stats.norm.ppf(ranks)
    logs = [stats.norm.logpdf(z, mean, sd) - stats.norm.logpdf(z) for mean, sd in UNDER]
    return np.asarray(np.exp(np.array(logs)), dtype=np.float64)


def mixture(shares: tuple[float, ...], found: Rows) -> float:
    """M by its definition: every beginning s, every alternative, the product from s on."""
    n = found.shape[1]
    left = [1.0] * 10 + [math.sqrt(200 / (200 + t)) for t in range(n + 1)]
    total = left[n]
    for share, row in zip(shares, found, strict=True):
        for s in range(10, n):
            total += share * (left[s] - left[s + 1]) * float(np.prod(row[s:]))
    return total


def after(family: Family, gains: Sequence[Sequence[float]]) -> Bets:
    bets = Bets.fresh(family)
    for n, each in enumerate(gains):
        bets.step(each, Beginning(n, 0.0, 0.0, n), each)
    return bets


def mean_of(density: Callable[[float], float], *edges: float) -> float:
    points = [0.0, *edges, 1.0]
    return sum(float(integrate.quad(density, low, high, limit=200)[0]) for low, high in pairwise(points))


@pytest.mark.parametrize("family", [NUMBERS, SHARES])
def test_shares_add_up_to_one(family: Family) -> None:
    assert sum(family.shares) == pytest.approx(1)
    assert len(family.shares) == len(family.directions)


@pytest.mark.parametrize("j", range(8))
def test_each_alternative_for_numbers_is_a_density_of_the_rank(j: int) -> None:
    """By z, where the density is smooth: the integral of f(u) over u is that of f(Phi(z)) phi(z) over z."""

    z = np.linspace(-8, 8, 8001)
    densities = np.array([math.exp(of_number(u)[j]) for u in stats.norm.cdf(z).tolist()])
    assert integrate.trapezoid(densities * stats.norm.pdf(z), z) == pytest.approx(1, rel=2e-4)


@pytest.mark.parametrize("j", range(6))
@pytest.mark.parametrize(("ones", "n"), [(0, 1), (3, 40), (20, 40), (40, 40), (0, 1000)])
def test_each_alternative_for_shares_is_a_density_of_the_rank(j: int, ones: int, n: int) -> None:
    edge = 1 - (ones + (2 * ones <= n)) / (n + 1)
    assert mean_of(lambda u: math.exp(of_share(u, ones, n)[j]), edge) == pytest.approx(1, rel=1e-9)


def test_alternatives_for_shares_are_likelihood_ratios_of_the_values() -> None:
    p = 31 / 101
    for odds, one, zero in zip(
        [math.exp(sign * size) for size in (0.5, 1, 2) for sign in (1, -1)],
        of_share(0.999, 30, 100),
        of_share(0.001, 30, 100),
        strict=True,
    ):
        q = odds * p / (1 - p) / (1 + odds * p / (1 - p))
        assert math.exp(one) == pytest.approx(q / p, rel=1e-12)
        assert math.exp(zero) == pytest.approx((1 - q) / (1 - p), rel=1e-12)


@given(RANKS)
def test_the_martingale_is_the_mixture_over_every_moment_of_change(ranks: list[float]) -> None:
    bets = after(NUMBERS, [of_number(u) for u in ranks])
    assert bets.value == pytest.approx(mixture(NUMBERS.shares, ratios(ranks)), rel=1e-9)


@given(RANKS, st.integers(0, 10))
def test_so_it_is_for_shares(ranks: list[float], ones: int) -> None:
    gains = [of_share(u, ones, 10 + n) for n, u in enumerate(ranks)]
    assert after(SHARES, gains).value == pytest.approx(mixture(SHARES.shares, np.exp(np.array(gains).T)), rel=1e-9)


def test_what_is_not_bet_falls_from_one_to_nothing() -> None:
    assert unbet(0) == 1
    assert unbet(10) == 1
    assert all(unbet(t) > unbet(t + 1) > 0 for t in range(10, 1000))
    assert unbet(10**9) < 0.001


@given(RANKS)
def test_the_likeliest_beginning_has_the_largest_sum_of_all(ranks: list[float]) -> None:
    direction, since = after(NUMBERS, [of_number(u) for u in ranks]).likeliest()
    logs = np.log(ratios(ranks))
    best = max((logs[j, s:].sum() for j in range(8) for s in range(10, len(ranks))), default=0.0)
    if best > 1e-9:
        chosen = [j for j in range(8) if NUMBERS.directions[j] == direction]
        assert max(logs[j, since.n :].sum() for j in chosen) == pytest.approx(best, rel=1e-9, abs=1e-9)


def test_nothing_overflows_on_ranks_at_the_very_edge() -> None:
    bets = Bets.fresh(NUMBERS)
    assert bets.since[0] is NEVER
    for n in range(20):
        gains = of_number(2.0**-60)
        assert math.isfinite(bets.step(gains, Beginning(n, 0.0, 0.0, n), gains))
        assert max(of_number(2.0**-60)) < 31
