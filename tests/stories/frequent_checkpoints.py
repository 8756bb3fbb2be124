"""The service with a database that makes a checkpoint every few commits instead of every 16 MB."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import duckdb

from assent_service.serve import run
from assent_service.store import database
from assent_service.store.tables import Table

_connect = database.connect


def _often(path: Path, tables: Sequence[Table]) -> duckdb.DuckDBPyConnection:
    connection = _connect(path, tables)
    connection.execute("SET checkpoint_threshold = '256KB'")
    return connection


if __name__ == "__main__":
    with patch.object(database, "connect", _often):
        run()
