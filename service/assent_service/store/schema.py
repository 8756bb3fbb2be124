"""DuckDB's side of the declared tables: the statements that make them, fill them and keep them."""

from __future__ import annotations

import json
from pathlib import Path

from assent_service.store.tables import EVENTS, Table

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
    shape = json.dumps({"data": {column.name: str(column.kind) for column in table.columns}})
    return f"SELECT unnest(body.data) FROM (SELECT from_json(unnest($1::VARCHAR[]), '{shape}') AS body)"


def insert(table: Table) -> str:
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    return f'INSERT INTO "{table.name}" ({names}) {_rows(table)}'


def replace(table: Table) -> str:
    changes = ", ".join(f'"{column.name}" = new."{column.name}"' for column in table.columns if not column.frozen)
    return (
        f'UPDATE "{table.name}" AS old SET {changes} FROM ({_rows(table)}) AS new '
        f'WHERE old.created_at = new.created_at AND old."{table.key}" = new."{table.key}" AND old.org_id = new.org_id'
    )


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
    names = ", ".join(f'"{column.name}"' for column in EVENTS.columns)
    return (
        f'INSERT INTO "events" ({names}) SELECT e.header.org, e.header.n, e.seq, e.header.type, e.header.subject, '
        "e.header.action, e.header.actor, make_timestamp(e.header.ts), e.leaf, e.segment, e.position, e.length "
        f"FROM (SELECT from_json(unnest($1::VARCHAR[]), '{shape}') AS e)"
    )
