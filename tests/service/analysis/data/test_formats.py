"""Encoders on batches made by hand, read back by readers of other makers."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.analysis.data import DataFormat
from assent_service.analysis.data.formats import PIECE, Encoding, Sink
from assent_service.core.stream import Interrupted

AT = datetime(2026, 11, 20, 18, 48, 15, 7, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FACTS = {"assent.table": "actions"}


def encoded(named: DataFormat, *batches: pa.RecordBatch) -> bytes:
    pieces: list[bytes] = []
    encoding = Encoding(named, Sink(pieces.append), batches[0].schema, FACTS)
    for batch in batches:
        encoding.write(batch)
    encoding.close()
    assert all(0 < len(piece) <= PIECE for piece in pieces)
    return b"".join(pieces)


def batch(**columns: pa.Array) -> pa.RecordBatch:
    return pa.record_batch(columns)


TYPED = batch(
    text=pa.array(["a", None, ""]),
    number=pa.array([0.1, None, -1e300]),
    integer=pa.array([2**62, None, -1]),
    boolean=pa.array([True, None, False]),
    time=pa.array([AT.replace(tzinfo=None), None, EPOCH.replace(tzinfo=None)], pa.timestamp("us")),
)
ROWS = [
    {"text": "a", "number": 0.1, "integer": 2**62, "boolean": True, "time": AT},
    dict.fromkeys(("text", "number", "integer", "boolean", "time")),
    {"text": "", "number": -1e300, "integer": -1, "boolean": False, "time": EPOCH},
]


@pytest.mark.parametrize("named", [DataFormat.ARROW, DataFormat.PARQUET])
def test_types_and_missing_values_survive_and_times_get_their_zone(named: DataFormat) -> None:
    body = encoded(named, TYPED, TYPED)
    frame = pl.read_ipc_stream(body) if named is DataFormat.ARROW else pl.read_parquet(io.BytesIO(body))
    assert frame.to_dicts() == ROWS + ROWS
    assert frame.schema["time"] == pl.Datetime("us", "UTC")


def test_arrow_and_parquet_are_compressed_with_zstd_and_carry_the_facts() -> None:
    same = batch(text=pa.array(["the same text again and again"] * 20_000))
    stream = pa.ipc.open_stream(encoded(DataFormat.ARROW, same))
    assert stream.schema.metadata == {b"assent.table": b"actions"}
    # Uncompressed it takes 660 kB; each compressed buffer begins like any frame of zstd (RFC 8878, 3.1.1).
    assert len(encoded(DataFormat.ARROW, same)) < 100_000
    assert b"\x28\xb5\x2f\xfd" in encoded(DataFormat.ARROW, same)
    file = pq.ParquetFile(io.BytesIO(encoded(DataFormat.PARQUET, same)))
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert file.metadata.metadata[b"assent.table"] == b"actions"


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=20))
def test_csv_gives_back_every_text(rows: list[list[str]]) -> None:
    made = batch(
        one=pa.array([row[0] for row in rows], pa.string()), two=pa.array([row[1] for row in rows], pa.string())
    )
    text = encoded(DataFormat.CSV, made).decode()
    assert list(csv.reader(io.StringIO(text, newline=""), strict=True)) == [["one", "two"], *rows]
    assert text.startswith('"one","two"\r\n')


def test_a_cell_that_looks_like_a_formula_is_left_as_it_is() -> None:
    text = encoded(DataFormat.CSV, batch(cell=pa.array(["=1+1", "@x", "-2", "+3"]))).decode()
    assert text == '"cell"\r\n"=1+1"\r\n"@x"\r\n"-2"\r\n"+3"\r\n'


def test_lines_are_handed_on_as_they_are_also_from_the_middle_of_a_batch() -> None:
    lines = [json.dumps({"n": number, "text": "é漢\u2028"}) + "\n" for number in range(100)]
    whole = batch(line=pa.array(lines))
    assert encoded(DataFormat.NDJSON, whole.slice(10, 50)).decode() == "".join(lines[10:60])
    assert encoded(DataFormat.NDJSON, whole.slice(0, 0), whole).decode() == "".join(lines)
    assert encoded(DataFormat.NDJSON, whole.slice(0, 0)) == b""


@pytest.mark.parametrize("named", DataFormat)
def test_once_nobody_takes_it_a_file_goes_nowhere_and_raises_once(named: DataFormat) -> None:
    taken: list[bytes] = []

    def hand_on(piece: bytes) -> None:
        if len(taken) == 2:
            raise Interrupted("the reader is gone")
        taken.append(piece)

    big = batch(line=pa.array([f"{number * 7919:>200}\n" for number in range(20_000)]))
    encoding = Encoding(named, Sink(hand_on), big.schema, FACTS)
    with pytest.raises(Interrupted):  # noqa: PT012 - which of the writes it is depends on the format
        for _ in range(200):
            encoding.write(big)
    encoding.close()
    del encoding
    assert len(taken) == 2


def test_a_sink_cuts_what_is_written_into_pieces() -> None:
    pieces: list[bytes] = []
    sink = Sink(pieces.append)
    sink.write(b"a" * (PIECE - 1))
    assert pieces == []
    sink.write(memoryview(b"b" * (PIECE + 2)))
    assert [len(piece) for piece in pieces] == [PIECE, PIECE, 1]
    sink.write(b"rest")
    sink.close()
    assert pieces[-1] == b"rest"
