"""Rates with what they leave open: the Wilson score interval of a proportion.

E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
Statistical Association 22 (1927), 209-212. With k of n and z the normal quantile, centre and half-width are

    (k + z^2 / 2) / (n + z^2)        z / (n + z^2) * sqrt(k * (n - k) / n + z^2 / 4)
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import polars as pl


def wilson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of successes / n as shares from 0 to 1; (0, 1) when n is 0: nothing is known then.

    Raises ValueError for counts that cannot be and for a confidence that is not between 0 and 1.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} cannot be; give 0 <= successes <= n")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a share between 0 and 1, such as 0.95")
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre = (successes + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * sqrt(successes * (n - successes) / n + z * z / 4)
    # At both ends the two terms are the same number, which rounding would miss by a hair.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    return low, 1.0 if successes == n else min(1.0, centre + half)


def wilson_band(successes: pl.Expr, n: pl.Expr, confidence: float = 0.95) -> tuple[pl.Expr, pl.Expr]:
    """The same for every row of a frame: its lower and its upper end."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    k, of = successes.cast(pl.Float64), n.cast(pl.Float64)
    centre = (k + z * z / 2) / (of + z * z)
    half = z / (of + z * z) * (k * (of - k) / of + z * z / 4).sqrt()
    low, high = pl.max_horizontal(0.0, centre - half), pl.min_horizontal(1.0, centre + half)
    known_low, known_high = (n > 0) & (k > 0), (n > 0) & (k < of)
    return pl.when(known_low).then(low).otherwise(0.0), pl.when(known_high).then(high).otherwise(1.0)
