"""A batch of recorded events as statements: which rows are new, which are replaced, and where the log stands after.

An erasure among them ends a part of the batch: what comes before it is written first, then it is carried out
(`erasure`), then what comes after. All parts are one transaction.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Protocol

import duckdb

from assent_service.base.clock import naive
from assent_service.store import schema
from assent_service.store.coverage import ERASED
from assent_service.store.erasure import Eraser
from assent_service.store.event import Event
from assent_service.store.plain import plain_row
from assent_service.store.recovery import Applied
from assent_service.store.statements import run
from assent_service.store.tables import EVENTS, Table

FEW = 6
"""Rows of one table, or events, up to which they are written as values."""
_PLACE = '{"seq":%d,"segment":%d,"position":%d,"length":%d,"leaf":"%s","header":%s}'


log = logging.getLogger("assent.projection")


class Carrier(Protocol):
    """How the database gets many rows at once; `bulk` says which statements of `schema` it runs."""

    bulk: bool

    def run(
        self, connection: duckdb.DuckDBPyConnection, statement: str, *payloads: Sequence[bytes]
    ) -> duckdb.DuckDBPyConnection:
        """With one list of payloads, or two that belong together row by row."""

    def write_events(self, connection: duckdb.DuckDBPyConnection, events: Sequence[Event]) -> None: ...


class AsLists:
    """As parameters. It needs nothing but the database, and what it costs for each row counts for few rows only."""

    bulk = False

    def run(
        self, connection: duckdb.DuckDBPyConnection, statement: str, *payloads: Sequence[bytes]
    ) -> duckdb.DuckDBPyConnection:
        return connection.execute(statement, [[payload.decode() for payload in each] for each in payloads])

    def write_events(self, connection: duckdb.DuckDBPyConnection, events: Sequence[Event]) -> None:
        connection.execute(schema.insert_events(), [[_place(event) for event in events]])


AS_LISTS = AsLists()


class Rows:
    """The rows of one table in one batch; of several changes of the same row only the last one counts.

    A row that is made and changed within the batch is inserted as it ends, with its frozen columns from the event that
    made it: those are not always in the later ones.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.new: dict[tuple[str, str], bytes] = {}
        self.changed: dict[tuple[str, str], bytes] = {}

    def take(self, event: Event) -> None:
        rows = self.new if event.type in self.table.created else self.changed
        assert event.data is not None, "an erased event makes no row"
        rows[event.org, event.subject] = event.data

    def write(self, connection: duckdb.DuckDBPyConnection, carrier: Carrier = AS_LISTS) -> None:
        both = self.new.keys() & self.changed.keys()
        if fresh := [payload for key, payload in self.new.items() if key not in both]:
            if (rows := self._plain(fresh)) is not None:
                self._insert(connection, rows)
            else:
                carrier.run(connection, schema.insert(self.table, bulk=carrier.bulk), fresh)
        if both:
            firsts = [payload for key, payload in self.new.items() if key in both]
            lasts = [self.changed[key] for key in self.new if key in both]
            made, ended = self._plain(firsts), self._plain(lasts)
            if made is not None and ended is not None:
                self._insert(connection, [self._joined(*pair) for pair in zip(made, ended, strict=True)])
            else:
                carrier.run(connection, schema.insert_changed(self.table, bulk=carrier.bulk), firsts, lasts)
        if older := [payload for key, payload in self.changed.items() if key not in both]:
            self._replace(connection, older, carrier)

    def _replace(self, connection: duckdb.DuckDBPyConnection, payloads: list[bytes], carrier: Carrier) -> None:
        if (rows := self._plain(payloads)) is not None:
            one, places = schema.replace_row(self.table), schema.replacing(self.table)
            found = sum(_count(run(connection, one, [row[place] for place in places])) for row in rows)
        else:
            found = _count(carrier.run(connection, schema.replace(self.table, bulk=carrier.bulk), payloads))
        if found < len(payloads):
            # The event that made a row may have been erased since; the row after a change stands by itself.
            carrier.run(connection, schema.insert_missing(self.table, bulk=carrier.bulk), payloads)

    def _plain(self, payloads: list[bytes]) -> list[list[object]] | None:
        """The rows as values, where they are few and all of them are plain."""
        if len(payloads) > FEW or self.table.each is not None:
            return None
        shape, rows = plain_row(self.table), list[list[object]]()
        for payload in payloads:
            if (row := shape.values(payload)) is None:
                return None
            rows.append(row)
        return rows

    def _insert(self, connection: duckdb.DuckDBPyConnection, rows: list[list[object]]) -> None:
        run(connection, schema.insert_rows(self.table, len(rows)), list(chain.from_iterable(rows)))

    def _joined(self, made: list[object], ended: list[object]) -> list[object]:
        columns = zip(self.table.columns, made, ended, strict=True)
        return [first if column.frozen else last for column, first, last in columns]


