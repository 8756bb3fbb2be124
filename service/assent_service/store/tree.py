"""The organizations' Merkle trees, beside the log: `tree/<organization>`, 32-byte hashes in the order of completion.

A file is a fold of the log and holds nothing that the log does not: it is there so that a root or a proof takes a few
reads. The projector's thread writes a batch's hashes before the tables commit it. So a file may be ahead of the tables,
never of the log; at the start it is cut to what the tables have applied, and the rest comes again. Hashes that are
missing (an older data folder, a file that was deleted) are made from the log when somebody needs them: all that are
missing together, in one pass.

Nothing that a disk has spoilt is given away or built upon. A node is read together with its two children and must be
their hash; a leaf with its sibling and their node; a last leaf that has neither is compared with the log. What does not
fit has the organization's file made anew from the log, once; when it still does not fit, that is damage. (Whoever can
change these files at will can change the log as well: what shows that are signed heads, and `store.audit`.)

    tree = Tree(home / FOLDER, sizes, leaf_of=leaf_of, reread=reread)
    tree.extend(events)                         # by the projector, before the tables have them
    proof = tree.inclusion(org_id, n, tree.size(org_id))
"""

from __future__ import annotations

import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from assent.proof.merkle import Node, consistency_of, inclusion_of, root_of, verify_consistency, verify_inclusion
from assent_service.store.event import Event
from assent_service.store.failures import LogDamaged
from assent_service.store.files import FILES
from assent_service.store.tree_file import (
    UNFINISHED,
    Frontier,
    Spoilt,
    bytes_of,
    checked_nodes,
    make,
    make_folder,
    open_tree,
    peaks,
    tree_path,
    write_at,
)

FOLDER: Final = "tree"
FRONTIERS: Final = 1024
"""Of how many organizations the open ends are kept in memory."""
OPEN_AT_ONCE: Final = 64
"""How many files a batch holds open: all are written before the first is synced, so that one commit of the file
system's journal serves them all."""

log = logging.getLogger("assent.tree")
Found = TypeVar("Found")


