"""The embedded database: opened, migrated, and reopened after it has failed for good."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import duckdb

from assent_service.store import schema
from assent_service.store.tables import EVENTS, Table

Row = tuple[object, ...]


def connect(path: Path, tables: Sequence[Table]) -> duckdb.DuckDBPyConnection:
    """Open or make the database at `path` with everything declared in it."""
    # One core is left to guard; a query that must wait for a thread is better than a guard that must.
    threads = max(1, (os.cpu_count() or 2) - 1)
    connection = duckdb.connect(str(path), config={"threads": threads, "preserve_insertion_order": True})
    connection.execute("SET TimeZone = 'UTC'")
    migrate(connection, tables)
    return connection


def migrate(connection: duckdb.DuckDBPyConnection, tables: Sequence[Table]) -> None:
    """Run the numbered migrations that have not run yet, then make what the nouns declare."""
    connection.execute("CREATE TABLE IF NOT EXISTS migrations (name VARCHAR PRIMARY KEY, applied_at TIMESTAMP)")
    done = {name for (name,) in connection.execute("SELECT name FROM migrations").fetchall()}
    for file in sorted(schema.MIGRATIONS.glob("*.sql")):
        if file.name in done:
            continue
        connection.execute("BEGIN")
        connection.execute(file.read_text(encoding="utf-8"))
        connection.execute("INSERT INTO migrations VALUES ($1, now()::TIMESTAMP)", [file.name])
        connection.execute("COMMIT")
    for table in (EVENTS, *tables):
        connection.execute(schema.create(table))
        present = connection.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = $1", [table.name]
        ).fetchall()
        for statement in schema.add_missing_columns(table, {str(name) for (name,) in present}):
            connection.execute(statement)
