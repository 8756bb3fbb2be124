"""A log of any size for tests: some leaves are events, all others are made up from their number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256

from assent.proof.merkle import consistency_of, inclusion_of, node_hash, root_of


class Grove:
    """The tree of a log in which `leaves` (by number) lie. What lies under a node without any of them is made up from
    where the node is, so that a tree of a million leaves costs no more than its paths. `cuts` are the sizes at which
    earlier trees ended: nodes across them are made of their children."""

    def __init__(self, leaves: Mapping[int, bytes], seed: str = "grove", cuts: Iterable[int] = ()) -> None:
        self._leaves, self._seed, self._cuts = dict(leaves), seed, tuple(cuts)
        self.node = cache(self._node)

    def root(self, size: int) -> bytes:
        return root_of(size, self.node)

    def inclusion(self, n: int, size: int) -> list[str]:
        return [each.hex() for each in inclusion_of(n, size, self.node)]

    def consistency(self, first: int, second: int) -> list[str]:
        return [each.hex() for each in consistency_of(first, second, self.node)]

    def _node(self, level: int, index: int) -> bytes:
        start, end = index << level, (index + 1) << level
        whole = level == 0 or not any(start < cut < end for cut in self._cuts)
        if whole and not any(n >> level == index for n in self._leaves):
            return sha256(f"{self._seed} {level} {index}".encode()).digest()
        if level == 0:
            return self._leaves[index]
        return node_hash(self.node(level - 1, 2 * index), self.node(level - 1, 2 * index + 1))
