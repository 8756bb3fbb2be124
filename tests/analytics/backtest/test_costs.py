"""The cost curve against a plain sum over decisions, and its band against a bootstrap that draws them one by one."""

from __future__ import annotations

import numpy as np
import pytest

from assent.contract.analysis.backtest import Costs
from assent_analytics.backtest import cost_curve
from tests.tiers import deep

COSTS = Costs(interruption=3, failure=40)


def drawn(n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    risk = random.integers(0, 101, n)
    return risk, random.random(n) < risk / 150


def bins(risk: np.ndarray, failed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.bincount(risk, minlength=101), np.bincount(risk[failed], minlength=101)


def test_each_point_is_a_plain_sum() -> None:
    risk, failed = drawn(400)
    curve = cost_curve(*bins(risk, failed), COSTS, days=8)
    for point in curve.points:
        interruptions = sum(1 for each in risk if each >= point.threshold)
        missed = sum(1 for each, fell in zip(risk, failed, strict=True) if fell and each < point.threshold)
        assert (point.interruptions, point.missed) == (interruptions, missed)
        assert point.cost == pytest.approx(3 * interruptions + 40 * missed, rel=1e-12)
        assert (point.per_day, point.per_1000) == pytest.approx((point.cost / 8, point.cost / 400 * 1000), rel=1e-12)
        assert point.low <= point.cost <= point.high
    costs = [point.cost for point in curve.points]
    assert curve.best == max(at for at, cost in enumerate(costs) if cost == min(costs))
    assert curve.never == 40 * failed.sum()
    assert curve.best_low is not None
    assert curve.best_high is not None
    assert curve.best_low <= curve.best <= curve.best_high


def test_the_band_is_that_of_drawing_decisions_again() -> None:
    risk, failed = drawn(300)
    curve = cost_curve(*bins(risk, failed), COSTS, days=1)
    random = np.random.default_rng(2)
    asked = risk[:, None] >= np.arange(101)
    each = 3 * asked + 40 * (~asked & failed[:, None])
    replicates = np.array([each[random.integers(0, 300, 300)].sum(axis=0) for _ in range(4000)])
    low, high = np.quantile(replicates, [0.025, 0.975], axis=0)
    spread = replicates.std(axis=0).max()
    assert np.abs([point.low for point in curve.points] - low).max() < 0.25 * spread
    assert np.abs([point.high for point in curve.points] - high).max() < 0.25 * spread
    assert curve.points[0].low == curve.points[0].high == 900


@deep("hundreds of simulated histories")
def test_the_interval_holds_the_true_cost() -> None:
    """In 200 samples of a known population the band holds the expected cost about 95 times of 100."""
    grid = np.arange(101)
    share = grid / 150
    asked = grid[:, None] >= grid
    expected = 300 / 101 * (3 * asked.sum(axis=0) + 40 * (share[:, None] * ~asked).sum(axis=0))
    held = np.zeros(101)
    for seed in range(200):
        curve = cost_curve(*bins(*drawn(300, seed)), COSTS, days=1, seed=seed, resamples=400)
        held += [point.low <= true <= point.high for point, true in zip(curve.points, expected, strict=True)]
    assert 0.90 < (held[1:] / 200).mean() < 0.98


def test_the_same_seed_gives_the_same_band() -> None:
    counts = bins(*drawn(200))
    assert cost_curve(*counts, COSTS, days=1, seed=5) == cost_curve(*counts, COSTS, days=1, seed=5)
    assert cost_curve(*counts, COSTS, days=1, seed=5) != cost_curve(*counts, COSTS, days=1, seed=6)


def test_too_little_to_say() -> None:
    none = np.zeros(101, np.int64)
    one = none.copy()
    one[50] = 1
    assert cost_curve(none, none, COSTS, days=1).status == "insufficient_data"
    assert cost_curve(one, one, COSTS, days=1).status == "insufficient_data"
    assert cost_curve(5 * one, none, COSTS, days=1).best is None, "no failure is known"
    assert cost_curve(none, none, COSTS, days=1).points[3].per_1000 == 0
    free = cost_curve(5 * one, one, Costs(interruption=0, failure=0), days=1)
    assert (free.best, free.best_low, free.best_high) == (100, 100, 100)
    dear = cost_curve(5 * one, one, Costs(interruption=1e12, failure=1e12), days=1)
    assert dear.points[0].cost == 5e12


def test_bins_that_cannot_be() -> None:
    ok = np.ones(101, np.int64)
    with pytest.raises(ValueError, match="100 and 101 bins"):
        cost_curve(ok[:100], ok, COSTS, days=1)
    with pytest.raises(ValueError, match="at least as many"):
        cost_curve(ok, 2 * ok, COSTS, days=1)
    with pytest.raises(ValueError, match="at least as many"):
        cost_curve(ok, -ok, COSTS, days=1)
