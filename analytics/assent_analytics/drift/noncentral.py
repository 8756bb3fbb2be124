"""The noncentral chi-square distribution, as far as intervals of Cramer's V need it.

Its distribution function is that of a central one whose degrees of freedom are df + 2 j with j drawn from a Poisson
distribution of mean lambda / 2 (Fisher 1928). Where the statistic is above 10,000 the sum would be long, and Sankaran's
approximation is right to 2e-6, whatever the degrees of freedom: a power h of the statistic over its mean is about
normal (M. Sankaran, "Approximations to the non-central chi-square distribution", Biometrika 50 (1963), 199-204).
"""

from __future__ import annotations

from math import exp, lgamma, log, sqrt
from statistics import NormalDist

from assent_analytics.gamma import lower

FAR = 10_000.0
_LOST = 1e-280


def noncentrality(statistic: float, df: int, probability: float) -> float:
    """The lambda under which `statistic` is the quantile of `probability`; 0 where even 0 is too much."""
    below = sankaran if statistic > FAR else cdf
    if below(statistic, df, 0.0) <= probability:
        return 0.0
    low, high = 0.0, statistic + 10 * sqrt(statistic + df) + 10
    while below(statistic, df, high) > probability:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if high - low <= 1e-10 * high or middle in (low, high):
            break
        if below(statistic, df, middle) > probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def cdf(x: float, df: int, noncentral: float) -> float:
    """The probability that a noncentral chi-square variable is at most x."""
    if x <= 0:
        return 0.0
    mean = noncentral / 2
    if mean <= 0:
        return lower(df / 2, x / 2)
    reach = 9 * sqrt(mean) + 20
    first, last = max(0, int(mean - reach)), int(mean + reach)
    # P(a, x) - P(a + 1, x) = x^a exp(-x) / gamma(a + 1): downward from the last term nothing cancels.
    half = x / 2
    at = df / 2 + last
    below = lower(at, half)
    chance, step = _poisson(last, mean), 0.0
    total = chance * below
    for j in range(last - 1, first - 1, -1):
        at -= 1
        # By the ratio of neighbours, which is quick, but not from where floating point has lost them.
        step = step * (at + 1) / half if step > _LOST else _poisson(at, half)
        chance = chance * (j + 1) / mean if chance > _LOST else _poisson(j, mean)
        below += step
        total += chance * below
    return min(1.0, total)


def sankaran(x: float, df: int, noncentral: float) -> float:
    """The same for large x, by Sankaran's approximation."""
    mean, twice, thrice = df + noncentral, df + 2 * noncentral, df + 3 * noncentral
    h = 1 - 2 * mean * thrice / (3 * twice * twice)
    p = twice / (mean * mean)
    m = (h - 1) * (1 - 3 * h)
    around = 1 + h * p * (h - 1 - (2 - h) * m * p / 2)
    return NormalDist().cdf(((x / mean) ** h - around) / (h * sqrt(2 * p) * (1 + m * p / 2)))


def _poisson(j: float, mean: float) -> float:
    return exp(j * log(mean) - mean - lgamma(j + 1))
