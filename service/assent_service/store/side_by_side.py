"""Two databases side by side: every row of every table that one of them has and the other has not."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import duckdb
import msgspec

from assent_service.store.tables import EVENTS, Table

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
    """`events` were folded. `unread` says why the tables could not be compared, None when they were."""

    events: int
    unread: str | None
    differences: list[TableDifference]

    @property
    def ok(self) -> bool:
        return self.unread is None and not self.differences


def compare_all(due: Path, present: Path, tables: Sequence[Table], events: int) -> TablesReport:
    """Compare the tables in `present`, which nobody has open, with those in `due`, which `events` were folded into."""
    try:
        with closing(duckdb.connect(str(due))) as connection:
            place = str(present).replace("'", "''")
            connection.execute(f"ATTACH '{place}' AS present (READ_ONLY)")
            applied = connection.execute("SELECT seq FROM present.applied").fetchall()[0][0]
            if applied != events:
                why = f"they hold {applied} of {events} events; start the service once, and it applies the others"
                return TablesReport(events=events, unread=why, differences=[])
            found = [_between(connection, table) for table in (EVENTS, *tables)]
    except (duckdb.Error, IndexError) as error:
        why = f"they cannot be read ({error}); `assent rebuild` makes them anew from the log"
        return TablesReport(events=events, unread=why, differences=[])
    return TablesReport(events=events, unread=None, differences=[each for each in found if each is not None])


def _between(connection: duckdb.DuckDBPyConnection, table: Table) -> TableDifference | None:
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    due, there = (f'SELECT {columns} FROM {place}"{table.name}"' for place in ("", "present."))
    missing = _keys(connection, table, f"{due} EXCEPT ALL {there}")
    wrong = _keys(connection, table, f"{there} EXCEPT ALL {due}")
    if not missing and not wrong:
        return None
    keys = list(dict.fromkeys([*wrong, *missing]))[:NAMED]
    return TableDifference(table.name, len(missing), len(wrong), keys)


def _keys(connection: duckdb.DuckDBPyConnection, table: Table, query: str) -> list[str]:
    rows = connection.execute(f'SELECT "{table.key}" FROM ({query}) AS other').fetchall()
    return [str(key) for (key,) in rows]
