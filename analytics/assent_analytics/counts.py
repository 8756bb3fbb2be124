"""Counts with what they leave open.

A count of things that come independently, at a pace of their own, follows Poisson's distribution.

1. The interval of a count n is Garwood's, which is exact (F. Garwood, "Fiducial limits for the Poisson distribution",
   Biometrika 28 (1936), 437-442): between the quantiles of the gamma distribution of shape n at (1 - c) / 2 and of
   shape n + 1 at (1 + c) / 2; it begins at 0 for n = 0. A rate is the count over what it was counted of, and its
   interval is the count's over the same.
2. Two counts over equal times: of n + before, n is binomial with p = r / (1 + r) where r is the ratio of their paces
   (J. Przyborowski and H. Wilenski, "Homogeneity of results in testing samples from Poisson series", Biometrika 31
   (1940), 313-323). The ratio's interval is Wilson's of p, turned back by p / (1 - p). It has no upper end where
   nothing was counted before.

Things that come in bursts vary more than this says.
"""

from __future__ import annotations

from assent_analytics.gamma import lower
from assent_analytics.rates import wilson


def garwood(n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of the mean of a Poisson variable that was n once, to about 12 digits.

    Raises ValueError for a negative count and for a confidence that is not between 0 and 1.
    """
    if n < 0:
        raise ValueError(f"n is {n}; give a count of 0 or more")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a share between 0 and 1, such as 0.95")
    tail = (1 - confidence) / 2
    return (_gamma_quantile(tail, n) if n else 0.0), _gamma_quantile(1 - tail, n + 1)


def ratio(n: int, before: int, confidence: float = 0.95) -> tuple[float | None, float | None, float | None]:
    """n / before and its interval by rule 2; None for what cannot be said: nothing where neither was counted.

    Raises ValueError for negative counts and for a confidence that is not between 0 and 1.
    """
    if n < 0 or before < 0:
        raise ValueError(f"the counts are {n} and {before}; give counts of 0 or more")
    low, high = wilson(n, n + before, confidence)
    if n + before == 0:
        return None, None, None
    if before == 0:
        return None, low / (1 - low), None
    return n / before, low / (1 - low), high / (1 - high)


def _gamma_quantile(share: float, shape: int) -> float:
    """The x with P(shape, x) = share, by halving."""
    low, high = 0.0, shape + 1.0
    while lower(shape, high) < share:
        low, high = high, high * 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if lower(shape, middle) < share else (low, middle)
    return high
