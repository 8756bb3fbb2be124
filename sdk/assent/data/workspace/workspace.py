"""What a notebook holds: the tables as lazy frames, and SQL over them.

SQL runs in a DuckDB of its own that lives in memory and ends with the answer. It has a view for each table, the views
`facts` and `attempts` where the tables of JOINED are there, and nothing else: files outside the copies, the network,
extensions, variables of Python and settings are out of its reach. A query is one SELECT (or DESCRIBE, SUMMARIZE, SHOW),
so that nothing is written: COPY could write among the copies.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assent.contract.analysis.data import DataTable
from assent.contract.window import days_of
from assent.data.workspace.copies import Copy, Index, clear_drafts
from assent.data.workspace.opening import WorkspaceState
from assent.data.workspace.place import Lock
from assent.data.workspace.refreshing import Fetched, first_day

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from polars import DataFrame

if TYPE_CHECKING:
    from polars import DataFrame, LazyFrame


FACTS, ATTEMPTS = "facts", "attempts"
JOINED = (DataTable.ACTIONS.value, DataTable.DECISIONS.value, DataTable.APPROVALS.value, DataTable.ASSUMPTIONS.value)
"""The tables that facts are made of."""


class TableFiles(NamedTuple):
    """A table: its files, and the moment from which on its rows count, by the column `time`."""

    files: Sequence[Path]
    time: str
    since: datetime


def query(sql: str, sources: Mapping[str, TableFiles], folder: Path) -> DataFrame:
    """What `sql` answers. Raises ValueError for what is no query, is more than one or cannot be answered."""
    import duckdb

    with duckdb.connect() as database:
        try:
            _check(database, sql)
            _prepare(database, sources, folder)
            found: DataFrame = database.sql(sql).pl()
        except duckdb.Error as error:
            names = [*sources, *((FACTS, ATTEMPTS) if set(JOINED) <= set(sources) else ())]
            raise ValueError(f"{error}\nThe tables are: {', '.join(names)}.") from error
    return found


def _check(database: DuckDBPyConnection, sql: str) -> None:
    import duckdb

    statements = database.extract_statements(sql)
    if len(statements) != 1:
        raise ValueError(f"ws.sql takes one query, and these are {len(statements)} statements; run one after the other")
    if statements[0].type != duckdb.StatementType.SELECT:
        kind = statements[0].type.name
        raise ValueError(f"ws.sql only reads, and this is {kind}; write SELECT, or WITH ... SELECT")


def _prepare(database: DuckDBPyConnection, sources: Mapping[str, TableFiles], folder: Path) -> None:
    database.execute("SET TimeZone = 'UTC'")
    database.execute("SET python_enable_replacements = false")
    for name, source in sources.items():
        files = ", ".join(_text(str(path)) for path in source.files)
        rows = f"read_parquet([{files}], hive_partitioning = false)"
        since = f"TIMESTAMPTZ {_text(source.since.isoformat())}"
        # A view takes no parameters.
        view = f"CREATE VIEW {_name(name)} AS SELECT * FROM {rows} WHERE {_name(source.time)} >= {since}"  # noqa: S608
        database.execute(view)
    if set(JOINED) <= set(sources):
        from assent_analytics.facts import facts_sql

        named = "SELECT column_name FROM information_schema.columns WHERE table_name = ?"
        decisions, approvals = (
            [name for (name,) in database.execute(named, [table.value]).fetchall()]
            for table in (DataTable.DECISIONS, DataTable.APPROVALS)
        )
        for name, attempts in ((FACTS, False), (ATTEMPTS, True)):
            database.execute(f"CREATE VIEW {name} AS {facts_sql(decisions, approvals, attempts=attempts)}")
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


class Tables:
    """Tables of a window, each an attribute: `ws.actions` is a Polars LazyFrame with the columns and types of
    `client.frame("actions")`, its rows day by day (UTC, by the table's own time), those of a day as they were recorded.

    `ws.tables` lists them, `ws.sql(...)` asks them, `ws.table(name)` is for names in variables. `ws.facts` is one row
    for each action with what the tables know of it, as `client.facts` gives it, and `ws.attempts` has the questions
    that no action followed as well. Both are made of actions, decisions, approvals and assumptions, and are tables in
    SQL, too.

    `as_of` is the moment that all are right for, `stale` whether the service could not be asked this time, `reason`
    why. `fetched` says what was taken from the service: requests, days, rows, bytes. `path` is the folder of the
    copies; it can be deleted at any time while no refresh runs.
    """

    def __init__(self, opened: WorkspaceState) -> None:
        self._opened = opened

    @property
    def tables(self) -> list[str]:
        return list(self._opened.indexes)

    @property
    def window(self) -> str:
        return self._opened.window

    @property
    def path(self) -> Path:
        return self._opened.view

    @property
    def fetched(self) -> Fetched:
        return self._opened.fetched

    @property
    def reason(self) -> str | None:
        return self._opened.reason

    @property
    def stale(self) -> bool:
        return self._opened.reason is not None

    @property
    def as_of(self) -> datetime:
        """The earliest of its tables' moments."""
        return min(self.right_until(name) for name in self._opened.indexes)

    def right_until(self, table: str) -> datetime:
        """The moment that one table is right for, by the service's clock."""
        as_of = self._index(table).as_of
        assert as_of is not None, "only tables that were asked for once are opened"
        return as_of

    @property
    def incomplete(self) -> list[str]:
        """Tables that lack days of the window, because the service could not be asked for them."""
        return [name for name, index in self._opened.indexes.items() if not self._is_complete(index)]

    def table(self, name: str) -> LazyFrame:
        """A table by its name. Raises KeyError that lists the tables."""
        import polars as pl

        if name in (FACTS, ATTEMPTS):
            from assent_analytics.facts import facts

            return facts(*(self.table(each) for each in JOINED), attempts=name == ATTEMPTS)
        source = self._source(name)
        frame = pl.scan_parquet(list(source.files), hive_partitioning=False, glob=False)
        return frame.filter(pl.col(source.time) >= source.since)

    def sql(self, query_text: str) -> DataFrame:
        """What one SELECT over the tables answers, by DuckDB, as a Polars frame. It reads only, and reaches nothing but
        the tables. Raises ValueError that says what is wrong with the query."""
        sources = {name: self._source(name) for name in self._opened.indexes}
        return query(query_text, sources, self._opened.view / "tables")

    def prune(self) -> None:
        """Remove the copies of days before the window. Raises RuntimeError while they are being refreshed."""
        with Lock(self._opened.view / "lock") as lock:
            # Not waited for: whoever refreshes may need this thread.
            if not lock.take():
                raise RuntimeError(f"{self._opened.view} is being refreshed; prune it when that has ended")
            clear_drafts(self._opened.view)
            for name in self._opened.indexes:
                copy = Copy(self._opened.view, name)
                now = copy.index()
                if now is not None:
                    copy.keep(copy.prune(now, first_day(self.right_until(name), self.window).isoformat()))

    def __getattr__(self, name: str) -> LazyFrame:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.table(name)
        except KeyError as error:
            raise AttributeError(str(error.args[0])) from None

    def __dir__(self) -> Iterable[str]:
        facts = (FACTS, ATTEMPTS) if set(JOINED) <= set(self._opened.indexes) else ()
        return [*super().__dir__(), *self._opened.indexes, *facts]

    def __repr__(self) -> str:
        state = f"right until {self.as_of:%Y-%m-%d %H:%M:%S} UTC"
        if self.stale:
            state = f"STALE, {state}: {self.reason}"
        if lacking := self.incomplete:
            state += f"; days are missing of {', '.join(lacking)}"
        return f"<{type(self).__name__} of {self.window}, {len(self.tables)} tables, {state}>"

    def _index(self, table: str) -> Index:
        found = self._opened.indexes.get(table)
        if found is None:
            why = "this key may not see it" if table in self._opened.hidden else "it is not in this workspace"
            raise KeyError(f"no table {table!r}: {why}; there are: {', '.join(self._opened.indexes)}")
        return found

    def _source(self, name: str) -> TableFiles:
        index = self._index(name)
        as_of = self.right_until(name)
        files = Copy(self._opened.view, name).files(index, first_day(as_of, self.window).isoformat())
        return TableFiles(files, index.time, as_of - timedelta(days=days_of(self.window)))

    def _is_complete(self, index: Index) -> bool:
        assert index.as_of is not None, "only tables that were asked for once are opened"
        return index.complete_from is not None and index.complete_from <= first_day(index.as_of, self.window)


class Workspace(Tables):
    """Of a `Client`."""

    __doc__ = Tables.__doc__

    def __init__(self, opened: WorkspaceState, refresh: Callable[[], WorkspaceState]) -> None:
        super().__init__(opened)
        self._again = refresh

    def refresh(self) -> Workspace:
        """Bring the tables up to date, and give this workspace. Raises as the client's methods do; what was there
        stays readable then."""
        self._opened = self._again()
        return self


class AsyncWorkspace(Tables):
    """Of an `AsyncClient`."""

    __doc__ = Tables.__doc__

    def __init__(self, opened: WorkspaceState, refresh: Callable[[], Coroutine[Any, Any, WorkspaceState]]) -> None:
        super().__init__(opened)
        self._again = refresh

    async def refresh(self) -> AsyncWorkspace:
        """Bring the tables up to date, and give this workspace. Raises as the client's methods do; what was there
        stays readable then."""
        self._opened = await self._again()
        return self
