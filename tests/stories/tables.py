"""Two databases of tables, compared row by row."""

from __future__ import annotations

from pathlib import Path

import duckdb

from assent_service.app import TABLES

NAMES = ("applied", "events", *(table.name for table in TABLES))


def differences(one: Path, other: Path) -> list[str]:
    """What differs between two homes' tables, by table; empty when every row of each is in the other as often."""
    found = []
    with duckdb.connect() as connection:
        for name, home in (("one", one), ("other", other)):
            connection.execute(f"ATTACH '{home / 'tables.duckdb'}' AS {name} (READ_ONLY)")
        for table in NAMES:
            columns = [_columns(connection, name, table) for name in ("one", "other")]
            if columns[0] != columns[1]:
                found.append(f"{table}: columns {columns[0] ^ columns[1]}")
                continue
            for left, right in (("one", "other"), ("other", "one")):
                listed = ", ".join(f'"{column}"' for column in sorted(columns[0]))
                rows = connection.execute(
                    f'SELECT {listed} FROM {left}."{table}" EXCEPT ALL SELECT {listed} FROM {right}."{table}"'
                ).fetchall()
                found += [f"{table}: only in {left}: {row}" for row in rows[:3]]
    return found


def _columns(connection: duckdb.DuckDBPyConnection, database: str, table: str) -> set[str]:
    rows = connection.execute(
        "SELECT column_name FROM duckdb_columns() WHERE database_name = ? AND table_name = ?", [database, table]
    ).fetchall()
    assert rows, f"{database} has no table {table}"
    return {str(name) for (name,) in rows}


def count(home: Path, table: str) -> int:
    with duckdb.connect(str(home / "tables.duckdb"), read_only=True) as connection:
        return int(connection.execute(f'SELECT count(*) FROM "{table}"').fetchall()[0][0])
