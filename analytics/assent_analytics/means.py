"""Means with what they leave open: Student's t interval of a mean.

"Student", "The probable error of a mean", Biometrika 6 (1908), 1-25. With the mean m of n values and their sample
standard deviation s, the interval is m -+ t * s / sqrt(n), t being the quantile of Student's distribution with n - 1
degrees of freedom. The distribution's tail is half the regularised incomplete beta function I_x(df/2, 1/2) at
x = df / (df + t^2); that function is the continued fraction of DLMF 8.17.22, evaluated by Lentz's method, and the
quantile is found by halving.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, log1p, sqrt

_TINY = 1e-300
_STEPS = 10_000


def mean_interval(
    mean: float, sd: float | None, n: int, low: float, high: float, confidence: float = 0.95
) -> tuple[float, float]:
    """The interval of a mean of n values that all lie between `low` and `high`, cut at these bounds.

    (low, high) when n is below 2: one value says nothing about how much values differ.
    """
    if n < 2 or sd is None:
        return low, high
    half = t_quantile(n - 1, confidence) * sd / sqrt(n)
    return max(low, mean - half), min(high, mean + half)


@lru_cache(maxsize=4096)
def t_quantile(df: int, confidence: float = 0.95) -> float:
    """The t that |T| exceeds with probability 1 - `confidence`, to about 12 digits.

    Raises ValueError for less than one degree of freedom and for a confidence that is not between 0 and 1.
    """
    if df < 1:
        raise ValueError(f"df is {df}; give 1 or more degrees of freedom")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a share between 0 and 1, such as 0.95")
    wanted = 1 - confidence
    high = 1.0
    while _beyond(high, df) > wanted:
        high *= 2
    low = 0.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _beyond(middle, df) > wanted:
            low = middle
        else:
            high = middle
    return high


def _beyond(t: float, df: int) -> float:
    """P(|T| > t)."""
    square = t * t
    return _incomplete_beta(df / (df + square), square / (df + square), df / 2, 0.5)


def _incomplete_beta(x: float, rest: float, a: float, b: float) -> float:
    """I_x(a, b); `rest` is 1 - x, given by itself because the subtraction would lose it for x near 1."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    log_x = log(x) if x < 0.5 else log1p(-rest)
    log_rest = log1p(-x) if x < 0.5 else log(rest)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log_x + b * log_rest)
    # The fraction converges fast below its mean; above it the other tail does.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(rest, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / _far(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for term in (even, odd):
            d = 1 / _far(1 + term * d)
            c = _far(1 + term / c)
            change = c * d
            value *= change
        if abs(change - 1) < 1e-15:
            break
    return value


def _far(value: float) -> float:
    """`value`, kept away from zero."""
    return value if abs(value) > _TINY else _TINY
