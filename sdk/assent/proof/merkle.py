"""The Merkle tree of RFC 9162 (section 2.1; RFC 6962 has the same): its root, its proofs, and how they are checked.

A tree over `size` leaves is a row of complete subtrees, one for each bit that is set in `size`, the largest first; its
root joins them from the right. So whoever can name the hash of any complete subtree (a `Node`) gets every root and
every proof of every earlier size with a number of such look-ups that grows with the logarithm of the size.

Complete subtrees never change once they are complete. Written down in the order of their completion they make a file
that is only ever appended to: leaf `n` completes itself, and then one node for each one bit at the end of `n`. Before
leaf `n` lie `n` leaves and the nodes over them, `2n - popcount(n)` hashes in all.

A leaf's own hash starts from a zero byte (`assent.proof.canonical.leaf_hash`), a node's from a one, so that neither can
be passed off as the other. The checks follow the RFC's algorithms (2.1.3.2 and 2.1.4.2) and demand proofs of exactly
the right length. They answer False for whatever is wrong, and never raise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final

HASH_BYTES: Final = 32
EMPTY: Final[bytes] = sha256(b"").digest()
"""The root of a tree without leaves."""

Node = Callable[[int, int], bytes]
"""The hash of a complete subtree of 2**level leaves, by level and its index from the left; level 0 are the leaves."""


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def root_of(size: int, node: Node) -> bytes:
    """The root over the first `size` leaves. Raises ValueError for a negative size."""
    if size < 0:
        raise ValueError(f"a tree has 0 leaves or more, not {size}")
    return _span(0, size, node) if size else EMPTY


def inclusion_of(n: int, size: int, node: Node) -> list[bytes]:
    """The hashes that lead from leaf `n` to the root over the first `size` leaves, the lowest first.

    Raises ValueError unless 0 <= n < size.
    """
    if not 0 <= n < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {n}")
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if n < middle:
            path.append(_span(middle, end, node))
            end = middle
        else:
            path.append(_span(start, middle, node))
            start = middle
    return path[::-1]


def consistency_of(first: int, second: int, node: Node) -> list[bytes]:
    """The hashes that show that the tree of `first` leaves is the beginning of that of `second`.

    None are needed from an empty tree or between equal sizes. Raises ValueError unless 0 <= first <= second.
    """
    if not 0 <= first <= second:
        raise ValueError(f"a tree of {first} leaves is not the beginning of one of {second}")
    if first in (0, second):
        return []
    path: list[bytes] = []
    start, end = 0, second
    while first != end:
        middle = start + _split(end - start)
        if first <= middle:
            path.append(_span(middle, end, node))
            end = middle
        else:
            path.append(_span(start, middle, node))
            start = middle
    if start:
        path.append(_span(start, end, node))
    return path[::-1]


def completed(n: int, leaf: bytes, node: Node) -> list[bytes]:
    """The hashes that leaf `n`, whose hash is `leaf`, completes: itself, then each node it finishes, lowest first.

    `node` is asked for older subtrees only.
    """
    hashes = [leaf]
    level = 0
    while n & 1:
        hashes.append(node_hash(node(level, n - 1), hashes[-1]))
        n >>= 1
        level += 1
    return hashes


def stored_index(level: int, index: int) -> int:
    """Where a node lies among all in the order of their completion; leaf `n` lies at `stored_index(0, n)`, and that is
    also how many there are when the tree has `n` leaves."""
    last = ((index + 1) << level) - 1
    return 2 * last - last.bit_count() + level


def verify_inclusion(leaf: bytes, n: int, size: int, hashes: Sequence[bytes], root: bytes) -> bool:
    """Whether `hashes` show that `leaf` is the hash of leaf `n` in the tree of `size` leaves with this root."""
    if not 0 <= n < size or not _are_hashes(leaf, root, *hashes):
        return False
    at, last, found = n, size - 1, leaf
    for each in hashes:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node_hash(each, found)
            at, last = _up(at, last)
        else:
            found = node_hash(found, each)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


def verify_consistency(first: int, second: int, first_root: bytes, second_root: bytes, hashes: Sequence[bytes]) -> bool:
    """Whether `hashes` show that the tree of `first` leaves is the beginning of that of `second`, by their roots.

    An empty tree is the beginning of every tree; its root must be `EMPTY`, and so of `second` nothing is shown then.
    """
    if not 0 <= first <= second or not _are_hashes(first_root, second_root, *hashes):
        return False
    if first == second:
        return not hashes and first_root == second_root and (first > 0 or first_root == EMPTY)
    if first == 0:
        return not hashes and first_root == EMPTY
    # The root of a complete tree is a node of the larger one: no need to send what the verifier has.
    path = [first_root, *hashes] if first & (first - 1) == 0 else list(hashes)
    if not path:
        return False
    at, last = first - 1, second - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    old = new = path[0]
    for each in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            old, new = node_hash(each, old), node_hash(each, new)
            at, last = _up(at, last)
        else:
            new = node_hash(new, each)
        at, last = at >> 1, last >> 1
    return last == 0 and old == first_root and new == second_root


def _up(at: int, last: int) -> tuple[int, int]:
    """Past the levels at which the rightmost subtree has no sibling."""
    while at and not at & 1:
        at, last = at >> 1, last >> 1
    return at, last


def _span(start: int, end: int, node: Node) -> bytes:
    """The hash over leaves `start` up to `end`; `start` is where a subtree of at least that size begins."""
    parts: list[bytes] = []
    while start < end:
        level = (end - start).bit_length() - 1
        parts.append(node(level, start >> level))
        start += 1 << level
    found = parts.pop()
    while parts:
        found = node_hash(parts.pop(), found)
    return found


def _split(size: int) -> int:
    """The largest power of two below `size`, which is at least 2."""
    return 1 << ((size - 1).bit_length() - 1)


def _are_hashes(*values: bytes) -> bool:
    return all(len(value) == HASH_BYTES for value in values)
