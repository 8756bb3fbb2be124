"""The embedded database: opened, migrated, lent to readers, and opened anew after it has failed for good.

DuckDB invalidates a database as a whole after some failures, a checkpoint on a full disk for one. Everything that was
committed is still in its files, but every connection to it is dead, and the files may only be opened again once the
last of them is closed. So cursors are lent, never kept, and `reopen` waits until all of them are back.

It also keeps whatever it has read or written of its files in memory, up to four fifths of the machine's: 200 MB for
each million of guard's decisions that nobody looks at. So the writer has it `let_go` now and then; what is read again
comes from the system's own cache of files.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from assent_service.store import schema
from assent_service.store.lock import keep_private
from assent_service.store.spelling import add_rule
from assent_service.store.tables import EVENTS, Table

Row = tuple[object, ...]
Loan = tuple[duckdb.DuckDBPyConnection, Callable[[], None] | None]
"""A cursor that is out, and how to ask for it back."""

INTERRUPT_SECONDS = 0.05
KEPT_BYTES, LEFT_BYTES = 64 << 20, 24 << 20
"""With more of its files in memory than the first, the database lets go until the second is left."""
REST_SECONDS = 30.0
"""Between two times: who reads the same again and again shall not find it gone each time."""

log = logging.getLogger("assent.database")


class TablesUnavailable(Exception):
    """The tables cannot be asked right now; the message says why."""


class Database:
    """`writer` is the one connection that writes. `generation` counts how often the files were opened."""

    def __init__(self, path: Path, tables: Sequence[Table]) -> None:
        self._path, self._tables = path, tuple(tables)
        self._gate = threading.Condition()
        self._idle: list[duckdb.DuckDBPyConnection] = []
        self._lent: list[Loan] = []
        self._open = True
        self._let_go_at = time.monotonic()
        self.generation = 1
        self.writer = connect(path, self._tables)

    @contextmanager
    def cursor(self, recall: Callable[[], None] | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection to read with. Raises TablesUnavailable at once while the database is being opened anew.

        Whoever keeps it while waiting for something else gives `recall`: it is called, by another thread and perhaps
        more than once, when the cursor is wanted back."""
        with self._gate:
            if not self._open:
                raise TablesUnavailable("the database is being opened anew")
            cursor = self._idle.pop() if self._idle else self.writer.cursor()
            loan = (cursor, recall)
            self._lent.append(loan)
        try:
            yield cursor
        finally:
            with self._gate:
                self._lent.remove(loan)
                self._idle.append(cursor)
                self._gate.notify_all()

    def let_go(self, kept: int = KEPT_BYTES, left: int = LEFT_BYTES, rest: float = REST_SECONDS) -> None:
        """Give memory back, where nobody reads: down to `left` bytes once there are more than `kept`, `rest` seconds
        after the last time at the earliest. For the writer's thread, between two transactions."""
        if time.monotonic() - self._let_go_at < rest:
            return
        self._let_go_at = time.monotonic()
        with self._gate:
            if self._lent or not self._open or _in_memory(self.writer) <= kept:
                return
            try:
                # It has no other word for this than a limit, which it keeps to at once.
                self.writer.execute(f"SET memory_limit = '{left}B'")
            except duckdb.OutOfMemoryException:
                log.debug("the tables hold on to more than %d bytes", left)
            finally:
                self.writer.execute("RESET memory_limit")

    def reopen(self) -> None:
        """Interrupt who is reading, close every connection and open the files again. Raises what DuckDB raises, and
        then may simply be called again."""
        self.close()
        self.writer = connect(self._path, self._tables)
        with self._gate:
            self.generation += 1
            self._open = True

    def close(self) -> None:
        """Doing so twice is harmless. What is committed is in the files, whatever closing says about it."""
        with self._gate:
            self._open = False
            while self._lent:
                # Again and again: an interrupt that comes just before a query begins is lost.
                for cursor, recall in self._lent:
                    cursor.interrupt()
                    if recall is not None:
                        recall()
                self._gate.wait(INTERRUPT_SECONDS)
            connections = [*self._idle, self.writer]
            self._idle.clear()
        for connection in connections:
            try:
                connection.close()
            except duckdb.Error as error:
                log.warning("closing the tables: %s", error)


def _in_memory(connection: duckdb.DuckDBPyConnection) -> int:
    """Bytes that the database holds."""
    return int(str(_value(connection, "SELECT coalesce(sum(memory_usage_bytes), 0)::BIGINT FROM duckdb_memory()")))


def _value(connection: duckdb.DuckDBPyConnection, sql: str) -> object:
    """Of a query for exactly one."""
    ((value,),) = connection.execute(sql).fetchall()
    return value


def connect(path: Path, tables: Sequence[Table]) -> duckdb.DuckDBPyConnection:
    """Open or make the database at `path` with everything declared in it."""
    # One core is left to guard; a query that must wait for a thread is better than a guard that must.
    threads = max(1, (os.cpu_count() or 2) - 1)
    connection = duckdb.connect(str(path), config={"threads": threads, "preserve_insertion_order": True})
    try:
        add_rule(connection)
        connection.execute("SET TimeZone = 'UTC'")
        migrate(connection, tables)
        for file in (path, write_ahead(path)):
            if file.exists():
                keep_private(file)
    except BaseException:
        connection.close()
        raise
    return connection


def write_ahead(path: Path) -> Path:
    """The file in which the database at `path` keeps what its own does not hold yet."""
    return path.with_name(path.name + ".wal")


DEFAULTS = "0002_defaults"
"""The migration that is no file: which columns have a default is declared."""


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
    connection.execute("BEGIN")
    present: dict[str, set[str]] = {}
    # The information schema has DuckDB's own views too, which takes it seven times as long.
    for table_name, column in connection.execute(
        "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal"
    ).fetchall():
        present.setdefault(str(table_name), set()).add(str(column))
    for table in (EVENTS, *tables):
        if table.name not in present:
            connection.execute(schema.create(table))
            continue
        for statement in schema.add_missing_columns(table, present[table.name]):
            connection.execute(statement)
    if DEFAULTS not in done:
        for table in tables:
            for statement in schema.fill_defaults(table):
                connection.execute(statement)
        connection.execute("INSERT INTO migrations VALUES ($1, now()::TIMESTAMP)", [DEFAULTS])
    connection.execute("COMMIT")
