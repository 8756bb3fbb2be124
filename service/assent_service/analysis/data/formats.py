"""Batches of rows as bytes, in four formats, each written as the rows come.

- Arrow: the IPC stream format, its buffers compressed with zstd.
- Parquet: zstd, one row group for each batch.
- NDJSON: a JSON object and a line feed for each row; JSON columns are JSON there and not text.
- CSV: RFC 4180 with a header line. Text is in double quotes, a missing value is nothing at all, JSON is text. A cell
  that begins with `=`, `+`, `-` or `@` is written as it is, for a program reads it back as it was recorded; whoever
  opens the file in a spreadsheet asks for it with `spreadsheet` (`FORMULA`).

Arrow and Parquet carry the same facts about the answer as metadata of their schema. Times have the zone UTC in both.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from assent.contract.analysis.data import DataFormat

if TYPE_CHECKING:
    import pyarrow as pa

PIECE = 1 << 18
"""Bytes of one piece of an answer. Sending it holds the event loop for some hundredths of a millisecond."""
ZSTD_LEVEL = 1


class Encoder(Protocol):
    """Made with a file of Arrow's and the schema of the batches."""

    def write(self, batch: pa.RecordBatch) -> None: ...

    def close(self) -> None:
        """Write what belongs behind the last row."""


class Sink(io.RawIOBase):
    """A file that hands on what is written in pieces of `PIECE` bytes. Once muted, or once handing on has failed, it
    swallows everything: the writers of Arrow write their ends even when they are thrown away."""

    def __init__(self, hand_on: Callable[[bytes], None]) -> None:
        self._hand_on = hand_on
        self._parts: list[bytes] = []
        self._size = 0
        self._muted = False

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        part = bytes(data)  # type: ignore[call-overload]  # any buffer; Arrow uses its own again after this
        if not self._muted:
            self._parts.append(part)
            self._size += len(part)
            if self._size >= PIECE:
                self.flush()
        return len(part)

    def flush(self) -> None:
        whole = b"".join(self._parts)
        self._parts, self._size = [], 0
        for at in range(0, len(whole), PIECE):
            if self._muted:
                return
            try:
                self._hand_on(whole[at : at + PIECE])
            except BaseException:
                self.mute()
                raise

    def mute(self) -> None:
        self._muted = True
        self._parts, self._size = [], 0


class _Arrow:
    def __init__(self, file: pa.NativeFile, schema: pa.Schema) -> None:
        import pyarrow as pa

        # Threads of Arrow's own would take from guard what the export's low priority leaves to it.
        codec = pa.Codec("zstd", compression_level=ZSTD_LEVEL)
        options = pa.ipc.IpcWriteOptions(compression=codec, use_threads=False)
        self._writer = pa.ipc.new_stream(file, schema, options=options)

    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)

    def close(self) -> None:
        self._writer.close()


class _Parquet:
    def __init__(self, file: pa.NativeFile, schema: pa.Schema) -> None:
        import pyarrow.parquet as pq

        self._writer = pq.ParquetWriter(file, schema, compression="zstd", compression_level=ZSTD_LEVEL)

    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)

    def close(self) -> None:
        self._writer.close()


class _Csv:
    def __init__(self, file: pa.NativeFile, schema: pa.Schema) -> None:
        import pyarrow.csv as csv

        self._writer = csv.CSVWriter(file, schema, write_options=csv.WriteOptions(eol="\r\n"))

    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write(batch)

    def close(self) -> None:
        self._writer.close()


class _Lines:
    """Rows of one text column that are lines already."""

    def __init__(self, file: pa.NativeFile, schema: pa.Schema) -> None:
        self._file = file

    def write(self, batch: pa.RecordBatch) -> None:
        # The texts of a column lie one behind the other: they are the lines.
        (column,) = batch.columns
        if len(column):
            _, offsets, texts = column.buffers()
            ends = memoryview(offsets).cast("i")
            self._file.write(memoryview(texts)[ends[column.offset] : ends[column.offset + len(column)]])

    def close(self) -> None:
        pass


_ENCODERS: dict[DataFormat, Callable[[pa.NativeFile, pa.Schema], Encoder]] = {
    DataFormat.ARROW: _Arrow,
    DataFormat.PARQUET: _Parquet,
    DataFormat.NDJSON: _Lines,
    DataFormat.CSV: _Csv,
}


class Encoding:
    """One answer being written to `sink` in `format`. `schema` is the query's, `facts` go into the metadata."""

    def __init__(self, format: DataFormat, sink: Sink, schema: pa.Schema, facts: Mapping[str, str]) -> None:
        import pyarrow as pa

        self._schema = served(schema, facts)
        # Arrow writes in many small parts, and each that reaches Python waits for the interpreter.
        self._file = pa.BufferedOutputStream(pa.PythonFile(sink, mode="w"), PIECE)
        self._encoder = _ENCODERS[format](self._file, self._schema)

    def write(self, batch: pa.RecordBatch) -> None:
        # No copy: the values stay as they are and only their types are told more exactly.
        self._encoder.write(batch.cast(self._schema))

    def close(self) -> None:
        self._encoder.close()
        self._file.close()


def served(schema: pa.Schema, facts: Mapping[str, str]) -> pa.Schema:
    """The schema of an answer: that of the query, with times in UTC and the facts about the answer."""
    import pyarrow as pa

    fields = [
        pa.field(field.name, pa.timestamp("us", "UTC") if pa.types.is_timestamp(field.type) else field.type)
        for field in schema
    ]
    return pa.schema(fields, metadata=dict(facts))
