"""Queries on the tables, in a few threads that release the GIL while the database works."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import duckdb

from assent_service.store.database import Row
from assent_service.store.projector import Projector

READERS = 2


class Reader:
    """Runs SQL text with bound parameters; each thread keeps one cursor of the connection that is open now."""

    def __init__(self, projector: Projector) -> None:
        self._projector = projector
        self._local = threading.local()
        self._pool = ThreadPoolExecutor(READERS, thread_name_prefix="assent-reader")

    async def rows(self, sql: str, parameters: Sequence[object]) -> list[Row]:
        return await asyncio.get_running_loop().run_in_executor(self._pool, self.now, sql, parameters)

    def now(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """The rows, in the calling thread."""
        return self._cursor().execute(sql, list(parameters)).fetchall()

    def close(self) -> None:
        self._pool.shutdown(wait=True)

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        # After a reopened database the old cursor belongs to a closed one.
        if getattr(self._local, "of", None) is not self._projector.connection:
            self._local.of = self._projector.connection
            self._local.cursor = self._projector.cursor()
        cursor: duckdb.DuckDBPyConnection = self._local.cursor
        return cursor
