"""The trend of a few points: how much a number changes from one step to the next.

1. Theil and Sen's slope is the median of the slopes between all pairs of points (P. K. Sen, "Estimates of the
   regression coefficient based on Kendall's tau", Journal of the American Statistical Association 63 (1968),
   1379-1389). One wild point in four does not move it far.
2. Its interval follows from the variance of Kendall's S under no trend, ties counted (Sen 1968, section 6),

       18 * variance = n(n - 1)(2n + 5) - sum of t(t - 1)(2t + 5) over the groups of t equal values:

   with N slopes and z the normal quantile, it lies between the ones that stand at (N -+ z * sqrt(variance)) / 2 in
   order. Below 5 points even the outermost slopes cover less than 95%, and there is none.
3. The least-squares slope has Student's interval with n - 2 degrees of freedom, from 3 points on. It supposes errors
   that are alike and normal.
4. Points at the same place have no slope between them. Of fewer than 2 places there is no slope. Points of one height
   have the slope 0 and no interval: nothing shows how much they scatter. Nor is there one where so many points share
   places and heights that the variance of rule 2 is not above 0.

Time and memory grow with the square of the points: 400 of them make 80,000 slopes.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assent_analytics.means import t_quantile

LEAST_FOR_SEN = 5
LEAST_FOR_STUDENT = 3


class Slope(NamedTuple):
    """Per step of x. `low` and `high` are None where the points are too few for an interval, all three where they
    have no slope."""

    slope: float | None
    low: float | None
    high: float | None


def theil_sen(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> Slope:
    """Rules 1 and 2, for points that are finite. Raises ValueError for x and y of different lengths."""
    places, values = _points(x, y)
    upper, lower = np.triu_indices(len(places), 1)
    across = places[lower] - places[upper]
    rise = values[lower] - values[upper]
    slopes = np.sort(rise[across != 0] / across[across != 0])
    if not len(slopes):
        return Slope(None, None, None)
    middle = float(np.median(slopes)) + 0.0
    variance = _variance(places, values)
    if len(places) < LEAST_FOR_SEN or variance <= 0:
        return Slope(middle, None, None)
    spread = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(variance)
    count = len(slopes)
    last = min(round((count + spread) / 2), count - 1)
    first = max(round((count - spread) / 2) - 1, 0)
    return Slope(middle, float(slopes[first]), float(slopes[last]))


def least_squares(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> Slope:
    """Rule 3, for points that are finite. Raises ValueError for x and y of different lengths."""
    places, values = _points(x, y)
    n = len(places)
    if n < 2:
        return Slope(None, None, None)
    across, rise = places - places.mean(), values - values.mean()
    square = float(across @ across)
    if square == 0:
        return Slope(None, None, None)
    slope = float(across @ rise) / square
    if n < LEAST_FOR_STUDENT or _flat(values):
        return Slope(slope, None, None)
    left = rise - slope * across
    half = t_quantile(n - 2, confidence) * sqrt(float(left @ left) / (n - 2) / square)
    return Slope(slope, slope - half, slope + half)


def _points(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    places, values = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if places.shape != values.shape or places.ndim != 1:
        raise ValueError(f"x has the shape {places.shape}, y {values.shape}; give as many of one as of the other")
    return places, values


def _flat(values: NDArray[np.float64]) -> bool:
    return bool((values == values[0]).all())


def _variance(*sides: NDArray[np.float64]) -> float:
    n = len(sides[0])
    total = n * (n - 1) * (2 * n + 5)
    for side in sides:
        counts = np.unique(side, return_counts=True)[1]
        total -= int((counts * (counts - 1) * (2 * counts + 5)).sum())
    return total / 18