def _count(result: duckdb.DuckDBPyConnection) -> int:
    """How many rows an UPDATE found."""
    return int(str(result.fetchall()[0][0]))


class ProjectionPart(NamedTuple):
    """Rows to be written, and the erasure that comes after them, if any."""

    rows: list[Rows]
    erasure: Event | None = None


class Prepared(NamedTuple):
    """A batch as the database takes it. `applied` is the place after it. `eraser` carries out its erasures."""

    events: Sequence[Event]
    parts: list[ProjectionPart]
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
        parts: list[ProjectionPart] = []
        counts = dict(before.counts)
        for event in events:
            counts[event.org] = event.n + 1
            if event.erased:
                continue
            for table in self._by_type.get(event.type, ()):
                rows.setdefault(table.name, Rows(table)).take(event)
            if event.type == ERASED:
                parts.append(ProjectionPart(list(rows.values()), event))
                rows = {}
        parts.append(ProjectionPart(list(rows.values())))
        last = events[-1]
        applied = Applied(seq=last.seq, segment=last.segment, offset=last.offset + last.length, counts=counts)
        return Prepared(events, parts, applied, self._eraser)


def write(connection: duckdb.DuckDBPyConnection, prepared: Prepared, carrier: Carrier = AS_LISTS) -> None:
    """One transaction. Raises as `Projection.apply` does."""
    now = prepared.applied
    connection.execute("BEGIN")
    try:
        if len(prepared.events) > FEW:
            carrier.write_events(connection, prepared.events)
        else:
            events = [value for event in prepared.events for value in _values(event)]
            run(connection, schema.insert_rows(EVENTS, len(prepared.events)), events)
        for part in prepared.parts:
            _write_part(connection, part, prepared.eraser, carrier)
        run(
            connection,
            "UPDATE applied SET seq = $1, segment = $2, position = $3, counts = $4",
            [now.seq, now.segment, now.offset, json.dumps(now.counts)],
        )
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise


def _write_part(
    connection: duckdb.DuckDBPyConnection, part: ProjectionPart, eraser: Eraser | None, carrier: Carrier
) -> None:
    for rows in part.rows:
        rows.write(connection, carrier)
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


def _values(event: Event) -> list[object]:
    """In the order of the table."""
    leaf = event.leaf_hash.hex()
    said = [event.org, event.n, event.seq, event.type, event.subject, event.action, event.actor, naive(event.ts)]
    return [*said, leaf, event.segment, event.offset, event.length]


def _place(event: Event) -> str:
    leaf, header = event.leaf_hash.hex(), event.header.decode()
    return _PLACE % (event.seq, event.segment, event.offset, event.length, leaf, header)


def _roll_back(connection: duckdb.DuckDBPyConnection) -> None:
    try:
        connection.execute("ROLLBACK")
    except duckdb.Error:
        # A failed commit has already ended the transaction, or the connection is gone and will be reopened.
        return
