"""One organization's tree as a file: 32-byte hashes in the order of completion (`assent.proof.merkle`).

Nothing that a disk has spoilt is taken from it. A node is read together with its two children and must be their hash; a
leaf with its sibling and their node; a last leaf that has neither is compared with the log. Files are made from the log
beside the old ones, and put into their places once they are complete.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from assent.proof.merkle import HASH_BYTES, Node, node_hash, root_of, stored_index
from assent_service.store.event import Event
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


UNFINISHED: Final = "~"
"""How the names of files end that are being made; no organization's does."""
MAKING: Final = 8192
"""Leaves that are gathered between two writes."""


def make(folder: Path, events: Iterable[Event], wanted: Mapping[str, int]) -> dict[str, int]:
    """Make the trees in `wanted`, of so many leaves each, from the `events` of the log; how large each became. They are
    put into their places unless one has become too small."""
    maker = TreeMaker(folder, wanted)
    try:
        for event in events:
            if maker.complete:
                break
            maker.take(event)
        if maker.complete:
            maker.finish()
        return maker.sizes
    finally:
        maker.give_up()


class TreeMaker:
    """Makes trees event by event, beside the old ones; `finish` puts them in their place. No descriptor stays open."""

    def __init__(self, folder: Path, wanted: Mapping[str, int] | None = None) -> None:
        self._folder, self._wanted = folder, wanted
        self._open = {org_id for org_id, size in wanted.items() if size} if wanted is not None else None
        self._frontiers: dict[str, Frontier] = {}
        self._leaves: dict[str, list[bytes]] = {}
        self._gathered = 0
        for org_id in wanted or ():
            self._begin(org_id)

    @property
    def complete(self) -> bool:
        return self._open is not None and not self._open

    def take(self, event: Event) -> None:
        org_id = event.org
        if self._open is not None and org_id not in self._open:
            return
        if org_id not in self._frontiers:
            self._begin(org_id)
        self._leaves.setdefault(org_id, []).append(event.leaf_hash)
        self._gathered += 1
        if self._open is not None and self._wanted is not None and event.n + 1 >= self._wanted[org_id]:
            self._open.discard(org_id)
        if self._gathered >= MAKING:
            self._flush()

    @property
    def sizes(self) -> dict[str, int]:
        """How many leaves each organization has got."""
        gathered = {org_id: len(leaves) for org_id, leaves in self._leaves.items()}
        return {org_id: frontier.size + gathered.get(org_id, 0) for org_id, frontier in self._frontiers.items()}

    def finish(self, *, alone: bool = False) -> None:
        """Make the files durable and put them in their places; when they are to be alone, all others in the folder
        go."""
        self._flush()
        for org_id in self._frontiers:
            path = self._unfinished(org_id)
            fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            try:
                FILES.fdatasync(fd)
            finally:
                os.close(fd)
            path.replace(tree_path(self._folder, org_id))
        if alone:
            for other in self._folder.iterdir():
                if other.is_file() and other.name not in self._frontiers:
                    other.unlink()
        FILES.sync_folder(self._folder)

    def give_up(self) -> None:
        """Take away what was not finished."""
        for org_id in self._frontiers:
            self._unfinished(org_id).unlink(missing_ok=True)

    def _begin(self, org_id: str) -> None:
        self._frontiers[org_id] = Frontier(0, [])
        os.close(os.open(self._unfinished(org_id), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600))

    def _flush(self) -> None:
        for org_id, leaves in self._leaves.items():
            frontier = self._frontiers[org_id]
            at = bytes_of(frontier.size)
            fd = os.open(self._unfinished(org_id), os.O_RDWR | os.O_CLOEXEC)
            try:
                write_at(fd, frontier.extend(leaves), at)
            finally:
                os.close(fd)
        self._leaves, self._gathered = {}, 0

    def _unfinished(self, org_id: str) -> Path:
        return self._folder / f"{org_id}{UNFINISHED}"
