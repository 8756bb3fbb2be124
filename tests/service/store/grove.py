"""Trees over a log that lives in memory, and what they must answer."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assent.proof.canonical import leaf_hash
from assent.proof.merkle import verify_consistency, verify_inclusion
from assent_service.store.event import Event
from assent_service.store.tree import Tree
from tests.vectors.test_merkle import mth

ORGS = ("org_a", "org_b")


def event(org: str, n: int) -> Event:
    leaf = leaf_hash(b"%b %d" % (org.encode(), n))
    return Event(n + 1, 1, 1, n, org, "t", 1, "s", None, "k", leaf, b"", b"", 1, 0, 1)


def leaves(org: str, size: int) -> tuple[bytes, ...]:
    return tuple(event(org, n).leaf_hash for n in range(size))


def root(org: str, size: int) -> bytes:
    return mth(leaves(org, size))


class Grove:
    """Trees over a log that lives in memory, and how often that was read."""

    def __init__(self, folder: Path, sizes: dict[str, int] | None = None) -> None:
        self.folder, self.applied = folder, dict(sizes or {})
        self.events: list[Event] = []
        self.read = 0
        self.asked: list[tuple[str, int]] = []
        self.open()

    def open(self) -> Tree:
        self.tree = Tree(self.folder, self.applied, leaf_of=self.leaf_of, reread=self.reread)
        return self.tree

    def leaf_of(self, org: str, n: int) -> bytes:
        self.asked.append((org, n))
        return event(org, n).leaf_hash

    def reread(self) -> Iterable[Event]:
        self.read += 1
        return iter(self.events)

    def record(self, org: str, count: int) -> list[Event]:
        first = sum(each.org == org for each in self.events)
        fresh = [event(org, n) for n in range(first, first + count)]
        self.events += fresh
        return fresh

    def grow(self, org: str, count: int) -> None:
        self.tree.extend(self.record(org, count))
        self.applied[org] = self.tree.size(org)

    def file(self, org: str = "org_a") -> Path:
        return self.folder / org


def hold(tree: Tree, org: str, size: int) -> None:
    """That the tree answers for every leaf and every earlier size."""
    whole = root(org, size)
    assert tree.size(org) == size
    assert tree.root(org, size) == whole
    for n in range(size):
        assert tree.leaf(org, n) == leaves(org, size)[n]
        assert verify_inclusion(tree.leaf(org, n), n, size, tree.inclusion(org, n, size), whole)
    for first in range(size + 1):
        assert verify_consistency(first, size, tree.root(org, first), whole, tree.consistency(org, first, size))
