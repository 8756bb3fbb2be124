"""Tables as data: whole tables of a window, as a frame or as a file's bytes. Needs an operator's or auditor's key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.contract.data import GET_DATA_DICTIONARY, GET_TABLE, DataDictionary, DataFormat, DataTable
from assent.contract.guard import Source
from assent.errors import MissingExtra, ServerError

if TYPE_CHECKING:
    from polars import DataFrame
else:

    class DataFrame:
        """Stands for polars.DataFrame in a signature, so that naming it does not load polars."""

        __module__ = "polars"


class DataOperations(Caller):
    @operation
    def get_data_dictionary(self) -> Flow[DataDictionary]:
        """Every table that is served: its columns with type, unit and meaning, its key, its time and its filters."""
        return (yield from send(GET_DATA_DICTIONARY))

    @operation
    def get_table(
        self,
        table: DataTable | str,
        window: str | None = None,
        format: DataFormat | str = DataFormat.ARROW,
        columns: Sequence[str] | None = None,
        agent_id: str | None = None,
        action_type: str | None = None,
        source: Source | str | None = None,
    ) -> Flow[bytes]:
        """The rows of the last `window` (such as `7d`; 30 days without it) as a file: arrow (the IPC stream format),
        parquet, ndjson or csv. `columns` are names from the data dictionary, in the order wanted.

        Raises NotFound for an unknown table, InvalidRequest for a window, a format, a column or a filter that the
        table does not have, Unavailable when too many tables are being streamed.
        """
        query = _query(columns, window=window, agent_id=agent_id, action_type=action_type, source=source)
        return (yield from send(GET_TABLE, path={"table": str(table)}, query={**query, "format": str(format)}))

    @operation
    def frame(
        self,
        table: DataTable | str,
        window: str | None = "30d",
        columns: Sequence[str] | None = None,
        *,
        agent_id: str | None = None,
        action_type: str | None = None,
        source: Source | str | None = None,
    ) -> Flow[DataFrame]:
        """The rows of the last `window` as a Polars frame, in the order in which they were recorded. Times are in UTC,
        JSON columns are text. pandas, DuckDB and pyarrow take a Polars frame as it is.

        Raises as `get_table` does, and MissingExtra where polars is not installed.
        """
        try:
            import polars
        except ImportError as error:
            raise MissingExtra(what="client.frame()", extra="analytics") from error
        query = _query(columns, window=window, agent_id=agent_id, action_type=action_type, source=source)
        body = yield from send(GET_TABLE, path={"table": str(table)}, query={**query, "format": DataFormat.ARROW.value})
        try:
            return polars.read_ipc_stream(body)
        except (polars.exceptions.PolarsError, OSError) as error:
            raise ServerError(
                status=200,
                code="unreadable_answer",
                detail=f"what the service answered for table {table} is no Arrow stream: {error}",
            ) from error


def _query(columns: Sequence[str] | None, **given: str | None) -> dict[str, Any]:
    if columns is None:
        return {**given}
    if isinstance(columns, str) or not columns:
        raise ValueError(f"columns is {columns!r}; give a list of at least one name, or leave it out for all of them")
    return {**given, "columns": ",".join(columns)}
