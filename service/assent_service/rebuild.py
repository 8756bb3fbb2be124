"""Folding the whole log into fresh tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import msgspec

from assent_service.app import TABLES
from assent_service.store.database import connect
from assent_service.store.event import Event
from assent_service.store.lock import FolderLock
from assent_service.store.log import Log
from assent_service.store.projection import Projection, read_applied

BATCH = 16_384


class RebuildReport(msgspec.Struct, frozen=True, kw_only=True):
    """`tables` are row counts by table."""

    events: int
    seconds: float
    tables: dict[str, int]


def run(home: Path, progress: Callable[[int, int], None] = lambda _done, _total: None) -> RebuildReport:
    """Rebuild the tables of a data folder that no service is using; `progress` gets events done and in all.

    The old tables stay until the new ones are complete. Raises `FolderOwned`, `LogDamaged`.
    """
    began = time.monotonic()
    target = home / "tables.duckdb"
    fresh = home / "tables.rebuild.duckdb"
    with FolderLock.take(home):
        _remove(fresh)
        try:
            with closing(Log.open(home, deliver=_nobody_writes)) as log:
                done = _fill(fresh, log.tail, log.head, progress)
            rows = _count(fresh)
        except BaseException:
            # Half of it is worth nothing, and its space may be what is missing.
            _remove(fresh)
            raise
        # Tables without their write-ahead file are merely behind the log, so a crash in between costs time only.
        _journal(target).unlink(missing_ok=True)
        fresh.replace(target)
    return RebuildReport(events=done, seconds=time.monotonic() - began, tables=rows)


def _fill(file: Path, events: Iterator[Event], total: int, progress: Callable[[int, int], None]) -> int:
    projection = Projection(TABLES)
    with closing(connect(file, TABLES)) as connection:
        applied = read_applied(connection)
        while batch := list(islice(events, BATCH)):
            applied = projection.apply(connection, batch, applied)
            progress(applied.seq, total)
        connection.execute("CHECKPOINT")
    return applied.seq


def _count(file: Path) -> dict[str, int]:
    with closing(connect(file, TABLES)) as connection:
        names = ["events", *(table.name for table in TABLES)]
        counts = {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0][0] for name in names}
    return counts


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
    _journal(file).unlink(missing_ok=True)


def _journal(file: Path) -> Path:
    return file.with_name(file.name + ".wal")


def _nobody_writes(_: object) -> None:
    raise AssertionError("nothing is written during a rebuild")
