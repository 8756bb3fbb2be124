"""Whether rows of the tables are what the log says.

The events are folded once more, by the very code that fills the tables, into an empty database that has only the tables
in question. What comes out is what the rows have to be, column by column; rows that the log does not give must not be
there. The table of events itself, which is only an index of the log, is compared with the lines. `compare` does so for
some events of a running service, in memory; `compare_all` holds a database of all of them against tables that nobody
has open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import duckdb
import msgspec

from assent_service.base.clock import naive
from assent_service.store import schema
from assent_service.store.database import Row
from assent_service.store.event import Event
from assent_service.store.projection import Rows
from assent_service.store.tables import EVENTS, Table

Read = Callable[[str, Sequence[object]], list[Row]]


class Difference(NamedTuple):
    """`key` names the row; `column` is empty where the whole row is missing or too much."""

    table: str
    key: str
    column: str
    expected: str
    found: str


class TableComparison(NamedTuple):
    """How many rows were compared, and what was not as the log has it."""

    rows: int
    differences: list[Difference]


def compare(
    tables: Sequence[Table], org_id: str, events: Sequence[Event], read: Read, action_id: str | None = None
) -> TableComparison:
    """Compare the rows that `events` made or changed. All events of those rows must be among them, in the order of the
    log. With `action_id` no other row may say that it belongs to that action. `read` asks the tables; it raises
    whatever they raise."""
    by_table: dict[str, Rows] = {}
    for table in tables:
        for event in events:
            if event.type not in table.types:
                continue
            rows = by_table.setdefault(table.name, Rows(table))
            if not event.erased:
                rows.take(event)
    subjects = sorted({event.subject for event in events})
    compared, found = 0, list[Difference]()
    with closing(_scratch()) as scratch:
        for rows in by_table.values():
            scratch.execute(schema.create(rows.table))
            rows.write(scratch)
            due = _rows_of(rows.table, org_id, subjects, lambda sql, given: scratch.execute(sql, given).fetchall())
            there = _rows_of(rows.table, org_id, subjects, read)
            compared += len(due)
            found += _between(rows.table, due, there)
    found += _index(org_id, events, read)
    if action_id is not None:
        found += _strays(tables, org_id, action_id, subjects, read)
    return TableComparison(compared, found)


def _scratch() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config={"threads": 1})
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def _rows_of(table: Table, org_id: str, subjects: Sequence[str], read: Read) -> dict[str, list[Row]]:
    """The rows by their key; a list, since a row that is there twice is one too many."""
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    marks = ", ".join("?" * len(subjects))
    found: dict[str, list[Row]] = {}
    sql = f'SELECT "{table.key}", {columns} FROM "{table.name}" WHERE org_id = ? AND "{table.key}" IN ({marks})'
    if table.each is not None:
        sql += " ORDER BY ALL"
    for key, *row in read(sql, [org_id, *subjects]):
        found.setdefault(str(key), []).append(tuple(row))
    return found


def _between(table: Table, due: dict[str, list[Row]], there: dict[str, list[Row]]) -> list[Difference]:
    found = []
    for key in sorted(due.keys() | there.keys()):
        expected, present = due.get(key, []), there.get(key, [])
        if len(expected) != len(present):
            found.append(Difference(table.name, key, "", f"{len(expected)} rows", f"{len(present)} rows"))
            continue
        for one, other in zip(expected, present, strict=True):
            for column, log_says, table_says in zip(table.columns, one, other, strict=True):
                if log_says != table_says:
                    found.append(Difference(table.name, key, column.name, _short(log_says), _short(table_says)))
    return found


def _strays(
    tables: Iterable[Table], org_id: str, action_id: str, subjects: Sequence[str], read: Read
) -> list[Difference]:
    """Rows that name the action and that none of its events made."""
    found = []
    marks = ", ".join("?" * len(subjects))
    for table in tables:
        if "action_id" not in {column.name for column in table.columns}:
            continue
        stray = f'org_id = ? AND action_id = ? AND "{table.key}" NOT IN ({marks})'
        sql = f'SELECT "{table.key}" FROM "{table.name}" WHERE {stray}'
        for (key,) in read(sql, [org_id, action_id, *subjects]):
            found.append(Difference(table.name, str(key), "", "no such row", "1 row"))
    return found


def _index(org_id: str, events: Sequence[Event], read: Read) -> list[Difference]:
    """What the table of events says of these lines."""
    columns = [column.name for column in EVENTS.columns]
    marks = ", ".join("?" * len(events))
    rows = read(
        f"SELECT {', '.join(columns)} FROM events WHERE org_id = ? AND n IN ({marks}) ORDER BY n",
        [org_id, *(event.n for event in events)],
    )
    there: dict[str, list[Row]] = {}
    for row in rows:
        there.setdefault(str(row[columns.index("n")]), []).append(row)
    due = {str(event.n): [_line(event)] for event in events}
    return _between(EVENTS, due, there)


def _line(event: Event) -> Row:
    """The row of an event, in the order of `EVENTS`."""
    return (
        event.org,
        event.n,
        event.seq,
        event.type,
        event.subject,
        event.action,
        event.actor,
        naive(event.ts),
        event.leaf_hash.hex(),
        event.segment,
        event.offset,
        event.length,
    )


def _short(value: object) -> str:
    return repr(value)[:200]


NAMED = 3
"""Rows of a table that are named; the others are counted."""


class TableDifference(msgspec.Struct, frozen=True):
    """Rows of `table` that are not what the log makes of them: how many are `missing`, how many are `wrong` or too
    much, and the keys of the first."""

    table: str
    missing: int
    wrong: int
    keys: list[str]


class TablesReport(msgspec.Struct, frozen=True, kw_only=True):
    """`events` were folded, which is as far as the tables are; the log has `behind` more. `unread` says why the tables
    could not be compared, None when they were."""

    events: int
    behind: int = 0
    unread: str | None
    differences: list[TableDifference]

    @property
    def ok(self) -> bool:
        return self.unread is None and not self.differences


class TablesUnreadable(Exception):
    """The tables cannot be read; the message says why and what to do."""


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except (duckdb.Error, IndexError) as error:
        raise TablesUnreadable(
            f"they cannot be read ({error}); `assent rebuild` makes them anew from the log"
        ) from error


def applied_in(present: Path) -> int:
    """The last event that the tables in `present`, which nobody has open, hold. Raises TablesUnreadable."""
    with _reading(), closing(duckdb.connect(str(present), read_only=True)) as connection:
        return int(connection.execute("SELECT seq FROM applied").fetchall()[0][0])


def compare_all(due: Path, present: Path, tables: Sequence[Table]) -> list[TableDifference]:
    """Compare the tables in `present`, which nobody has open, with those in `due`, which the same events were folded
    into. Raises TablesUnreadable."""
    with _reading(), closing(duckdb.connect(str(due))) as connection:
        place = str(present).replace("'", "''")
        connection.execute(f"ATTACH '{place}' AS present (READ_ONLY)")
        found = [_table_between(connection, table) for table in (EVENTS, *tables)]
    return [each for each in found if each is not None]


def _table_between(connection: duckdb.DuckDBPyConnection, table: Table) -> TableDifference | None:
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    due, there = (f'SELECT {columns} FROM {place}"{table.name}"' for place in ("", "present."))
    missing = _keys_of(connection, table, f"{due} EXCEPT ALL {there}")
    wrong = _keys_of(connection, table, f"{there} EXCEPT ALL {due}")
    if not missing and not wrong:
        return None
    keys = list(dict.fromkeys([*wrong, *missing]))[:NAMED]
    return TableDifference(table.name, len(missing), len(wrong), keys)


def _keys_of(connection: duckdb.DuckDBPyConnection, table: Table, query: str) -> list[str]:
    rows = connection.execute(f'SELECT "{table.key}" FROM ({query}) AS other').fetchall()
    return [str(key) for (key,) in rows]
