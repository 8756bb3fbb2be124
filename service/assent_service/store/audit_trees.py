"""Every organization's tree, made once more from the log: compared with its file, and asked for the roots of heads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from assent.proof.merkle import EMPTY, HASH_BYTES
from assent_service.store.tree_file import UNFINISHED, Frontier, bytes_of, tree_path
from assent_service.store.verification import Checked, Leaves

AT_ONCE = 512
"""Leaves between two calls of `step`: less than a millisecond of hashing."""


def list_trees(folder: Path) -> dict[str, int]:
    """How many bytes each organization's file has. What is appended later need not be compared."""
    if not folder.is_dir():
        return {}
    paths = (path for path in sorted(folder.iterdir()) if path.is_file() and not path.name.endswith(UNFINISHED))
    return {path.name: path.stat().st_size for path in paths}


class AuditedTrees:
    """Takes the log segment by segment. `stored` are the lengths of the files in `folder` before the log was listed,
    `wanted` the sizes at which each organization's root is asked for.

    `roots` holds those that the log reaches, `sizes` each organization's leaves, `wrong` what is wrong with the files,
    and `short` which organizations have leaves that are not in their file yet.
    """

    def __init__(
        self,
        folder: Path,
        stored: dict[str, int],
        wanted: Iterable[tuple[str, int]],
        step: Callable[[], object] = lambda: None,
    ) -> None:
        self._folder, self._stored, self._step = folder, stored, step
        self._frontiers: dict[str, Frontier] = {}
        self._wanted: dict[str, list[int]] = {}
        for org_id, size in sorted(set(wanted), reverse=True):
            self._wanted.setdefault(org_id, []).append(size)  # the smallest at the end
        self.roots = {(org_id, 0): EMPTY for org_id, _ in wanted}
        self.wrong: list[str] = []
        self._spoilt: set[str] = set()

    @property
    def sizes(self) -> dict[str, int]:
        return {org_id: frontier.size for org_id, frontier in self._frontiers.items()}

    def take(self, checked: Checked) -> None:
        for org_id, leaves in checked.leaves.items():
            self._grow(org_id, leaves)

    def finish(self) -> None:
        """Say what is in the files beyond the log."""
        for org_id, length in self._stored.items():
            frontier = self._frontiers.get(org_id)
            end = bytes_of(frontier.size) if frontier is not None else 0
            if length > end:
                size = frontier.size if frontier is not None else 0
                self._complain(org_id, end, f"it goes on to byte {length}, the log has {size} events of {org_id}")

    @property
    def short(self) -> list[str]:
        return [org_id for org_id, size in self.sizes.items() if self._stored.get(org_id, 0) < bytes_of(size)]

    def _grow(self, org_id: str, leaves: Leaves) -> None:
        frontier = self._frontiers.setdefault(org_id, Frontier(0, []))
        wanted = self._wanted.get(org_id, [])
        start, made = bytes_of(frontier.size), list[bytes]()
        hashes, at = leaves.hashes, 0
        while at < len(hashes):
            while wanted and wanted[-1] <= frontier.size:
                wanted.pop()
            stop = at + HASH_BYTES * min(AT_ONCE, wanted[-1] - frontier.size if wanted else AT_ONCE)
            made.append(frontier.extend([hashes[i : i + HASH_BYTES] for i in range(at, min(stop, len(hashes)), 32)]))
            at = stop
            if wanted and wanted[-1] == frontier.size:
                self.roots[org_id, frontier.size] = frontier.root()
            self._step()
        self._compare(org_id, start, b"".join(made))

    def _compare(self, org_id: str, start: int, made: bytes) -> None:
        length = min(self._stored.get(org_id, 0) - start, len(made))
        if length <= 0 or org_id in self._spoilt:
            return
        try:
            fd = os.open(tree_path(self._folder, org_id), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            self._complain(org_id, 0, "it is gone")
            return
        try:
            found = os.pread(fd, length, start)
        finally:
            os.close(fd)
        if found != made[:length]:
            byte = next((i for i, (a, b) in enumerate(zip(found, made, strict=False)) if a != b), len(found))
            self._complain(org_id, start + byte, "it is not what the log gives")

    def _complain(self, org_id: str, byte: int, what: str) -> None:
        if org_id not in self._spoilt:
            self._spoilt.add(org_id)
            self.wrong.append(f"{tree_path(self._folder, org_id)}, byte {byte}: {what}")
