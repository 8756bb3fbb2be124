"""The part of a log's Merkle tree that proves that some events are in it: what a reader works out, and what is given.

1. A tree over `size` events splits at the largest power of two below its size, and so do its halves (RFC 9162, section
   2.1.1).
2. A subtree with none of the events in it is not opened: its hash is given in their inclusion paths.
3. Everything else is worked out from below: an event's own hash is its leaf, and a node's is SHA-256 over a one byte
   and the hashes of its two halves. The last one is the root that was signed.

A hash that the paths do not give is None, and so is what would be worked out from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import polars as pl

EVENT, GIVEN, COMPUTED, ROOT = "event", "given", "computed", "root"

_SCHEMA: dict[str, pl.DataType] = {
    "kind": pl.String(),
    "text": pl.String(),
    "first": pl.Int64(),
    "last": pl.Int64(),
    "events": pl.Int64(),
    "place": pl.Float64(),
    "height": pl.Int64(),
    "parent_place": pl.Float64(),
    "parent_height": pl.Int64(),
    "hash": pl.String(),
}


@dataclass(frozen=True)
class Leaf:
    """An event that is proven. `path` are the hashes (hex) of its inclusion proof, the lowest first."""

    n: int
    text: str
    leaf_hash: str
    path: Sequence[str]


@dataclass
class _Tree:
    leaves: Sequence[Leaf]
    rows: list[dict[str, object]] = field(default_factory=list)
    places: int = 0

    def take_place(self) -> float:
        self.places += 1
        return float(self.places - 1)


def proving_tree(leaves: Sequence[Leaf], size: int) -> pl.DataFrame:
    """A row for each node, the lower ones first.

    `kind` is `event`, `given`, `computed` or `root`; `first` and `last` are the numbers of the events below it,
    `events` how many; `place` counts from the left, `height` is how often its events can be halved; those of its parent
    are null at the root. `hash` is hex. Raises ValueError for no leaf, or one that is not in a tree of this size.
    """
    ordered = sorted({leaf.n: leaf for leaf in leaves}.values(), key=lambda leaf: leaf.n)
    if not ordered or ordered[0].n < 0 or ordered[-1].n >= size:
        raise ValueError(f"a tree of {size} events does not hold {[leaf.n for leaf in ordered] or 'no event'}")
    tree = _Tree(ordered)
    _grow(tree, 0, size, 0, ordered, None)
    if len(tree.rows) > 1:
        tree.rows[-1]["kind"] = ROOT
    return pl.DataFrame(tree.rows, schema=_SCHEMA)


def _grow(
    tree: _Tree, start: int, end: int, depth: int, leaves: Sequence[Leaf], given: str | None
) -> dict[str, object]:
    """The row of the node over events `start` up to `end`, after the rows below it."""
    row: dict[str, object] = {"first": start, "last": end - 1, "events": end - start, "text": None}
    row["height"] = (end - start - 1).bit_length()
    if not leaves:
        row |= {"kind": GIVEN, "place": tree.take_place(), "hash": given}
    elif end - start == 1:
        row |= {"kind": EVENT, "place": tree.take_place(), "hash": leaves[0].leaf_hash, "text": leaves[0].text}
    else:
        row |= _join(tree, start, end, depth, leaves)
    tree.rows.append(row)
    return row


def _join(tree: _Tree, start: int, end: int, depth: int, leaves: Sequence[Leaf]) -> dict[str, object]:
    middle = start + (1 << ((end - start - 1).bit_length() - 1))
    left = [leaf for leaf in leaves if leaf.n < middle]
    right = [leaf for leaf in leaves if leaf.n >= middle]
    first = _grow(tree, start, middle, depth + 1, left, _beside(right, depth) if right else None)
    second = _grow(tree, middle, end, depth + 1, right, _beside(left, depth) if left else None)
    place = (float(str(first["place"])) + float(str(second["place"]))) / 2
    for child in (first, second):
        child["parent_place"], child["parent_height"] = place, (end - start - 1).bit_length()
    return {"kind": COMPUTED, "place": place, "hash": _joined(first["hash"], second["hash"])}


def _beside(leaves: Sequence[Leaf], depth: int) -> str | None:
    """The hash of the subtree beside the one that the leaves are in, from the end of a path."""
    path = leaves[0].path
    return path[-1 - depth] if depth < len(path) else None


def _joined(left: object, right: object) -> str | None:
    try:
        return sha256(b"\1" + bytes.fromhex(str(left)) + bytes.fromhex(str(right))).hexdigest()
    except ValueError:
        return None
