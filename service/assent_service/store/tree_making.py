"""Making trees from the log: beside the old files, and into their places once they are complete."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from assent_service.store.event import Event
from assent_service.store.files import FILES
from assent_service.store.tree_file import Frontier, bytes_of, tree_path, write_at

UNFINISHED: Final = "~"
"""How the names of files end that are being made; no organization's does."""
MAKING: Final = 8192
"""Leaves that are gathered between two writes."""


def make(folder: Path, events: Iterable[Event], wanted: Mapping[str, int]) -> dict[str, int]:
    """Make the trees in `wanted`, of so many leaves each, from the `events` of the log; how large each became. They are
    put into their places unless one has become too small."""
    maker = Maker(folder, wanted)
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


class Maker:
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