class Tree:
    """The trees of one data folder. `sizes` is how many leaves of each organization the tables have applied,
    `leaf_of(org_id, n)` reads a leaf hash from the log, `reread()` all of the log that is durable.

    All but `extend` may be called from any thread, and block; they answer in O(log n). ValueError is raised for what
    is out of range, LogDamaged when the log and a file that was made from it do not agree.
    """

    def __init__(
        self,
        folder: Path,
        sizes: Mapping[str, int],
        *,
        leaf_of: Callable[[str, int], bytes],
        reread: Callable[[], Iterable[Event]],
        keep: bool = True,
    ) -> None:
        self._folder, self._leaf_of, self._reread, self._keep = folder, leaf_of, reread, keep
        self._sizes = dict(sizes)
        self._last: dict[str, tuple[int, bytes]] = {}
        """The size and the last leaf of trees that grew to an odd size: the tables may not have that event yet."""
        self._frontiers: OrderedDict[str, Frontier] = OrderedDict()
        self._writing = threading.RLock()
        self._made: dict[str, int] = {}
        make_folder(folder)
        self._cut()

    # What is proven

    def size(self, org_id: str) -> int:
        """How many leaves there are; the tables may follow a moment later."""
        return self._sizes.get(org_id, 0)

    def leaf(self, org_id: str, n: int) -> bytes:
        if not 0 <= n < self.size(org_id):
            raise ValueError(f"the tree of {org_id} has {self.size(org_id)} leaves, and none is {n}")
        return self._answer(org_id, lambda node: node(0, n))

    def root(self, org_id: str, size: int) -> bytes:
        self._check_size(org_id, size)
        return self._answer(org_id, lambda node: root_of(size, node))

    def inclusion(self, org_id: str, n: int, size: int) -> list[bytes]:
        """The proof that leaf `n` is in the tree of the first `size` leaves, checked against its root."""
        self._check_size(org_id, size)

        def prove(node: Node) -> list[bytes]:
            proof = inclusion_of(n, size, node)
            if not verify_inclusion(node(0, n), n, size, proof, root_of(size, node)):
                raise Spoilt(f"its proof of leaf {n} does not lead to the root")
            return proof

        return self._answer(org_id, prove)

    def consistency(self, org_id: str, first: int, second: int) -> list[bytes]:
        """The proof that the tree of `first` leaves is the beginning of that of `second`, checked against both
        roots."""
        self._check_size(org_id, second)

        def prove(node: Node) -> list[bytes]:
            proof = consistency_of(first, second, node)
            if not verify_consistency(first, second, root_of(first, node), root_of(second, node), proof):
                raise Spoilt(f"its proof from {first} to {second} leaves does not lead to the roots")
            return proof

        return self._answer(org_id, prove)

    def _check_size(self, org_id: str, size: int) -> None:
        if not 0 <= size <= self.size(org_id):
            raise ValueError(f"the tree of {org_id} has {self.size(org_id)} leaves, not {size}")

    def _answer(self, org_id: str, ask: Callable[[Node], Found]) -> Found:
        made = self._made.get(org_id, 0)
        try:
            with self._reading(org_id) as node:
                return ask(node)
        except Spoilt as spoilt:
            with self._writing:
                if self._made.get(org_id, 0) == made:  # nobody has mended it meanwhile
                    self._mend(org_id, str(spoilt))
        try:
            with self._reading(org_id) as node:
                return ask(node)
        except Spoilt as spoilt:
            raise self._damaged(org_id, str(spoilt)) from None

    @contextmanager
    def _reading(self, org_id: str) -> Iterator[Node]:
        size = self.size(org_id)  # before the file is opened: it is written first
        try:
            fd = os.open(tree_path(self._folder, org_id), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            if size:
                raise Spoilt("it is not there") from None
            fd = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        try:
            yield checked_nodes(fd, size, lambda n: self._recorded_leaf(org_id, n))
        finally:
            os.close(fd)

    def _recorded_leaf(self, org_id: str, n: int) -> bytes:
        size, leaf = self._last.get(org_id, (0, b""))
        return leaf if size == n + 1 else self._leaf_of(org_id, n)

    # What is written

    def extend(self, events: Sequence[Event]) -> None:
        """Take in durable events, in the order of the log; those that are there already are passed over. Called by one
        thread. Raises OSError, and then may be called with the same events again."""
        if not self._keep:
            return
        leaves: dict[str, list[bytes]] = {}
        firsts: dict[str, int] = {}
        for event in events:
            if event.org not in leaves:
                leaves[event.org], firsts[event.org] = [], event.n
            leaves[event.org].append(event.leaf_hash)
        organizations = iter(leaves)
        with self._writing:
            while some := list(islice(organizations, OPEN_AT_ONCE)):
                self._write_some({org_id: (firsts[org_id], leaves[org_id]) for org_id in some})

    def _write_some(self, batches: Mapping[str, tuple[int, list[bytes]]]) -> None:
        # From here on they are out of memory, and come back only when all of this is on the disk.
        frontiers = {org_id: self._frontier(org_id, n) for org_id, (n, _) in batches.items()}
        opened: list[int] = []
        try:
            for org_id, frontier in frontiers.items():
                n, leaves = batches[org_id]
                at = bytes_of(frontier.size)
                fd = open_tree(self._folder, org_id)
                opened.append(fd)
                write_at(fd, frontier.extend(leaves[frontier.size - n :]), at)
            for fd in opened:
                FILES.fdatasync(fd)
        finally:
            for fd in opened:
                os.close(fd)
        for org_id, frontier in frontiers.items():
            self._frontiers[org_id] = frontier
            if frontier.size & 1:
                self._last[org_id] = (frontier.size, frontier.peaks[-1])
            self._sizes[org_id] = frontier.size  # after the last leaf: who sees the size needs it
        while len(self._frontiers) > FRONTIERS:
            self._frontiers.popitem(last=False)

    def _frontier(self, org_id: str, n: int) -> Frontier:
        """The open end that leaf `n` is for, or a later one; it is taken out of memory."""
        frontier = self._frontiers.pop(org_id, None)
        if frontier is not None and frontier.size >= n:
            return frontier
        if n > self.size(org_id):
            raise LogDamaged(
                tree_path(self._folder, org_id), 0, 0, f"leaf {self.size(org_id)} of {org_id} next", f"leaf {n}"
            )
        try:
            return self._read_frontier(org_id, n)
        except Spoilt as spoilt:
            self._mend(org_id, str(spoilt))
        try:
            return self._read_frontier(org_id, n)
        except Spoilt as spoilt:
            raise self._damaged(org_id, str(spoilt)) from None

    def _read_frontier(self, org_id: str, n: int) -> Frontier:
        with self._reading(org_id) as node:
            return Frontier(n, [node(level, index) for level, index in peaks(n)])

    # What is mended

    def _cut(self) -> None:
        """Take away what the tables have not applied yet, and what was not finished."""
        for path in self._folder.iterdir():
            if path.name.endswith(UNFINISHED):
                path.unlink()
            elif path.is_file():
                end = bytes_of(self.size(path.name))
                if path.stat().st_size > end:
                    os.truncate(path, end)

    def _mend(self, org_id: str, why: str) -> None:
        """Make an organization's file anew, and with it all that are missing something; `_writing` is held."""
        missing = {each for each, size in self._sizes.items() if self._is_short(each, size)}
        log.warning(
            "the tree of %s is made anew from the log, since %s%s",
            org_id,
            why,
            f"; {len(missing)} trees are incomplete" if missing else "",
        )
        wanted = {each: self._sizes[each] for each in sorted({org_id, *missing})}
        for each in wanted:
            self._frontiers.pop(each, None)
        made = make(self._folder, self._reread(), wanted)
        for each, size in wanted.items():
            if made.get(each, 0) != size:
                raise self._damaged(each, f"the log has {made.get(each, 0)} of its events")
            self._made[each] = self._made.get(each, 0) + 1
        log.info("%d trees are made: %d leaves", len(wanted), sum(wanted.values()))

    def _is_short(self, org_id: str, size: int) -> bool:
        try:
            return tree_path(self._folder, org_id).stat().st_size < bytes_of(size)
        except FileNotFoundError:
            return size > 0

    def _damaged(self, org_id: str, found: str) -> LogDamaged:
        return LogDamaged(
            tree_path(self._folder, org_id),
            0,
            0,
            f"the {self.size(org_id)} events of {org_id} as one tree",
            found,
            "Its tree was made anew from the log, which did not help: find out what with `assent log verify`.",
        )
