"""The cost curve against a plain sum over decisions, and its band against a bootstrap that draws them one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from assent.contract.analysis.backtest import Costs
from assent_analytics.backtest import cost_curve, curve_frame
from assent_analytics.backtest.costs import possible_thresholds
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


def test_the_possible_thresholds_are_those_of_all_outcomes_tried_one_by_one() -> None:
    random = np.random.default_rng(11)
    seen: set[int] = set()
    for _ in range(60):
        risk = np.sort(random.integers(0, 101, 9))
        state = random.integers(0, 3, 9)  # failed, ended well, without an outcome
        failed, stopped = bins(risk, state == 0)[1], bins(risk, state == 2)[1]
        costs = Costs(interruption=1, failure=float(random.integers(1, 6)))
        hidden = np.flatnonzero(state == 2)
        best = set()
        for outcome in product((False, True), repeat=len(hidden)):
            fell = state == 0
            fell[hidden] = outcome
            cost = [(risk >= t).sum() + costs.failure * (fell & (risk < t)).sum() for t in range(101)]
            best.add(max(t for t in range(101) if cost[t] == min(cost)))
        assert set(possible_thresholds(np.bincount(risk, minlength=101), failed, stopped, costs)) == best
        seen.add(len(best))
    assert 1 in seen
    assert max(seen) > 2


def world(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A population of which everything from 60 on was blocked: all failures, and what could be seen of them."""
    random = np.random.default_rng(seed)
    risk = random.integers(0, 101, 4000)
    failed = random.random(4000) < np.where(risk < 60, 0.01, 0.6)
    return risk, failed, risk >= 60


def test_what_was_stopped_counts_neither_as_good_nor_as_bad() -> None:
    costs = Costs(interruption=5, failure=50)
    for seed in range(20):
        risk, failed, stopped = world(seed)
        truth = [5 * (risk >= t).sum() + 50 * (failed & (risk < t)).sum() for t in range(101)]
        decided, seen = bins(risk, failed & ~stopped)
        curve = cost_curve(decided, seen, costs, days=1, unknown=bins(risk, stopped)[1], resamples=20)
        for point, cost in zip(curve.points, truth, strict=True):
            assert point.cost - 1e-9 <= cost <= point.most + 1e-9
            assert point.unknown == (stopped & (risk < point.threshold)).sum()
            assert point.high <= point.most_high + 1e-9
        assert not curve.identified, "good or bad, what was stopped decides"
        assert curve.possible_low is not None
        assert curve.possible_high is not None
        assert curve.possible_low <= int(np.argmin(truth)) <= curve.possible_high
        assert not curve_frame(curve)["best"].any()
        known = cost_curve(*bins(risk, failed), costs, days=1, resamples=20)
        assert known.identified
        assert known.possible_low == known.possible_high == known.best
        assert [point.most for point in known.points] == [point.cost for point in known.points]


def test_outcomes_that_cannot_matter_leave_the_threshold_identified() -> None:
    decided, failed, unknown = (np.zeros(101, np.int64) for _ in range(3))
    decided[[10, 50, 90]], failed[[50, 90]], unknown[90] = 100, 60, 3
    curve = cost_curve(decided, failed, COSTS, days=1, unknown=unknown, resamples=20)
    assert (curve.best, curve.identified, curve.unknown) == (50, True, 3)


def test_bins_that_cannot_be() -> None:
    ok = np.ones(101, np.int64)
    with pytest.raises(ValueError, match="100 bins of unknown outcomes"):
        cost_curve(ok, 0 * ok, COSTS, days=1, unknown=ok[:100])
    with pytest.raises(ValueError, match="failures and unknown outcomes"):
        cost_curve(ok, ok, COSTS, days=1, unknown=ok)
    with pytest.raises(ValueError, match="failures and unknown outcomes"):
        cost_curve(ok, 0 * ok, COSTS, days=1, unknown=-ok)
    with pytest.raises(ValueError, match="100 and 101 bins"):
        cost_curve(ok[:100], ok, COSTS, days=1)
    with pytest.raises(ValueError, match="at least as many"):
        cost_curve(ok, 2 * ok, COSTS, days=1)
    with pytest.raises(ValueError, match="at least as many"):
        cost_curve(ok, -ok, COSTS, days=1)
