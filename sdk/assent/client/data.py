"""Tables as data: whole tables of a window, as a frame or as a file's bytes. Needs an operator's or auditor's key."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
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
from assent.errors import MissingExtra, ServerError

if TYPE_CHECKING:
    from polars import DataFrame
else:

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
    ) -> Flow[bytes]:
        """The rows of the last `window` (such as `7d`; 30 days without it) as a file: arrow (the IPC stream format),
        parquet, ndjson or csv. `since` and `until` are days in UTC, both inside, in place of a window. `columns` are
        names from the data dictionary, in the order wanted; it also names the filters that a table takes.

        Raises NotFound for an unknown table, InvalidRequest for a window, a day, a format, a column or a filter that
        the table does not have, Unavailable when too many tables are being streamed.
        """
        rows = {"agent_id": agent_id, "action_type": action_type, "source": source}
        days = {"since": _day(since), "until": _day(until)}
        query = _query(columns, window=window, **days, **rows, status=status, decision=decision)
        return (yield from send(GET_TABLE, path={"table": str(table)}, query={**query, "format": str(format)}))

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

    @sends(GET_TABLE_DAYS)
    def get_table_days(self, table: DataTable | str, window: str | None = None, unless: str | None = None) -> Response:
        """The days (UTC) of the last `window` (30 days without it, from the beginning of the first) that have rows,
        each with a version that is another one as soon as any of its rows is. With the `state` of an earlier answer as
        `unless`, an answer that would be the same has no days and says `unchanged`.

        Raises NotFound for an unknown table, InvalidRequest for a window that is none.
        """


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


def _query(columns: Sequence[str] | None, **given: str | None) -> dict[str, Any]:
    if columns is None:
        return {**given}
    if isinstance(columns, str) or not columns:
        raise ValueError(f"columns is {columns!r}; give a list of at least one name, or leave it out for all of them")
    return {**given, "columns": ",".join(columns)}
