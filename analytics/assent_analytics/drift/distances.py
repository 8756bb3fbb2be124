"""How far apart two samples of numbers are, from their tables of values (`values`), for many groups at once.

1. `ks` is the largest distance of the two empirical distribution functions.
2. `wasserstein` is the area between them, in the unit of the values: how far mass has to move (Ramdas, Trillos and
   Cuturi, Entropy 19, 2017).
3. `delta` is Cliff's delta and `variance` that of it (`effects`, rule 1).
4. The bins of `psi` and `jensen_shannon` (`categories`, rules 4 and 5) are the ten deciles of the baseline, each up to
   and with the least value that has k tenths of the baseline at or below it (type 1 of Hyndman and Fan 1996), and one
   bin each for what lies below and above the whole baseline. Deciles that ties make one are one bin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assent_analytics.drift import categories
from assent_analytics.drift.values import Floats, Table

DECILES = 10
_HALF = np.finfo(np.float64).max / 2


class Distances(NamedTuple):
    ks: float
    wasserstein: float
    delta: float
    variance: float
    psi: float
    jensen_shannon: float


def distances(table: Table) -> list[Distances]:
    """Rules 1 to 4 for each group of a table, none of whose samples is empty."""
    of_b, of_r, starts = table.baseline, table.recent, table.starts
    ends = np.append(starts[1:], len(table.value))
    share_b, share_r = np.cumsum(of_b), np.cumsum(of_r)
    m, n = (np.diff(so_far[ends - 1], prepend=0.0) for so_far in (share_b, share_r))
    before_b, before_r = share_b[ends - 1] - m, share_r[ends - 1] - n
    in_baseline, in_recent = _bins(starts, share_b, share_r, (before_b, before_r), (m, n))

    def each(of_group: Floats) -> Floats:
        """A number of each group for each of its values; one group's number needs no copies."""
        return of_group if len(starts) == 1 else np.repeat(of_group, ends - starts)

    def total(*factors: Floats) -> Floats:
        if len(starts) == 1:
            # Not as a matrix product: that of BLAS starts threads, which takes longer than the sum.
            return np.array([np.einsum(",".join("i" * len(factors)) + "->", *factors)])
        sums: Floats = np.add.reduceat(np.prod(factors, axis=0), starts)
        return sums

    # In place wherever it can be: fresh memory for ten million values takes longer than counting with them.
    sizes_b, sizes_r = each(m), each(n)
    for share, before, size in ((share_b, before_b, sizes_b), (share_r, before_r, sizes_r)):
        share -= each(before)
        share /= size
    apart = np.subtract(share_b, share_r)
    np.abs(apart, out=apart)
    # Half the distance of two finite values is always finite; twice that need not be.
    value, times = (
        (table.value, 1.0)
        if max(abs(table.value[starts]).max(), abs(table.value[ends - 1]).max()) < _HALF
        else (table.value / 2, 2.0)
    )
    width = np.empty_like(apart)
    np.subtract(value[1:], value[:-1], out=width[:-1])
    width[ends - 1] = 0.0
    ks = np.maximum.reduceat(apart, starts)
    area = [times * float(each) for each in total(apart, width)]
    # Of each value of the baseline, the share of recent ones above it less that below: 1 - (2 r - its own).
    dominance = np.divide(of_r, sizes_r, out=apart)
    dominance -= share_r
    dominance -= share_r
    dominance += 1
    delta, square_b = total(dominance, of_b) / m, total(dominance, dominance, of_b) / m
    # Of each recent value, the share of the baseline below it less that above: 2 b - its own - 1.
    dominance = np.divide(of_b, sizes_b, out=width)
    np.subtract(share_b, dominance, out=dominance)
    dominance += share_b
    dominance -= 1
    square_r = total(dominance, dominance, of_r) / n
    variance = _variance(delta, m, n, square_b, square_r, total(of_b, of_r) / (m * n))
    rows = zip(ks.tolist(), area, delta.tolist(), variance.tolist(), in_baseline, in_recent, strict=True)
    return [
        Distances(far, moved, dominant, spread, categories.psi(b, r), categories.jensen_shannon(b, r))
        for far, moved, dominant, spread, b, r in rows
    ]


def _variance(delta: Floats, m: Floats, n: Floats, square_b: Floats, square_r: Floats, tied: Floats) -> Floats:
    """Rule 3, from mean squared dominances and the share of pairs that tie; 0 for samples of one value."""
    square = delta * delta
    spread = (square_b - square) * n + (square_r - square) * m - (1 - tied - square)
    enough = (m > 1) & (n > 1)
    variance: Floats = np.where(enough, spread / np.where(enough, (m - 1) * (n - 1), 1.0), 0.0)
    return variance


def _bins(
    starts: NDArray[np.int64],
    so_far_b: Floats,
    so_far_r: Floats,
    before: tuple[Floats, Floats],
    sizes: tuple[Floats, Floats],
) -> tuple[list[list[float]], list[list[float]]]:
    """Counts in each bin of rule 4, of each group: by where the running count of the baseline reaches its tenths."""
    tenths = np.ceil(np.arange(1, DECILES + 1) * sizes[0][:, None] / DECILES)
    places = np.searchsorted(so_far_b, before[0][:, None] + tenths)
    first = np.searchsorted(so_far_b, before[0], side="right")
    below = np.where(first > starts, so_far_r[first - 1] - before[1], 0.0)
    up_to_b = np.hstack([np.zeros((len(first), 1)), so_far_b[places] - before[0][:, None], sizes[0][:, None]])
    up_to_r = np.hstack([below[:, None], so_far_r[places] - before[1][:, None], sizes[1][:, None]])
    return np.diff(up_to_b, prepend=0.0).tolist(), np.diff(up_to_r, prepend=0.0).tolist()
