"""A batch of recorded events as statements: which rows are new, which are replaced, and where the log stands after.

An erasure among them ends a part of the batch: what comes before it is written first, then it is carried out
(`erasure`), then what comes after. All parts are one transaction.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import duckdb

from assent_service.store import schema
from assent_service.store.erasure import ERASED, Eraser
from assent_service.store.event import Event
from assent_service.store.recovery import Applied
from assent_service.store.tables import Table

PLACE = '{"seq":%d,"segment":%d,"position":%d,"length":%d,"leaf":"%s","header":%s}'


log = logging.getLogger("assent.projection")


class Rows:
    """The rows of one table in one batch; of several changes of the same row only the last one counts.

    A row that is made and changed within the batch is inserted as it ends, with its frozen columns from the event that
    made it: those are not always in the later ones.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.new: dict[tuple[str, str], str] = {}
        self.changed: dict[tuple[str, str], str] = {}

    def take(self, event: Event) -> None:
        rows = self.new if event.type in self.table.created else self.changed
        rows[event.org, event.subject] = event.body.decode()

    def write(self, connection: duckdb.DuckDBPyConnection) -> None:
        both = self.new.keys() & self.changed.keys()
        if fresh := [body for key, body in self.new.items() if key not in both]:
            connection.execute(schema.insert(self.table), [fresh])
        if both:
            pairs = [(self.new[key], self.changed[key]) for key in self.new if key in both]
            first, last = ([pair[which] for pair in pairs] for which in (0, 1))
            connection.execute(schema.insert_changed(self.table), [first, last])
        if older := [body for key, body in self.changed.items() if key not in both]:
            self._replace(connection, older)

    def _replace(self, connection: duckdb.DuckDBPyConnection, bodies: list[str]) -> None:
        (found,) = connection.execute(schema.replace(self.table), [bodies]).fetchall()[0]
        if found < len(bodies):
            # The event that made a row may have been erased since; the row after a change stands by itself.
            connection.execute(schema.insert_missing(self.table), [bodies])


class Part(NamedTuple):
    """Rows to be written, and the erasure that comes after them, if any."""

    rows: list[Rows]
    erasure: Event | None = None


class Prepared(NamedTuple):
    """A batch as the database takes it; `applied` is the place after it. `eraser` carries out its erasures."""

    places: list[str]
    parts: list[Part]
    applied: Applied
    eraser: Eraser | None


class Projection:
    """Turns events into rows of the declared tables, in one transaction with the place in the log.

    Without an `eraser` it cannot go on after an erasure, and raises RuntimeError."""

    def __init__(self, tables: Sequence[Table], eraser: Eraser | None = None) -> None:
        self._eraser = eraser
        self._unclean = False
        self._by_type: dict[str, list[Table]] = {}
        for table in tables:
            for name in table.types:
                self._by_type.setdefault(name, []).append(table)

    def apply(self, connection: duckdb.DuckDBPyConnection, events: Sequence[Event], before: Applied) -> Applied:
        """Write `events`, which follow directly on what is applied `before`, and say what is applied now.

        Raises whatever the database raises. Nothing of the batch is applied then, or all of it: DuckDB may fail on
        what it does after a commit. `read_applied` tells.
        """
        prepared = self.prepare(events, before)
        write(connection, prepared)
        self._unclean = self._unclean or any(part.erasure is not None for part in prepared.parts)
        if self._unclean:
            self._unclean = not _check_in(connection)
        return prepared.applied

    def prepare(self, events: Sequence[Event], before: Applied) -> Prepared:
        """What `write` needs to write `events`, worked out without the database."""
        if events[0].seq != before.seq + 1:
            raise RuntimeError(f"event {before.seq + 1} should be applied next, not {events[0].seq}")
        rows: dict[str, Rows] = {}
        parts: list[Part] = []
        places: list[str] = []
        counts = dict(before.counts)
        for event in events:
            counts[event.org] = event.n + 1
            places.append(_place(event))
            if event.erased:
                continue
            for table in self._by_type.get(event.type, ()):
                rows.setdefault(table.name, Rows(table)).take(event)
            if event.type == ERASED:
                parts.append(Part(list(rows.values()), event))
                rows = {}
        parts.append(Part(list(rows.values())))
        last = events[-1]
        applied = Applied(seq=last.seq, segment=last.segment, offset=last.offset + last.length, counts=counts)
        return Prepared(places, parts, applied, self._eraser)


def write(connection: duckdb.DuckDBPyConnection, prepared: Prepared) -> None:
    """One transaction. Raises as `Projection.apply` does."""
    now = prepared.applied
    connection.execute("BEGIN")
    try:
        connection.execute(schema.insert_events(), [prepared.places])
        for part in prepared.parts:
            _write_part(connection, part, prepared.eraser)
        connection.execute(
            "UPDATE applied SET seq = $1, segment = $2, position = $3, counts = $4",
            [now.seq, now.segment, now.offset, json.dumps(now.counts)],
        )
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise


def _write_part(connection: duckdb.DuckDBPyConnection, part: Part, eraser: Eraser | None) -> None:
    for rows in part.rows:
        rows.write(connection)
    if part.erasure is None:
        return
    if eraser is None:
        raise RuntimeError(f"event {part.erasure.seq} erases, and nobody here can carry that out")
    eraser.erase(connection, part.erasure)


def _check_in(connection: duckdb.DuckDBPyConnection) -> bool:
    """Take what was just erased out of the write-ahead file, if that can be done now: not while somebody else writes.
    The next batch tries again."""
    try:
        connection.execute("CHECKPOINT")
    except duckdb.Error as error:
        log.warning("the tables' write-ahead file still holds what was erased, until the next batch: %s", error)
        return False
    return True


def read_applied(connection: duckdb.DuckDBPyConnection) -> Applied:
    """How far the tables are."""
    row = connection.execute("SELECT seq, segment, position, counts FROM applied").fetchone()
    if row is None:
        raise RuntimeError("the database has no place in the log; rebuild it with: assent rebuild")
    seq, segment, position, counts = row
    return Applied(seq=seq, segment=segment, offset=position, counts=json.loads(str(counts)))


def hold_events(tables: Path) -> bool:
    """Whether the tables in a file that nobody uses hold anything. A file that is none of ours holds something too."""
    if not tables.exists():
        return False
    try:
        with closing(duckdb.connect(str(tables), read_only=True)) as connection:
            return read_applied(connection).seq > 0
    except duckdb.Error:
        return True


def _place(event: Event) -> str:
    leaf, header = event.leaf_hash.hex(), event.header.decode()
    return PLACE % (event.seq, event.segment, event.offset, event.length, leaf, header)


def _roll_back(connection: duckdb.DuckDBPyConnection) -> None:
    try:
        connection.execute("ROLLBACK")
    except duckdb.Error:
        # A failed commit has already ended the transaction, or the connection is gone and will be reopened.
        return
