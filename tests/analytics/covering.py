"""How often 95% intervals hold what they are about, in histories drawn from laws that are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assent_analytics.bootstrap import interval, quantile_intervals
from assent_analytics.rates import wilson
from assent_analytics.velocity import least_squares, theil_sen

Covers = Callable[[np.random.Generator], bool]
WINDOWS, ROWS = 30, 100


def _wilson(random: np.random.Generator) -> bool:
    # The rate is drawn, too: of one rate, coverage swings with n (Brown, Cai and DasGupta 2001).
    n, rate = int(random.integers(20, 200)), float(random.uniform(0.05, 0.95))
    low, high = wilson(int(random.binomial(n, rate)), n)
    return low <= rate <= high


def _points(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    slope = float(random.normal())
    x = np.sort(random.choice(60, WINDOWS, replace=False)).astype(float)
    return x, slope * x + random.standard_t(4, WINDOWS) * 5, slope


def _theil_sen(random: np.random.Generator) -> bool:
    x, y, slope = _points(random)
    found = theil_sen(x, y)
    assert found.low is not None
    assert found.high is not None
    return found.low <= slope <= found.high


def _least_squares(random: np.random.Generator) -> bool:
    x, y, slope = _points(random)
    found = least_squares(x, y)
    assert found.low is not None
    assert found.high is not None
    return found.low <= slope <= found.high


def _mean(method: str) -> Covers:
    def covers(random: np.random.Generator) -> bool:
        rows = random.gamma(4, 0.25, ROWS)
        chosen = "bca" if method == "bca" else "percentile"
        found = interval(rows, seed=int(random.integers(2**31)), resamples=1000, method=chosen)  # type: ignore[arg-type]
        assert found.low is not None
        assert found.high is not None
        return found.low <= 1.0 <= found.high

    return covers


def _median(random: np.random.Generator) -> bool:
    rows = random.exponential(1, ROWS)
    (found,) = quantile_intervals(rows, [0.5], seed=int(random.integers(2**31)), resamples=1000)
    assert found.low is not None
    assert found.high is not None
    return bool(found.low <= np.log(2) <= found.high)


INTERVALS: dict[str, Covers] = {
    "Wilson, n 20 to 200": _wilson,
    "Theil-Sen, 30 windows, t(4) errors": _theil_sen,
    "least squares, 30 windows, t(4) errors": _least_squares,
    "bootstrap BCa, mean of 100 gamma(4)": _mean("bca"),
    "bootstrap percentile, mean of 100 gamma(4)": _mean("percentile"),
    "bootstrap, median of 100 exponential": _median,
}


def covered(name: str, simulations: int, seed: int = 1) -> int:
    """In how many of the simulations the interval holds the truth."""
    random = np.random.default_rng(seed)
    return sum(INTERVALS[name](random) for _ in range(simulations))
