"""Tables as data: whole tables of a window, as a frame or as a file's bytes. Needs an operator's or auditor's key."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from assent.client.flow import Consume, Flow, receive, send
from assent.client.incoming import Incoming
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller
from assent.contract.analysis.data import (
    GET_DATA_DICTIONARY,
    GET_TABLE,
    GET_TABLE_DAYS,
    DataFormat,
    DataTable,
)
from assent.contract.control.actions import ActionStatus
from assent.contract.control.guard import Decision, Source
from assent.contract.control.policies import GET_POLICIES
from assent.contract.window import LONGEST_DAYS, days_of, start_of
from assent.errors import MissingExtra, ServerError

if TYPE_CHECKING:
    from polars import DataFrame, LazyFrame

    from assent_analytics.drivers import Drivers
else:

    class Drivers:
        """Stands for assent_analytics.drivers.Drivers in a signature, so that naming it does not load polars."""

        __module__ = "assent_analytics.drivers"

    class LazyFrame:
        """Stands for polars.LazyFrame, likewise."""

        __module__ = "polars"

    class DataFrame:
        """Stands for polars.DataFrame in a signature, so that naming it does not load polars."""

        __module__ = "polars"


class DataOperations(Caller):
    @sends(GET_DATA_DICTIONARY)
    def get_data_dictionary(self) -> Response:
        """Every table that is served: its columns with type, unit and meaning, its key, its time and its filters."""

    @calls(GET_TABLE)
    def get_table(
        self,
        table: DataTable | str,
        window: str | None = None,
        format: DataFormat | str = DataFormat.ARROW,
        columns: Sequence[str] | None = None,
        agent_id: str | None = None,
        action_type: str | None = None,
        source: Source | str | None = None,
        *,
        status: ActionStatus | str | None = None,
        decision: Decision | str | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        spreadsheet: bool = False,
    ) -> Flow[bytes]:
        """The rows of the last `window` (such as `7d`; 30 days without it) as a file: arrow (the IPC stream format),
        parquet, ndjson or csv. `since` and `until` are days in UTC, both inside, in place of a window. `columns` are
        names from the data dictionary, in the order wanted; it also names the filters that a table takes.
        With `spreadsheet`, for csv alone, each text that a spreadsheet would take for a formula has an apostrophe
        before it.

        Raises NotFound for an unknown table, InvalidRequest for a window, a day, a format, a column or a filter that
        the table does not have, Unavailable when too many tables are being streamed.
        """
        rows = {"agent_id": agent_id, "action_type": action_type, "source": source}
        days = {"since": _day(since), "until": _day(until)}
        query = _query(columns, window=window, **days, **rows, status=status, decision=decision)
        query |= {"format": str(format), **({"spreadsheet": "true"} if spreadsheet else {})}
        return (yield from send(GET_TABLE, path={"table": str(table)}, query=query))

    @calls(GET_TABLE)
    def frame(
        self,
        table: DataTable | str,
        window: str | None = None,
        columns: Sequence[str] | None = None,
        *,
        agent_id: str | None = None,
        action_type: str | None = None,
        source: Source | str | None = None,
        status: ActionStatus | str | None = None,
        decision: Decision | str | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
    ) -> Flow[DataFrame]:
        """The rows of the last `window` (30 days without it), or of the days from `since` to `until`, as a Polars
        frame, in the order in which they were recorded. Times are in UTC, JSON columns are text. pandas, DuckDB and
        pyarrow take a Polars frame as it is.

        The rows are read while they arrive and stay in the batches in which they came; `rechunk()` makes one piece of
        them, which is worth its second half of memory for who joins or groups often.

        Raises as `get_table` does, and MissingExtra where polars or pyarrow is not installed.
        """
        consume = reader(table)
        if window is None and since is None and until is None:
            window = "30d"
        rows = {"agent_id": agent_id, "action_type": action_type, "source": source}
        days = {"since": _day(since), "until": _day(until)}
        query = _query(columns, window=window, **days, **rows, status=status, decision=decision)
        asked = {**query, "format": DataFormat.ARROW.value}
        return (yield from receive(GET_TABLE, consume, path={"table": str(table)}, query=asked))

    @calls(GET_TABLE)
    def facts(
        self,
        window: str | None = None,
        *,
        attempts: bool = False,
        agent_id: str | None = None,
        action_type: str | None = None,
        source: Source | str | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
    ) -> Flow[LazyFrame]:
        """One row for each action of the last `window` (30 days without it), or of the days from `since` to `until`:
        its decision with policies and risk, its approval with who and how long, how many assumptions, its outcome or
        why there is none, cost and duration, session and cluster. The columns are described with the tables (the data
        dictionary of the documentation, `assent.contract.analysis.facts.Fact`). With `attempts`, decisions that no
        action followed are rows, too, without an `action_id`: above all what was blocked when guard was asked.

        The four tables are fetched, only the columns that are needed; they are joined when the Polars frame is
        collected. `client.workspace().facts` is the same of copies on this machine, where SQL knows it as `facts`.

        Raises as `frame` does.
        """
        days = {"since": _day(since), "until": _day(until)}
        only = {"agent_id": agent_id, "action_type": action_type, "source": source}
        return (yield from _facts(window, attempts=attempts, **days, **only))

    @calls(GET_TABLE)
    def drivers(
        self,
        metric: str,
        window: str = "7d",
        *,
        by: Sequence[str] | None = None,
        agent_id: str | None = None,
        action_type: str | None = None,
        source: Source | str | None = None,
    ) -> Flow[Drivers]:
        """What moved a number in the last `window` against as long a one before it: which types, agents, policies and
        tools (or the columns of the facts in `by`), by their mix and by their rates, with intervals that respect
        sessions and the false discovery rate held. `metric` is block_rate, approval_rate, denial_rate, failure_rate,
        risk_score, cost_estimate, duration_ms or waited_seconds. The answer has a `sentence`, `notes` on what it rests
        on, and a `table`; `assent_analytics.charts.waterfall` draws it, and `assent_analytics.drivers` says how it is
        worked out.

        Raises ValueError for a metric or a window that is none, and as `facts` does.
        """
        try:
            from assent_analytics import drivers as definition
        except ImportError as error:
            raise MissingExtra(what="client.drivers()", extra="analytics") from error
        both = definition.last(window, datetime.now(UTC))
        only = {"agent_id": agent_id, "action_type": action_type, "source": source}
        policies = yield from send(GET_POLICIES)
        found = yield from _facts(f"{2 * days_of(window)}d", attempts=True, **only)
        return definition.drivers(
            found,
            metric,
            baseline=both.baseline,
            recent=both.recent,
            by=by,
            names={each.policy_id: each.name for each in policies.policies},
        )

    @sends(GET_TABLE_DAYS)
    def get_table_days(self, table: DataTable | str, window: str | None = None, unless: str | None = None) -> Response:
        """The days (UTC) of the last `window` (30 days without it, from the beginning of the first) that have rows,
        each with a version that is another one as soon as any of its rows is. With the `state` of an earlier answer as
        `unless`, an answer that would be the same has no days and says `unchanged`.

        Raises NotFound for an unknown table, InvalidRequest for a window that is none.
        """


def _facts(
    window: str | None,
    *,
    attempts: bool,
    agent_id: str | None = None,
    action_type: str | None = None,
    source: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> Flow[LazyFrame]:
    try:
        import polars

        from assent_analytics import facts as definition
    except ImportError as error:
        raise MissingExtra(what="client.facts()", extra="analytics") from error
    if window is None and since is None and until is None:
        window = "30d"
    # What is done within the window may have been asked before it, and approvals and assumptions come later.
    early = {"window": _longer(window), "since": _day_before(since)}
    late = {"window": window, "since": since}
    only = {"agent_id": agent_id, "action_type": action_type}
    made = {**only, "source": source}

    def rows(table: DataTable, columns: Sequence[str], given: dict[str, Any]) -> Flow[DataFrame]:
        query = {**_query(columns, **given), "format": DataFormat.ARROW.value}
        return receive(GET_TABLE, reader(table), path={"table": table.value}, query=query)

    dictionary = yield from send(GET_DATA_DICTIONARY)
    there = {(each.name, column.name) for each in dictionary.tables for column in each.columns}

    def wanted(table: DataTable, always: Sequence[str], perhaps: str) -> Sequence[str]:
        return [*always, *([perhaps] if (table.value, perhaps) in there else [])]

    # Decisions first: what is created meanwhile has one, and no decision seems to have been in vain.
    of_decisions = wanted(DataTable.DECISIONS, definition.DECISIONS, definition.PROPENSITY)
    decisions = yield from rows(DataTable.DECISIONS, of_decisions, {**made, **early, "until": until})
    acted = early if attempts else late
    actions = yield from rows(DataTable.ACTIONS, definition.ACTIONS, {**made, **acted, "until": until})
    of_approvals = wanted(DataTable.APPROVALS, definition.APPROVALS, definition.GRANT)
    approvals = yield from rows(DataTable.APPROVALS, of_approvals, {**only, **late})
    assumptions = yield from rows(DataTable.ASSUMPTIONS, definition.ASSUMPTIONS, {**made, **early})
    found = definition.facts(actions, decisions, approvals, assumptions, attempts=attempts)
    begin = _begin(window, since) if attempts else None
    if begin is None:
        return found
    return found.filter(polars.coalesce("timestamp_start", "occurred_at") >= begin)


def reader(table: str) -> Consume[DataFrame]:
    """Makes a frame of an Arrow stream, batch by batch: a batch gets Polars' form while the next is on its way.

    A stream without its end marker is none: the file raises where pyarrow would take the end for the marker. Every
    batch is checked, because Polars believes that texts are UTF-8 and that offsets lie inside their buffers."""
    try:
        import polars
        import pyarrow  # pyright: ignore[reportMissingTypeStubs] - it has none
    except ImportError as error:
        raise MissingExtra(what="client.frame()", extra="analytics") from error

    def read(file: Incoming) -> DataFrame:
        try:
            # One thread keeps up with the service, which may need the other processors itself.
            stream = pyarrow.ipc.open_stream(file, options=pyarrow.ipc.IpcReadOptions(use_threads=False))
            parts = [polars.from_arrow(pyarrow.Table.from_batches([], stream.schema))]
            for batch in stream:
                batch.validate(full=True)
                parts.append(polars.from_arrow(batch))
        except (pyarrow.ArrowException, polars.exceptions.PolarsError, EOFError, OSError) as error:
            raise ServerError(
                status=200,
                code="unreadable_answer",
                detail=f"what the service answered for table {table} is no Arrow stream: {error}",
            ) from error
        return polars.concat(cast("list[DataFrame]", parts), rechunk=False)

    return read


def _day(given: date | str | None) -> str | None:
    return given if given is None or isinstance(given, str) else f"{given:%Y-%m-%d}"


def _longer(window: str | None) -> str | None:
    """A window that begins a day earlier. Raises ValueError for one that is none."""
    return None if window is None else f"{min(days_of(window) + 1, LONGEST_DAYS)}d"


def _begin(window: str | None, since: str | None) -> datetime | None:
    """The first moment, None where there is none."""
    if since is not None:
        return datetime.fromisoformat(since).replace(tzinfo=UTC)
    return None if window is None else start_of(window, datetime.now(UTC))


def _day_before(day: str | None) -> str | None:
    """The day before, or the text as it is where it is no day: the service says what is wrong with it."""
    try:
        return None if day is None else f"{date.fromisoformat(day) - timedelta(days=1):%Y-%m-%d}"
    except (ValueError, OverflowError):
        return day


def _query(columns: Sequence[str] | None, **given: str | None) -> dict[str, Any]:
    if columns is None:
        return {**given}
    if isinstance(columns, str) or not columns:
        raise ValueError(f"columns is {columns!r}; give a list of at least one name, or leave it out for all of them")
    return {**given, "columns": ",".join(columns)}
