"""The past of a stream as counts, and the rank of each new value in it.

The sequential rank of the n-th value is u = (less + theta * equal) / n, where `less` values of the stream so far lie in
lower cells, `equal` (itself included) in its own, and theta is uniform on (0, 1). When the values are exchangeable, the
u's are independent and uniform on (0, 1), exactly and for any distribution: Renyi 1962, Barndorff-Nielsen 1963 for
ranks without ties; Vovk, Nouretdinov and Gammerman, "Testing exchangeability on-line" (ICML 2003), theorem 1, with
theta for ties. A smoothed conformal p-value is what it is called there.

theta is drawn from the stream's key, its epoch and n, by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a stream
that is replayed gets the same ranks.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from hashlib import blake2b

_MASK = (1 << 64) - 1
_GAMMA = 0x9E3779B97F4A7C15
_UNIT = 2.0**-53
_LOWEST, _HIGHEST = 2.0**-60, 1 - _UNIT
"""What rounding may not reach: 0 and 1 are no ranks."""


def seed_of(key: str, epoch: int) -> int:
    return int.from_bytes(blake2b(f"{epoch}:{key}".encode(), digest_size=8).digest(), "big")


def theta(seed: int, n: int) -> float:
    """The n-th number of this seed, uniform on (0, 1)."""
    x = (seed + n * _GAMMA) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return (((x ^ (x >> 31)) >> 11) + 0.5) * _UNIT


class Reference:
    """How many values were in each cell: `cells` in order, `counts` beside them, `n` in all."""

    __slots__ = ("_seed", "cells", "counts", "n")

    def __init__(self, seed: int, cells: bytes = b"", counts: bytes = b"") -> None:
        self._seed = seed
        self.cells, self.counts = array("i", cells), array("q", counts)
        self.n = sum(self.counts)

    def rank(self, cell: int) -> float:
        """Take the cell in, and say its rank, which lies within (0, 1)."""
        cells, counts = self.cells, self.counts
        place = bisect_left(cells, cell)
        if place < len(cells) and cells[place] == cell:
            counts[place] += 1
        else:
            cells.insert(place, cell)
            counts.insert(place, 1)
        n = self.n = self.n + 1
        u = (sum(counts[:place]) + theta(self._seed, n) * counts[place]) / n
        return min(_HIGHEST, max(_LOWEST, u))
