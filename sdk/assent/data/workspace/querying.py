"""SQL over the copies, in a DuckDB of its own that lives in memory and ends with the answer.

It has a view for each table and nothing else: files outside the copies, the network, extensions, variables of Python
and settings are out of its reach. A query is one SELECT (or DESCRIBE, SUMMARIZE, SHOW), so that nothing is written:
COPY could write among the copies.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from polars import DataFrame


class Source(NamedTuple):
    """A table: its files, and the moment from which on its rows count, by the column `time`."""

    files: Sequence[Path]
    time: str
    since: datetime


def query(sql: str, sources: Mapping[str, Source], folder: Path) -> DataFrame:
    """What `sql` answers. Raises ValueError for what is no query, is more than one or cannot be answered."""
    import duckdb

    with duckdb.connect() as database:
        try:
            _check(database, sql)
            _prepare(database, sources, folder)
            found: DataFrame = database.sql(sql).pl()
        except duckdb.Error as error:
            raise ValueError(f"{error}\nThe tables are: {', '.join(sources)}.") from error
    return found


def _check(database: DuckDBPyConnection, sql: str) -> None:
    import duckdb

    statements = database.extract_statements(sql)
    if len(statements) != 1:
        raise ValueError(f"ws.sql takes one query, and these are {len(statements)} statements; run one after the other")
    if statements[0].type != duckdb.StatementType.SELECT:
        kind = statements[0].type.name
        raise ValueError(f"ws.sql only reads, and this is {kind}; write SELECT, or WITH ... SELECT")


def _prepare(database: DuckDBPyConnection, sources: Mapping[str, Source], folder: Path) -> None:
    database.execute("SET TimeZone = 'UTC'")
    database.execute("SET python_enable_replacements = false")
    for name, source in sources.items():
        files = ", ".join(_text(str(path)) for path in source.files)
        rows = f"read_parquet([{files}], hive_partitioning = false)"
        since = f"TIMESTAMPTZ {_text(source.since.isoformat())}"
        # A view takes no parameters.
        view = f"CREATE VIEW {_name(name)} AS SELECT * FROM {rows} WHERE {_name(source.time)} >= {since}"  # noqa: S608
        database.execute(view)
    # What does not fit into memory is put beside the copies, where it is as private; the working folder is anybody's.
    spilled = folder.parent / "drafts" / f"query-{secrets.token_hex(8)}"
    database.execute(f"SET temp_directory = {_text(str(spilled))}")
    database.execute(f"SET allowed_directories = [{_text(str(folder))}]")
    database.execute("SET enable_external_access = false")
    database.execute("SET lock_configuration = true")


def _name(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
