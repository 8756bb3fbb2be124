"""Folding the whole log into fresh tables and trees.

Every line is verified on the way. Two threads share the work: one reads and verifies the next batch while the database
parses and writes the one before, which it does without holding the interpreter's lock.

A rebuild that was killed or interrupted leaves half-made tables, and the next goes on where they end. It reads and
verifies every line all the same, for the trees too; what it saves is the writing. Half-made tables count only where the
same program with the same database made them and their last event is in the log still. They are begun anew where an
erasure comes after it: what has been erased may be in their file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import islice
from pathlib import Path

import msgspec

from assent_service.app import TABLES
from assent_service.store import half_made
from assent_service.store.bulk import AsColumns
from assent_service.store.coverage import Coverage
from assent_service.store.database import connect, write_ahead
from assent_service.store.erasure import Eraser
from assent_service.store.event import Event
from assent_service.store.lock import FolderLock
from assent_service.store.projection import Prepared, Projection, read_applied, write
from assent_service.store.recovery import Applied, recover
from assent_service.store.segments import LogPlace, count, missing, stream
from assent_service.store.tree import FOLDER
from assent_service.store.tree_file import TreeMaker, make_folder

BATCH = 32_768
CHECKPOINT = "1GB"
"""How much the write-ahead file may hold: one checkpoint at the end is cheaper than many on the way."""


class RebuildReport(msgspec.Struct, frozen=True, kw_only=True):
    """`tables` are row counts by table."""

    events: int
    seconds: float
    tables: dict[str, int]


def run(home: Path, progress: Callable[[int, int], None] = lambda _done, _total: None) -> RebuildReport:
    """Rebuild the tables of a data folder that no service is using; `progress` gets events done and in all.

    The old tables and trees stay until the new ones are complete. The first progress of one that goes on is where it
    does. Raises `FolderOwned`, and `LogDamaged`, also when there is no log.
    """
    began = time.monotonic()
    target = home / "tables.duckdb"
    fresh = home / "tables.rebuild.duckdb"
    with FolderLock.take(home):
        try:
            done, rows = _made(home, fresh, progress)
        except Exception:
            # What failed would fail again, and its space may be what is missing.
            remove(fresh)
            raise
        # Tables without their write-ahead file are merely behind the log, so a crash in between costs time only.
        write_ahead(target).unlink(missing_ok=True)
        fresh.replace(target)
    return RebuildReport(events=done, seconds=time.monotonic() - began, tables=rows)


class _Stale(Exception):
    """Half-made tables may hold what has been erased since."""


def _made(home: Path, fresh: Path, progress: Callable[[int, int], None]) -> tuple[int, dict[str, int]]:
    """Make the tables in `fresh` and the trees: how many events that were, and how many rows each table has."""
    if not half_made.counts(fresh, home / "log", TABLES):
        remove(fresh)
    make_folder(home / FOLDER)
    trees = TreeMaker(home / FOLDER)
    try:
        done = fold(fresh, home / "log", progress, trees)
        rows = _count(fresh)
        trees.finish(alone=True)
    except _Stale:
        remove(fresh)
        return _made(home, fresh, progress)
    except BaseException:
        trees.give_up()
        raise
    return done, rows


def fold(
    file: Path,
    folder: Path,
    progress: Callable[[int, int], None],
    trees: TreeMaker | None = None,
    up_to: int | None = None,
) -> int:
    """Fold the log in `folder` into tables in `file`, new or half made, and into `trees`; how many events that were.
    With `up_to` only the events up to that one are folded; without it, LogDamaged is raised for a blank body that no
    erasure covers."""
    if not folder.is_dir():
        raise missing(folder, 1, None)
    found = recover(folder, 0)
    head = found.head if up_to is None else min(found.head, up_to)
    coverage = Coverage()
    events = islice(_counted(folder, trees, coverage, stream(folder, LogPlace(1, 0), found.end)), head)
    with closing(connect(file, TABLES)) as connection, ThreadPoolExecutor(1, "assent-rebuild") as reader:
        connection.execute(f"SET checkpoint_threshold = '{CHECKPOINT}'")
        half_made.mark(connection, TABLES)
        begun = read_applied(connection)
        carrier, done = AsColumns(), begun.seq
        if begun.seq:
            progress(begun.seq, head)
        batches = _batches(Projection(TABLES, Eraser(file.parent, TABLES)), events, begun)
        coming = reader.submit(next, batches, None)
        while (prepared := coming.result()) is not None:
            coming = reader.submit(next, batches, None)
            if begun.seq and any(part.erasure is not None for part in prepared.parts):
                raise _Stale
            write(connection, prepared, carrier)
            done = prepared.applied.seq
            progress(done, head)
        if up_to is None:
            coverage.check(folder)
        half_made.unmark(connection)
        connection.execute("CHECKPOINT")
    return done


def _counted(folder: Path, trees: TreeMaker | None, coverage: Coverage, events: Iterator[Event]) -> Iterator[Event]:
    """`events`, each organization's own numbers checked, its tree grown, and what is blank told to `coverage`."""
    counts: dict[str, int] = {}
    for event in events:
        count(folder, counts, event)
        coverage.take(event)
        if trees is not None:
            trees.take(event)
        yield event


def _batches(projection: Projection, events: Iterator[Event], applied: Applied) -> Iterator[Prepared]:
    """Batches of those of `events`, which are the whole log's, that are not applied yet."""
    events = islice(events, applied.seq, None)
    while batch := list(islice(events, BATCH)):
        prepared = projection.prepare(batch, applied)
        applied = prepared.applied
        yield prepared


def _count(file: Path) -> dict[str, int]:
    with closing(connect(file, TABLES)) as connection:
        names = ["events", *(table.name for table in TABLES)]
        counts = {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0][0] for name in names}
    return counts


def remove(file: Path) -> None:
    """Tables with everything beside them, if they are there."""
    file.unlink(missing_ok=True)
    write_ahead(file).unlink(missing_ok=True)
