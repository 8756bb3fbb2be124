"""Queries on the tables, in a few threads that release the GIL while the database works."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb
import polars as pl

from assent_service.store.database import Database, Row, TablesUnavailable

if TYPE_CHECKING:
    import pyarrow as pa

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


class Scan:
    """The rows of one query, batch by batch, never all of them at once. Iterating raises TablesUnavailable."""

    def __init__(self, batches: pa.RecordBatchReader, unavailable: Callable[[Exception], TablesUnavailable]) -> None:
        self._batches, self._unavailable = batches, unavailable
        self.schema: pa.Schema = batches.schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        # A sixth of a second, which a service that nobody asks for tables need not spend at its start.
        import pyarrow as pa

        while True:
            try:
                batch = self._batches.read_next_batch()
            except StopIteration:
                return
            except (OSError, pa.ArrowException) as error:
                # What DuckDB raises in the middle of a stream reaches us through Arrow, as text.
                raise self._unavailable(error) from error
            yield batch


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
            raise self._unavailable(error, generation) from error

    async def frame(self, sql: str, parameters: Sequence[object]) -> pl.DataFrame:
        """The rows as a Polars frame, column by column and never row by row. Raises as `rows` does."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._frame, sql, parameters)

    def _frame(self, sql: str, parameters: Sequence[object]) -> pl.DataFrame:
        generation = self._database.generation
        try:
            with self._database.cursor() as cursor:
                found: pl.DataFrame = cursor.sql(sql, params=list(parameters)).pl()
                return found
        except UNAVAILABLE as error:
            raise self._unavailable(error, generation) from error

    @contextmanager
    def scan(self, sql: str, parameters: Sequence[object], *, rows: int, recall: Callable[[], None]) -> Iterator[Scan]:
        """The rows in batches of about `rows`, in the calling thread, in memory that does not grow with their number.

        The caller holds a cursor as long as this is open, so it must end soon after `recall` was called by another
        thread. Raises as `rows` does.
        """
        generation = self._database.generation
        with self._database.cursor(recall) as cursor:
            try:
                # Only a relation streams: what `execute` gives has been computed whole before its first row.
                batches = cursor.sql(sql, params=list(parameters)).to_arrow_reader(rows)
            except UNAVAILABLE as error:
                raise self._unavailable(error, generation) from error
            with batches:
                yield Scan(batches, lambda error: self._unavailable(error, generation))

    def _unavailable(self, error: Exception, generation: int) -> TablesUnavailable:
        for_good = isinstance(error, duckdb.FatalException | duckdb.InternalException)
        if for_good or str(error).startswith(("FATAL Error", "INTERNAL Error")):
            self._distrust(generation, str(error))
        return TablesUnavailable(str(error))

    def close(self) -> None:
        self._pool.shutdown(wait=True)
