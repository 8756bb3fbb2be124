"""Quantiles with what they leave open, whatever the distribution.

How many of n values lie below the q-quantile is binomial (n, q), so two of the sorted values enclose it with a
probability that depends on their ranks alone (H. A. David and H. N. Nagaraja, "Order Statistics", 3rd edition, 2003,
section 7.1). Chosen are the highest lower rank and the lowest upper rank that leave at most half of 1 - confidence on
their side. Few values may enclose it on one side only, or on none: the end is then None.

The quantile itself interpolates linearly (type 7 of Hyndman and Fan 1996), as in `approvals`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import polars as pl

from assent_analytics.beta import incomplete_beta


class Quantile(NamedTuple):
    """`value` is None of no values; `low` and `high` are None where too few values enclose it on that side."""

    value: float | None
    low: float | None
    high: float | None


def quantile(values: pl.Series, share: float, confidence: float = 0.95) -> Quantile:
    """Of the finite values. Raises ValueError for a share or a confidence that is not between 0 and 1."""
    ordered = values.cast(pl.Float64).drop_nulls()
    ordered = ordered.filter(ordered.is_finite()).sort()
    below, above = ranks(ordered.len(), share, confidence)
    value = ordered.quantile(share, "linear")
    return Quantile(
        value,
        None if below is None else float(ordered[below - 1]),
        None if above is None else float(ordered[above - 1]),
    )


def ranks(n: int, share: float, confidence: float = 0.95) -> tuple[int | None, int | None]:
    """The ranks, from 1 on, of the values that enclose the quantile. Raises as `quantile` does."""
    for name, given in (("share", share), ("confidence", confidence)):
        if not 0 < given < 1:
            raise ValueError(f"{name} is {given}; give a share between 0 and 1, such as 0.95")
    tail = (1 - confidence) / 2
    # Rank r encloses from below where at most r - 1 values being lower is improbable.
    below = _last(n, lambda r: _at_most(r - 1, n, share) <= tail)
    above = _last(n, lambda r: _at_most(r - 1, n, share) < 1 - tail) + 1
    return (below or None), (above if above <= n else None)


def _last(n: int, holds: Callable[[int], bool]) -> int:
    """The last of the ranks 1 to n for which something holds that holds for those before it; 0 when for none."""
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _at_most(k: int, n: int, share: float) -> float:
    """The probability that a binomial (n, share) is k or less."""
    if k >= n:
        return 1.0
    return incomplete_beta(1 - share, n - k, k + 1, rest=share)
