"""DuckDB's side of the declared tables: the statements that make them, fill them and keep them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from assent_service.store.tables import EVENTS, Column, ColumnKind, Table

MIGRATIONS = Path(__file__).with_name("migrations")


def create(table: Table) -> str:
    columns = ", ".join(f'"{column.name}" {column.kind}' for column in table.columns)
    return f'CREATE TABLE IF NOT EXISTS "{table.name}" ({columns})'


def add_missing_columns(table: Table, present: set[str]) -> list[str]:
    """A noun that grew a column gets it on an older database too; its old rows hold what a rebuild would give them."""
    return [
        f'ALTER TABLE "{table.name}" ADD COLUMN "{column.name}" {column.kind}'
        + (f" DEFAULT {column.default}" if column.default else "")
        for column in table.columns
        if column.name not in present
    ]


def fill_defaults(table: Table) -> list[str]:
    """For rows that were written while older events left such a column empty."""
    return [
        f'UPDATE "{table.name}" SET "{column.name}" = {column.default} WHERE "{column.name}" IS NULL'
        for column in table.columns
        if column.default
    ]


BULK = "bulk"
"""The relation that statements with `bulk` read from: payloads are its columns `payload1` and `payload2`."""


def _rows(table: Table, bulk: bool = False) -> str:
    """Rows out of payloads, parsed by DuckDB itself, which holds the GIL far shorter. They are a list (parameter 1), or
    the first column of BULK."""
    if table.each is not None:
        return _entries(table, table.each, bulk)
    return f"SELECT {_taken(table.columns)} FROM (SELECT {_parsed(table.columns, 1, bulk)}{_source(bulk)})"


def _entries(table: Table, each: str, bulk: bool) -> str:
    """The same, with a row for each entry of a list in the body."""
    shared = {column.name: _read_as(column) for column in table.columns if not column.entry}
    entry = {column.name: _read_as(column) for column in table.columns if column.entry}
    shape = json.dumps({**shared, each: [entry]})
    taken = ", ".join(
        _value(column, f'entry."{column.name}"' if column.entry else f'body."{column.name}"')
        for column in table.columns
    )
    return (
        f'SELECT {taken} FROM (SELECT body, unnest(body."{each}") AS entry '
        f"FROM (SELECT from_json({_payload(1, bulk)}, '{shape}') AS body{_source(bulk)}))"
    )


def _parsed(columns: Sequence[Column], parameter: int, bulk: bool) -> str:
    shape = json.dumps({column.name: _read_as(column) for column in columns})
    return f"from_json({_payload(parameter, bulk)}, '{shape}') AS body{parameter}"


def _payload(parameter: int, bulk: bool) -> str:
    return f"payload{parameter}" if bulk else f"unnest(${parameter}::VARCHAR[])"


def _source(bulk: bool) -> str:
    return f" FROM {BULK}" if bulk else ""


def _read_as(column: Column) -> str:
    # Read as TIMESTAMP, "12:00+02:00" would become 12:00: the offset would be dropped without a word.
    return "TIMESTAMPTZ" if column.kind is ColumnKind.TIME else column.kind.value


def _taken(columns: Sequence[Column], parameter: int = 1) -> str:
    return ", ".join(_value(column, f'body{parameter}."{column.name}"') for column in columns)


def _value(column: Column, read: str) -> str:
    return f'{_kept(column, read)} AS "{column.name}"'


def _kept(column: Column, read: str) -> str:
    """What a column keeps of a member that was read as `_read_as` says."""
    if column.kind is ColumnKind.TIME:
        read = f"timezone('UTC', {read})"
    if column.default:
        read = f"coalesce({read}, {column.default}::{column.kind})"
    return read


@cache
def insert(table: Table, *, bulk: bool = False) -> str:
    return f'INSERT INTO "{table.name}" ({_names(table.columns)}) {_rows(table, bulk)}'


@cache
def insert_changed(table: Table, *, bulk: bool = False) -> str:
    """Rows that are made (payloads in parameter 1) and changed (parameter 2) in one batch."""
    frozen = [column for column in table.columns if column.frozen]
    others = [column for column in table.columns if not column.frozen]
    return (
        f'INSERT INTO "{table.name}" ({_names([*frozen, *others])}) SELECT {_taken(frozen, 1)}, {_taken(others, 2)} '
        f"FROM (SELECT {_parsed(frozen, 1, bulk)}, {_parsed(others, 2, bulk)}{_source(bulk)})"
    )


@cache
def replace(table: Table, *, bulk: bool = False) -> str:
    """Its result is one number: how many rows were found."""
    changes = ", ".join(f'"{column.name}" = new."{column.name}"' for column in table.columns if not column.frozen)
    return f'UPDATE "{table.name}" AS old SET {changes} FROM ({_rows(table, bulk)}) AS new WHERE {_same_row(table)}'


@cache
def insert_rows(table: Table, rows: int) -> str:
    """So many rows, whose values are the parameters, row by row in the order of the columns. One row costs less than
    half of what `insert` costs, most of which is the same for one row and for a thousand."""
    row = f"({', '.join('?' * len(table.columns))})"
    return f'INSERT INTO "{table.name}" ({_names(table.columns)}) VALUES {", ".join([row] * rows)}'


@cache
def replace_row(table: Table) -> str:
    """`replace` for one row, with a parameter for each column of `replacing`."""
    changes = ", ".join(f'"{column.name}" = ?' for column in table.columns if not column.frozen)
    same = " AND ".join(f'"{name}" = ?' for name in _keys(table))
    return f'UPDATE "{table.name}" SET {changes} WHERE {same}'


@cache
def replacing(table: Table) -> tuple[int, ...]:
    """Places of the columns that change with a row, and then of those by which it is found."""
    names = [column.name for column in table.columns]
    changing = [place for place, column in enumerate(table.columns) if not column.frozen]
    return (*changing, *(names.index(name) for name in _keys(table)))


def _keys(table: Table) -> tuple[str, str, str]:
    """The time of creation comes first: by it DuckDB skips every row group that is older or newer."""
    return "created_at", table.key, "org_id"


def insert_missing(table: Table, *, bulk: bool = False) -> str:
    """`insert`, for those rows only that are not there."""
    names = _names(table.columns)
    return (
        f'INSERT INTO "{table.name}" ({names}) SELECT {names} FROM ({_rows(table, bulk)}) AS new '
        f'WHERE NOT EXISTS (SELECT 1 FROM "{table.name}" AS old WHERE {_same_row(table)})'
    )


def remove(table: Table) -> str:
    """Takes the rows of one organization (parameter 1) whose keys are in a list (parameter 2)."""
    return f'DELETE FROM "{table.name}" WHERE {_among(table)}'


def files_of(table: Table) -> str:
    """Digests of the files that rows name, with the parameters of `remove`."""
    return (
        f"SELECT DISTINCT unnest(json_extract_string(\"{table.files}\", '$[*].sha256')) "
        f'FROM "{table.name}" WHERE {_among(table)}'
    )


def naming(table: Table) -> str:
    """Whether a row of an organization (parameter 1) names a file by its digest (parameter 2)."""
    return f'SELECT 1 FROM "{table.name}" WHERE org_id = $1 AND contains("{table.files}"::VARCHAR, $2) LIMIT 1'


def _among(table: Table) -> str:
    return f'org_id = $1 AND "{table.key}" IN (SELECT unnest($2::VARCHAR[]))'


def _same_row(table: Table) -> str:
    return " AND ".join(f'old."{name}" = new."{name}"' for name in _keys(table))


def _names(columns: Sequence[Column]) -> str:
    return ", ".join(f'"{column.name}"' for column in columns)


def insert_event_columns() -> str:
    """Many events, out of BULK, whose columns are those of the table: the time in microseconds, an empty text for
    none."""
    read = {ColumnKind.TIME: "make_timestamp({})", ColumnKind.TEXT: "nullif({}, '')"}
    values = (read.get(column.kind, "{}").format(f'"{column.name}"') for column in EVENTS.columns)
    return f'INSERT INTO "events" ({_names(EVENTS.columns)}) SELECT {", ".join(values)} FROM {BULK}'


@cache
def insert_events() -> str:
    """Many events, from their headers: the caller wraps each header with its place in the log."""
    header = {"org": "VARCHAR", "n": "BIGINT", "type": "VARCHAR", "subject": "VARCHAR", "action": "VARCHAR"}
    shape = json.dumps(
        {
            "seq": "BIGINT",
            "segment": "BIGINT",
            "position": "BIGINT",
            "length": "BIGINT",
            "leaf": "VARCHAR",
            "header": {**header, "actor": "VARCHAR", "ts": "BIGINT"},
        }
    )
    return (
        f'INSERT INTO "events" ({_names(EVENTS.columns)}) '
        "SELECT e.header.org, e.header.n, e.seq, e.header.type, e.header.subject, e.header.action, e.header.actor, "
        "make_timestamp(e.header.ts), e.leaf, e.segment, e.position, e.length "
        f"FROM (SELECT from_json(unnest($1::VARCHAR[]), '{shape}') AS e)"
    )
