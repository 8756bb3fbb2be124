"""How large a difference of two samples of numbers is, whatever their unit, with 95% intervals.

1. Cliff's delta is the probability that a recent value is above a baseline value, less the probability that it is
   below: -1 to 1, 0 where neither tends to be larger. It asks only for order, so heavy tails do not move it. From the
   dominances of single values, d(b) = share of recent above b less share below, and d(r) likewise, its variance is

       (n^2 sum (d(b) - delta)^2 + m^2 sum (d(r) - delta)^2 - sum sum (d(b, r) - delta)^2) / (m n (m - 1) (n - 1))

   for m baseline and n recent values, at least (1 - delta^2) / (m n - 1) (Cliff, "Dominance statistics", Psychological
   Bulletin 114, 1993). The interval is the asymmetric one of Feng and Cliff, Journal of Modern Applied Statistical
   Methods 3 (2004), with z Student's quantile of m + n - 2 degrees of freedom:

       (delta - delta^3 -+ z s sqrt((1 - delta^2)^2 + z^2 s^2)) / (1 - delta^2 + z^2 s^2)

   When delta is 1 or -1, its inner end is (k - z^2) / (k + z^2) on that side, k being the smaller sample's size.
2. Hedges' g is the difference of the means over the pooled standard deviation, times 1 - 3 / (4 (m + n - 2) - 1), which
   takes its bias away; its variance is (m + n) / (m n) + g^2 / (2 (m + n)) (Hedges and Olkin 1985). It supposes
   distributions that are about normal.
"""

from __future__ import annotations

from math import isfinite, sqrt
from statistics import NormalDist
from typing import NamedTuple

from assent_analytics.means import t_quantile

_MANY = 500
"""From here on Student's quantile is the normal one to three digits, and is not worth finding for each size."""


class Effect(NamedTuple):
    value: float
    low: float
    high: float


def cliffs_delta(delta: float, variance: float, m: int, n: int, confidence: float = 0.95) -> Effect:
    """Rule 1: delta with its interval, from its variance."""
    z = t_quantile(max(1, m + n - 2), confidence) if m + n < _MANY else NormalDist().inv_cdf((1 + confidence) / 2)
    if abs(delta) >= 1:
        inner = (min(m, n) - z * z) / (min(m, n) + z * z)
        return Effect(delta, inner, 1.0) if delta > 0 else Effect(delta, -1.0, -inner)
    square = z * z * max(variance, (1 - delta * delta) / max(1, m * n - 1))
    rest = 1 - delta * delta
    half = sqrt(square) * sqrt(rest * rest + square)
    return Effect(delta, (delta * rest - half) / (rest + square), (delta * rest + half) / (rest + square))


def hedges_g(
    means: tuple[float, float], deviations: tuple[float, float], m: int, n: int, confidence: float = 0.95
) -> Effect | None:
    """Rule 2, of (baseline, recent) means and sample standard deviations; None where values do not vary, or are too
    few or too large to say how much."""
    if m < 2 or n < 2:
        return None
    top = max(deviations)
    if not isfinite(top) or top <= 0:
        return None
    first, second = (each / top for each in deviations)
    pooled = sqrt(((m - 1) * first**2 + (n - 1) * second**2) / (m + n - 2))
    g = (means[1] / top - means[0] / top) / pooled * (1 - 3 / (4 * (m + n - 2) - 1))
    half = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt((m + n) / (m * n) + g * g / (2 * (m + n)))
    return Effect(g, g - half, g + half) if isfinite(half) else None
