"""A batch of recorded events as statements: which rows are new, which are replaced, and where the log stands after."""

from __future__ import annotations

import json
from collections.abc import Sequence

import duckdb

from assent_service.store import schema
from assent_service.store.event import Event
from assent_service.store.recovery import Applied
from assent_service.store.tables import Table

PLACE = '{"seq":%d,"segment":%d,"position":%d,"length":%d,"leaf":"%s","header":%s}'


class Rows:
    """The rows of one table in one batch; of several events about the same row only the last one counts."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.new: dict[tuple[str, str], str] = {}
        self.changed: dict[tuple[str, str], str] = {}

    def take(self, event: Event) -> None:
        key = (event.org, event.subject)
        body = event.body.decode()
        if event.type in self.table.created or key in self.new:
            self.new[key] = body
        else:
            self.changed[key] = body

    def write(self, connection: duckdb.DuckDBPyConnection) -> None:
        if self.new:
            connection.execute(schema.insert(self.table), [list(self.new.values())])
        if self.changed:
            connection.execute(schema.replace(self.table), [list(self.changed.values())])


class Projection:
    """Turns events into rows of the declared tables, in one transaction with the place in the log."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._by_type: dict[str, list[Table]] = {}
        for table in tables:
            for name in table.types:
                self._by_type.setdefault(name, []).append(table)

    def apply(self, connection: duckdb.DuckDBPyConnection, events: Sequence[Event], before: Applied) -> Applied:
        """Write `events`, which follow directly on what is applied `before`, and say what is applied now.

        Raises whatever the database raises; nothing of the batch is then applied.
        """
        rows: dict[str, Rows] = {}
        places: list[str] = []
        counts = dict(before.counts)
        for event in events:
            counts[event.org] = event.n + 1
            places.append(_place(event))
            if event.erased:
                continue
            for table in self._by_type.get(event.type, ()):
                rows.setdefault(table.name, Rows(table)).take(event)
        last = events[-1]
        now = Applied(seq=last.seq, segment=last.segment, offset=last.offset + last.length, counts=counts)
        connection.execute("BEGIN")
        try:
            connection.execute(schema.insert_events(), [places])
            for table_rows in rows.values():
                table_rows.write(connection)
            connection.execute(
                "UPDATE applied SET seq = $1, segment = $2, position = $3, counts = $4",
                [now.seq, now.segment, now.offset, json.dumps(counts)],
            )
            connection.execute("COMMIT")
        except BaseException:
            _roll_back(connection)
            raise
        return now


def read_applied(connection: duckdb.DuckDBPyConnection) -> Applied:
    """How far the tables are."""
    row = connection.execute("SELECT seq, segment, position, counts FROM applied").fetchone()
    if row is None:
        raise RuntimeError("the database has no place in the log; rebuild it with: assent rebuild")
    seq, segment, position, counts = row
    return Applied(seq=seq, segment=segment, offset=position, counts=json.loads(str(counts)))


def _place(event: Event) -> str:
    leaf, header = event.leaf_hash.hex(), event.header.decode()
    return PLACE % (event.seq, event.segment, event.offset, event.length, leaf, header)


def _roll_back(connection: duckdb.DuckDBPyConnection) -> None:
    try:
        connection.execute("ROLLBACK")
    except duckdb.Error:
        # A failed commit has already ended the transaction, or the connection is gone and will be reopened.
        return
