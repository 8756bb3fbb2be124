"""Many tests at once: the false discovery rate.

Benjamini and Hochberg, "Controlling the false discovery rate", Journal of the Royal Statistical Society B 57 (1995),
289-300. With the p-values in order, the adjusted one of rank i of m is the least of m * p(j) / j over all j >= i. Those
at most q are the discoveries; of them at most the share q is false on average, if the tests are independent or depend
on each other positively.
"""

from __future__ import annotations

from collections.abc import Sequence


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """The adjusted p-values, in the order given. Raises ValueError for a value that is not between 0 and 1."""
    wrong = [p for p in p_values if not 0 <= p <= 1]
    if wrong:
        raise ValueError(f"{wrong[0]} is no p-value; give numbers from 0 to 1")
    adjusted = [0.0] * len(p_values)
    least = 1.0
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    for rank in range(len(order), 0, -1):
        index = order[rank - 1]
        least = min(least, p_values[index] * len(order) / rank)
        adjusted[index] = least
    return adjusted
