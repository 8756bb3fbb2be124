"""Queries on the tables, in a few threads that release the GIL while the database works."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import duckdb

from assent_service.store.database import Database, Row, TablesUnavailable

READERS = 2
# Not the query's fault: the disk, the memory, a database that has failed as a whole or is being closed.
UNAVAILABLE = (
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.IOException,
    duckdb.ConnectionException,
    duckdb.InterruptException,
    duckdb.OutOfMemoryException,
)


class Reader:
    """Runs SQL text with bound parameters. `distrust(generation, why)` is told when the database has failed for good,
    since nobody else might notice until the next write."""

    def __init__(self, database: Database, distrust: Callable[[int, str], None]) -> None:
        self._database, self._distrust = database, distrust
        self._pool = ThreadPoolExecutor(READERS, thread_name_prefix="assent-reader")

    async def rows(self, sql: str, parameters: Sequence[object]) -> list[Row]:
        """Raises TablesUnavailable, and duckdb.Error for a query that is wrong."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self.now, sql, parameters)

    def now(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """The rows, in the calling thread. Raises as `rows` does."""
        generation = self._database.generation
        try:
            with self._database.cursor() as cursor:
                return cursor.execute(sql, list(parameters)).fetchall()
        except UNAVAILABLE as error:
            if isinstance(error, duckdb.FatalException | duckdb.InternalException):
                self._distrust(generation, str(error))
            raise TablesUnavailable(str(error)) from error

    def close(self) -> None:
        self._pool.shutdown(wait=True)
