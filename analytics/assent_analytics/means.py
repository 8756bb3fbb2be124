"""Means with what they leave open: Student's t interval of a mean.

"Student", "The probable error of a mean", Biometrika 6 (1908), 1-25. With the mean m of n values and their sample
standard deviation s, the interval is m -+ t * s / sqrt(n), t being the quantile of Student's distribution with n - 1
degrees of freedom. The distribution's tail is half the regularised incomplete beta function I_x(df/2, 1/2) at
x = df / (df + t^2) (`beta`). Its quantile is found by Newton's method from the normal quantile corrected by Cornish
and Fisher's terms (Abramowitz and Stegun 26.7.5), which from 5,000 degrees of freedom on leave no error to correct.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

import polars as pl

from assent_analytics.beta import incomplete_beta

_ENOUGH = 5000


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


def mean_half_width(sd: pl.Expr, n: pl.Expr, confidence: float = 0.95) -> pl.Expr:
    """t * s / sqrt(n) for every row of a frame, null where n is below 2."""

    def quantiles(counts: pl.Series) -> pl.Series:
        distinct = counts.unique()
        found = [t_quantile(int(each) - 1, confidence) if each is not None and each > 1 else None for each in distinct]
        return counts.replace_strict(distinct, pl.Series(found, dtype=pl.Float64), return_dtype=pl.Float64)

    return n.map_batches(quantiles, return_dtype=pl.Float64, is_elementwise=True) * sd / n.sqrt()


@lru_cache(maxsize=4096)
def t_quantile(df: float, confidence: float = 0.95) -> float:
    """The t that |T| exceeds with probability 1 - `confidence`, to about 12 digits.

    Raises ValueError for less than one degree of freedom and for a confidence that is not between 0 and 1.
    """
    if df < 1:
        raise ValueError(f"df is {df}; give 1 or more degrees of freedom")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a share between 0 and 1, such as 0.95")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    t = _corrected(z, df)
    if df >= _ENOUGH:
        return t
    # The tail is convex: where t begins too high, one step leads below, and from there every step stays below.
    for _ in range(200):
        step = (_beyond(t, df) - (1 - confidence)) / (2 * _density(t, df))
        t = max(t + step, t / 2)
        # Newton squares what is missing, so that it is below the last digit after a step as short as this.
        if abs(step) <= 1e-8 * t:
            break
    return t


def t_tail(t: float, df: float) -> float:
    """P(T > t). Raises ValueError for less than one degree of freedom."""
    if df < 1:
        raise ValueError(f"df is {df}; give 1 or more degrees of freedom")
    beyond = _beyond(t, df) / 2
    return beyond if t > 0 else 1 - beyond


def _corrected(z: float, df: float) -> float:
    square = z * z
    terms = (
        (square + 1) / 4,
        ((5 * square + 16) * square + 3) / 96,
        (((3 * square + 19) * square + 17) * square - 15) / 384,
        ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92160,
    )
    t = z
    for power, term in enumerate(terms, 1):
        t += z * term / df**power
    return max(t, z)


def _density(t: float, df: float) -> float:
    log_scale = lgamma((df + 1) / 2) - lgamma(df / 2) - log(df * pi) / 2
    return exp(log_scale - (df + 1) / 2 * log1p(t * t / df))


def _beyond(t: float, df: float) -> float:
    """P(|T| > t)."""
    square = t * t
    return incomplete_beta(df / (df + square), df / 2, 0.5, square / (df + square))
