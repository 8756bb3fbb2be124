"""Many rows into the database as columns of Arrow, which it reads where they lie.

As parameters, a list of texts becomes values of the database one by one, and the interpreter's lock is held meanwhile:
that takes longer than parsing them. Arrow itself takes 60 MB and a moment to load, so who follows the log with a few
rows at a time does without. Columns are made of their buffers, since making them of lists would load pandas.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

import duckdb
import pyarrow as pa

from assent_service.store import schema
from assent_service.store.event import Event
from assent_service.store.tables import EVENTS


class AsColumns:
    """A `projection.Carrier`."""

    bulk = True

    def run(
        self, connection: duckdb.DuckDBPyConnection, statement: str, *payloads: Sequence[bytes]
    ) -> duckdb.DuckDBPyConnection:
        return _run(connection, statement, {f"payload{at}": _texts(each) for at, each in enumerate(payloads, 1)})

    def write_events(self, connection: duckdb.DuckDBPyConnection, events: Sequence[Event]) -> None:
        columns = (
            _names(event.org for event in events),
            _numbers(event.n for event in events),
            _numbers(event.seq for event in events),
            _names(event.type for event in events),
            _names(event.subject for event in events),
            _names(event.action or "" for event in events),
            _names(event.actor for event in events),
            _numbers(event.ts for event in events),
            _names(event.leaf_hash.hex() for event in events),
            _numbers(event.segment for event in events),
            _numbers(event.offset for event in events),
            _numbers(event.length for event in events),
        )
        named = {column.name: each for column, each in zip(EVENTS.columns, columns, strict=True)}
        _run(connection, schema.insert_event_columns(), named)


def _names(names: Iterable[str]) -> pa.Array:
    return _texts([name.encode() for name in names])


def _numbers(numbers: Iterable[int]) -> pa.Array:
    found = array("q", numbers)
    return pa.Array.from_buffers(pa.int64(), len(found), [None, pa.py_buffer(found)])


def _texts(texts: Sequence[bytes]) -> pa.Array:
    """Raises pyarrow.ArrowInvalid for what is not UTF-8."""
    ends = array("q", accumulate(map(len, texts), initial=0))
    found = pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer(b"".join(texts)))
    found.validate(full=True)
    return found


def _run(
    connection: duckdb.DuckDBPyConnection, statement: str, columns: Mapping[str, pa.Array]
) -> duckdb.DuckDBPyConnection:
    connection.register(schema.BULK, pa.Table.from_arrays([*columns.values()], names=[*columns]))
    try:
        return connection.execute(statement)
    finally:
        connection.unregister(schema.BULK)
