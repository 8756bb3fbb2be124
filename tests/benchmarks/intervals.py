"""Where the true ratio lies, from few pairs measured on a noisy machine.

The centre is the Hodges-Lehmann estimate, the median of the geometric means of all pairs of ratios, and the interval is
that of Wilcoxon's signed-rank test: exact for independent pairs whose log ratios lie symmetrically, however heavy their
tails are: one slow second among twenty hides nothing.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement


@dataclass(frozen=True)
class Interval:
    """`low` and `high` are 0 and infinity where `n` pairs are too few for the confidence."""

    middle: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.middle:.2f} ({self.low:.2f}-{self.high:.2f}, n={self.n})"


def interval(ratios: Sequence[float], confidence: float = 0.99) -> Interval:
    """Of the ratio that pairs were measured to have; both sides together miss it with 1 - `confidence` at most."""
    logs = [math.log(each) for each in ratios]
    means = sorted((one + other) / 2 for one, other in combinations_with_replacement(logs, 2))
    cut = _rank(len(logs), (1 - confidence) / 2)
    low, high = (means[cut - 1], means[-cut]) if cut else (-math.inf, math.inf)
    return Interval(math.exp(statistics.median(means)), math.exp(low), math.exp(high), len(logs))


def _rank(n: int, tail: float) -> int:
    """The greatest k for which the signed-rank sum of n is below k with a probability of `tail` at most."""
    ways = [1]  # how many sets of the ranks so far add up to each sum
    for rank in range(1, n + 1):
        ways = [
            (ways[total] if total < len(ways) else 0) + (ways[total - rank] if total >= rank else 0)
            for total in range(len(ways) + rank)
        ]
    reached, k = 0, 0
    while k < len(ways) and (reached + ways[k]) <= tail * 2**n:
        reached, k = reached + ways[k], k + 1
    return k
