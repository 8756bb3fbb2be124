"""Queries on the tables, in a few threads that release the GIL while the database works.

Those whose rows are all taken into memory, for statistics, have threads of their own with a lower priority and a
budget, so that no list waits behind them (`budget`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb
import polars as pl

from assent_service.base.background import background_pool
from assent_service.store.budget import UNLIMITED, Budget, TimeLimit, TooManyAnalyses
from assent_service.store.database import Database, Row, TablesUnavailable
from assent_service.store.statements import run

if TYPE_CHECKING:
    import pyarrow as pa

READERS = 2
PIECE = 100_000
"""Rows between two looks at the budget."""
# Not the query's fault: the disk, the memory, a database that has failed as a whole or is being closed.
UNAVAILABLE = (
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.IOException,
    duckdb.ConnectionException,
    duckdb.InterruptException,
    duckdb.OutOfMemoryException,
)


class QueryScan:
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


class TableReader:
    """Runs SQL text with bound parameters. `distrust(generation, why)` is told when the database has failed for good,
    since nobody else might notice until the next write."""

    def __init__(self, database: Database, distrust: Callable[[int, str], None], budget: Budget) -> None:
        self._database, self._distrust, self._budget = database, distrust, budget
        self._pool = ThreadPoolExecutor(READERS, thread_name_prefix="assent-reader")
        self._analysts = background_pool(budget.at_once, "assent-analyst")
        self._analyses = 0

    async def rows(self, sql: str, parameters: Sequence[object]) -> list[Row]:
        """Raises TablesUnavailable, and duckdb.Error for a query that is wrong."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self.now, sql, parameters)

    def now(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """The rows, in the calling thread. Raises as `rows` does."""
        generation = self._database.generation
        try:
            with self._database.cursor() as cursor:
                return run(cursor, sql, parameters).fetchall()
        except UNAVAILABLE as error:
            raise self._unavailable(error, generation) from error

    async def frame(self, sql: str, parameters: Sequence[object]) -> pl.DataFrame:
        """The rows as a Polars frame, column by column and never row by row. Raises as `rows` does, BudgetExceeded, and
        TooManyAnalyses."""
        if self._analyses >= self._budget.most:
            raise TooManyAnalyses
        self._analyses += 1
        try:
            return await self._in_thread(self._analysts, self._budget, sql, parameters)
        finally:
            self._analyses -= 1

    async def whole_frame(self, sql: str, parameters: Sequence[object]) -> pl.DataFrame:
        """The same without a budget, and behind no analysis. Raises as `rows` does."""
        return await self._in_thread(self._pool, UNLIMITED, sql, parameters)

    async def _in_thread(
        self, pool: ThreadPoolExecutor, budget: Budget, sql: str, parameters: Sequence[object]
    ) -> pl.DataFrame:
        return await asyncio.get_running_loop().run_in_executor(pool, self._frame, budget, sql, parameters)

    def _frame(self, budget: Budget, sql: str, parameters: Sequence[object]) -> pl.DataFrame:
        import pyarrow as pa

        generation = self._database.generation
        try:
            with self._database.cursor() as cursor, TimeLimit(budget, cursor) as limit:
                try:
                    return _gathered(cursor.sql(sql, params=list(parameters)).to_arrow_reader(PIECE), limit)
                except Exception:
                    limit.check()
                    raise
        except (*UNAVAILABLE, OSError, pa.ArrowException) as error:
            raise self._unavailable(error, generation) from error

    @contextmanager
    def scan(
        self, sql: str, parameters: Sequence[object], *, rows: int, recall: Callable[[], None]
    ) -> Iterator[QueryScan]:
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
                yield QueryScan(batches, lambda error: self._unavailable(error, generation))

    def _unavailable(self, error: Exception, generation: int) -> TablesUnavailable:
        for_good = isinstance(error, duckdb.FatalException | duckdb.InternalException)
        if for_good or str(error).startswith(("FATAL Error", "INTERNAL Error")):
            self._distrust(generation, str(error))
        return TablesUnavailable(str(error))

    def close(self) -> None:
        self._pool.shutdown(wait=True)
        self._analysts.shutdown(wait=True)


def _gathered(batches: pa.RecordBatchReader, limit: TimeLimit) -> pl.DataFrame:
    """All rows as one frame. Raises BudgetExceeded."""
    import pyarrow as pa

    pieces, size = list[pa.RecordBatch](), 0
    with batches:
        for piece in batches:
            size += piece.nbytes
            limit.check(size)
            pieces.append(piece)
    found = pl.from_arrow(pa.Table.from_batches(pieces, batches.schema))
    assert isinstance(found, pl.DataFrame)
    return found
