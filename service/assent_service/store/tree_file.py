"""One organization's tree as a file: 32-byte hashes in the order of completion (`assent.proof.merkle`).

Nothing that a disk has spoilt is taken from it. A node is read together with its two children and must be their hash; a
leaf with its sibling and their node; a last leaf that has neither is compared with the log.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

from assent.proof.merkle import HASH_BYTES, Node, node_hash, root_of, stored_index
from assent_service.store.files import FILES


class Spoilt(Exception):
    """Hashes of a tree file that do not belong together, or are not there."""


class Frontier:
    """The open end of a tree: its size, and the hash of each complete subtree, the largest first."""

    __slots__ = ("peaks", "size")

    def __init__(self, size: int, peaks: list[bytes]) -> None:
        self.size, self.peaks = size, peaks

    def extend(self, leaves: Iterable[bytes]) -> bytes:
        """What these leaves complete, as the file has it. This is run for every event: no calls but of hashlib."""
        n, peaks, hashes = self.size, self.peaks, list[bytes]()
        pop, push, write = peaks.pop, peaks.append, hashes.append
        for found in leaves:
            write(found)
            left = n
            while left & 1:
                found = sha256(b"\1" + pop() + found).digest()
                write(found)
                left >>= 1
            push(found)
            n += 1
        self.size = n
        return b"".join(hashes)

    def root(self) -> bytes:
        """The root over all leaves so far."""
        return root_of(self.size, lambda level, _: self.peaks[(self.size >> level + 1).bit_count()])


def tree_path(folder: Path, org_id: str) -> Path:
    return folder / org_id


def peaks(size: int) -> list[tuple[int, int]]:
    """Level and index of each complete subtree of a tree, the largest first."""
    found: list[tuple[int, int]] = []
    start = 0
    for level in range(size.bit_length() - 1, -1, -1):
        if size >> level & 1:
            found.append((level, start >> level))
            start += 1 << level
    return found


def checked_nodes(fd: int, size: int, leaf_of: Callable[[int], bytes]) -> Node:
    """The nodes of a file that holds `size` leaves or more, each checked; raises Spoilt for one that is not right."""

    def read(index: int, count: int) -> bytes:
        wanted = HASH_BYTES * count
        found = os.pread(fd, wanted, HASH_BYTES * index)
        if len(found) != wanted:
            raise Spoilt(f"it has less than {index + count} hashes")
        return found

    def node(level: int, index: int) -> bytes:
        at = stored_index(level, index)
        if level:
            # The right child comes right before the node, and the left one before all that is under the right.
            both = read(at - 1, 2)
            right, found = both[:HASH_BYTES], both[HASH_BYTES:]
            good = node_hash(read(at - (1 << level), 1), right) == found
        elif index | 1 < size:
            three = read(at - (index & 1), 3)
            found = three[HASH_BYTES : 2 * HASH_BYTES] if index & 1 else three[:HASH_BYTES]
            good = node_hash(three[:HASH_BYTES], three[HASH_BYTES : 2 * HASH_BYTES]) == three[2 * HASH_BYTES :]
        else:
            found = read(at, 1)
            good = found == leaf_of(index)
        if not good:
            raise Spoilt(f"its hash {at} does not fit the others")
        return found

    return node


def bytes_of(size: int) -> int:
    """How long the file of a tree with so many leaves is."""
    return HASH_BYTES * stored_index(0, size)


def make_folder(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True)
        FILES.sync_folder(folder.parent)


def open_tree(folder: Path, org_id: str) -> int:
    path = tree_path(folder, org_id)
    try:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        FILES.sync_folder(folder)
        return fd


def write_at(fd: int, data: bytes, at: int) -> None:
    left = memoryview(data)
    while left:
        written = os.pwrite(fd, left, at)
        left, at = left[written:], at + written
