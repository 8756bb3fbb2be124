"""The SQL of an answer.

Rows come in the order in which they were recorded, because sorting them would mean holding them all. JSON columns come
out as text, times as they are for the formats that have a type for them. For the text formats times are written here,
in RFC 3339 with `Z`, and for NDJSON the whole line is, so that a million rows never become objects of Python.
"""

from __future__ import annotations

from assent.contract.data import DataFormat
from assent_service.data.choice import Choice
from assent_service.store.tables import Column, Kind

LINE = "line"
"""The one column of an NDJSON query."""


def rows_of(choice: Choice) -> str:
    """The query of the answer; its parameters are `choice.rows.parameters`."""
    inner = f"SELECT {_columns(choice)} FROM {choice.dataset.table.name} WHERE {choice.rows.where}"
    if choice.format is not DataFormat.NDJSON:
        return inner
    return f"SELECT CAST(row_to_json(entry) AS VARCHAR) || chr(10) AS {LINE} FROM ({inner}) AS entry"


def state_of(choice: Choice) -> str:
    """One row: the first moment that any row of the answer has, and whether simulated rows are among them (1, 0, or
    NULL where nothing tells). With the number of recorded events, the first moment says which rows an answer holds:
    events only ever add rows or change them, and time only takes away those that a window has passed."""
    simulated = "NULL"
    if "source" in choice.dataset.filters:
        simulated = "max(CASE WHEN source = 'simulated' THEN 1 ELSE 0 END)"
    return (
        f'SELECT min("{choice.dataset.time}"), {simulated} FROM {choice.dataset.table.name} WHERE {choice.rows.where}'
    )


def _columns(choice: Choice) -> str:
    return ", ".join(f'{_value(column, choice.format)} AS "{column.name}"' for column in choice.columns)


def _value(column: Column, wanted: DataFormat) -> str:
    name = f'"{column.name}"'
    if column.kind is Kind.TIME and wanted in (DataFormat.NDJSON, DataFormat.CSV):
        return f"replace(CAST({name} AS VARCHAR), ' ', 'T') || 'Z'"
    if column.kind is Kind.JSON and wanted is not DataFormat.NDJSON:
        return f"CAST({name} AS VARCHAR)"
    return name
