"""Tables that a rebuild has left half made: marked with who makes them, until they are whole.

They count only where the same program with the same database made them, and where the last event that they hold is in
the log still.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import duckdb
import msgspec

from assent import __version__
from assent_service.store import schema
from assent_service.store.failures import LogDamaged
from assent_service.store.segments import read
from assent_service.store.tables import Table


def mark(connection: duckdb.DuckDBPyConnection, tables: Sequence[Table]) -> None:
    connection.execute("CREATE OR REPLACE TABLE made_by AS SELECT $1 AS digest", [_made_by(tables)])


def unmark(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("DROP TABLE made_by")


def counts(file: Path, folder: Path, tables: Sequence[Table]) -> bool:
    """Whether `file` holds the beginning of `tables` of the log in `folder`."""
    if not file.exists():
        return False
    try:
        with closing(duckdb.connect(str(file))) as connection:
            if connection.execute("SELECT digest FROM made_by").fetchall() != [(_made_by(tables),)]:
                return False
            last = connection.execute(
                "SELECT segment, position, length, leaf_hash, seq FROM events WHERE seq = (SELECT seq FROM applied)"
            ).fetchone()
        if last is None:
            return False
        event = read(folder, *last[:3])
    except (duckdb.Error, OSError, LogDamaged):
        return False
    return (event.leaf_hash.hex(), event.seq) == last[3:]


def _made_by(tables: Sequence[Table]) -> str:
    declared = [(schema.create(table), sorted(table.created), sorted(table.replaced)) for table in tables]
    return blake2b(msgspec.json.encode([__version__, duckdb.__version__, declared])).hexdigest()
