"""SQL that is parsed once: of a short query on a wide table, a third is spent on reading its text again.

    run(cursor, "SELECT name FROM policies WHERE org_id = ?", [org_id]).fetchall()

A parsed statement knows neither tables nor connection, so one serves all of them, and a database that was opened anew.
The newest MOST are kept, of 6 KB each.
"""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

MOST = 256

_parsed: dict[str, duckdb.Statement] = {}


def run(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[object] = ()
) -> duckdb.DuckDBPyConnection:
    """As the connection's own `execute`, for one statement. Raises what that raises."""
    return connection.execute(_parsed.get(sql) or _parse(connection, sql), list(parameters))


def _parse(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    """Raises duckdb.Error for a text that is wrong, and ValueError for one that is not one statement."""
    (statement,) = connection.extract_statements(sql)
    if len(_parsed) >= MOST:
        # Two threads may find the same one to be the oldest.
        _parsed.pop(next(iter(tuple(_parsed))), None)
    _parsed[sql] = statement
    return statement
