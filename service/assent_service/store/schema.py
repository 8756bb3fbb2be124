"""DuckDB's side of the declared tables: the statements that make them, fill them and keep them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from assent_service.store.tables import EVENTS, Column, Kind, Table

MIGRATIONS = Path(__file__).with_name("migrations")


def create(table: Table) -> str:
    columns = ", ".join(f'"{column.name}" {column.kind}' for column in table.columns)
    return f'CREATE TABLE IF NOT EXISTS "{table.name}" ({columns})'


def add_missing_columns(table: Table, present: set[str]) -> list[str]:
    """A noun that grew a column gets it on an older database too; its old rows hold NULL until a rebuild."""
    return [
        f'ALTER TABLE "{table.name}" ADD COLUMN "{column.name}" {column.kind}'
        for column in table.columns
        if column.name not in present
    ]


def _rows(table: Table) -> str:
    """Rows out of a list of event bodies (parameter 1), parsed by DuckDB itself, which holds the GIL far shorter."""
    if table.each is not None:
        return _entries(table, table.each)
    return f"SELECT {_taken(table.columns)} FROM (SELECT {_parsed(table.columns, 1)})"


def _entries(table: Table, each: str) -> str:
    """The same, with a row for each entry of a list in the body."""
    shared = {column.name: _read_as(column) for column in table.columns if not column.entry}
    entry = {column.name: _read_as(column) for column in table.columns if column.entry}
    shape = json.dumps({"data": {**shared, each: [entry]}})
    taken = ", ".join(
        _value(column, f'entry."{column.name}"' if column.entry else f'body.data."{column.name}"')
        for column in table.columns
    )
    return (
        f'SELECT {taken} FROM (SELECT body, unnest(body.data."{each}") AS entry '
        f"FROM (SELECT from_json(unnest($1::VARCHAR[]), '{shape}') AS body))"
    )


def _parsed(columns: Sequence[Column], parameter: int) -> str:
    shape = json.dumps({"data": {column.name: _read_as(column) for column in columns}})
    return f"from_json(unnest(${parameter}::VARCHAR[]), '{shape}') AS body{parameter}"


def _read_as(column: Column) -> str:
    # Read as TIMESTAMP, "12:00+02:00" would become 12:00: the offset would be dropped without a word.
    return "TIMESTAMPTZ" if column.kind is Kind.TIME else column.kind.value


def _taken(columns: Sequence[Column], parameter: int = 1) -> str:
    return ", ".join(_value(column, f'body{parameter}.data."{column.name}"') for column in columns)


def _value(column: Column, read: str) -> str:
    return f"timezone('UTC', {read}) AS \"{column.name}\"" if column.kind is Kind.TIME else read


def insert(table: Table) -> str:
    return f'INSERT INTO "{table.name}" ({_names(table.columns)}) {_rows(table)}'


def insert_changed(table: Table) -> str:
    """Rows that are made (bodies in parameter 1) and changed (parameter 2) in one batch."""
    frozen = [column for column in table.columns if column.frozen]
    others = [column for column in table.columns if not column.frozen]
    return (
        f'INSERT INTO "{table.name}" ({_names([*frozen, *others])}) SELECT {_taken(frozen, 1)}, {_taken(others, 2)} '
        f"FROM (SELECT {_parsed(frozen, 1)}, {_parsed(others, 2)})"
    )


def replace(table: Table) -> str:
    """Its result is one number: how many rows were found."""
    changes = ", ".join(f'"{column.name}" = new."{column.name}"' for column in table.columns if not column.frozen)
    return f'UPDATE "{table.name}" AS old SET {changes} FROM ({_rows(table)}) AS new WHERE {_same_row(table)}'


def insert_missing(table: Table) -> str:
    """`insert`, for those rows only that are not there."""
    names = _names(table.columns)
    return (
        f'INSERT INTO "{table.name}" ({names}) SELECT {names} FROM ({_rows(table)}) AS new '
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
    """The time of creation comes first: by it DuckDB skips every row group that is older or newer."""
    return f'old.created_at = new.created_at AND old."{table.key}" = new."{table.key}" AND old.org_id = new.org_id'


def _names(columns: Sequence[Column]) -> str:
    return ", ".join(f'"{column.name}"' for column in columns)


def insert_events() -> str:
    """Like `insert`, from headers: the caller wraps each header with its place in the log."""
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
