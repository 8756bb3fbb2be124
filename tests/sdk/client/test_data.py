"""Tables as frames: what arrives, for whom it is readable, and what is said when it is not."""

from __future__ import annotations

import inspect
import io
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import duckdb
import httpx
import polars as pl
import pyarrow as pa
import pytest

from assent import Client
from assent.client.answer import read
from assent.client.flow import Answer
from assent.contract.data import GET_TABLE
from assent.errors import InvalidRequest, MissingExtra, NotFound, ServerError, Unavailable
from tests.sdk.client import samples
from tests.sdk.client.doubles import BASE, Stage, Way, problematic

STREAM = "application/vnd.apache.arrow.stream"
AT = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
TABLE = pa.table(
    {
        "action_id": pa.array(["act_1", "act_2", None]),
        "risk_score": pa.array([40.5, None, 0.0]),
        "created_at": pa.array([AT, AT, None], pa.timestamp("us", "UTC")),
    }
)


def stream(table: pa.Table, rows: int = 2) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table, max_chunksize=rows)
    return sink.getvalue()


def giving(body: bytes, media_type: str = STREAM) -> Any:
    return lambda _: httpx.Response(200, content=body, headers={"content-type": media_type})


async def test_a_frame_holds_every_row_of_every_batch(way: Way) -> None:
    stage = Stage(way, giving(stream(TABLE)))
    frame = await stage("frame", "actions")
    assert isinstance(frame, pl.DataFrame)
    assert frame.to_dicts() == TABLE.to_pylist()
    assert frame.schema == {"action_id": pl.String, "risk_score": pl.Float64, "created_at": pl.Datetime("us", "UTC")}
    (request,) = stage.requests
    assert str(request.url) == f"{BASE}/api/data/actions?window=30d&format=arrow"


async def test_an_empty_table_has_all_columns_and_types(way: Way) -> None:
    frame = await Stage(way, giving(stream(TABLE.slice(0, 0))))("frame", "actions")
    assert frame.height == 0
    assert frame.schema == {"action_id": pl.String, "risk_score": pl.Float64, "created_at": pl.Datetime("us", "UTC")}


async def test_a_frame_asks_for_what_it_was_told(way: Way) -> None:
    stage = Stage(way, giving(stream(TABLE)))
    given = {"agent_id": "a b", "action_type": "pay", "source": "live"}
    await stage("frame", "actions", "7d", ("action_id", "risk_score"), **given)
    assert dict(stage.requests[0].url.params) == {
        "window": "7d",
        "columns": "action_id,risk_score",
        "format": "arrow",
        **given,
    }


async def test_other_tools_take_the_frame_as_it_is(way: Way) -> None:
    frame = await Stage(way, giving(stream(TABLE)))("frame", "actions")
    assert pa.table(frame).to_pylist() == TABLE.to_pylist()
    with duckdb.connect() as database:
        assert database.sql("SELECT count(*), count(action_id), sum(risk_score) FROM frame").fetchall() == [
            (3, 2, 40.5)
        ]


async def test_the_bytes_of_a_table_come_as_they_are(way: Way) -> None:
    body = bytes(range(256)) * 10
    assert await Stage(way, giving(body, "text/csv"))("get_table", "events", format="csv") == body


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff\xff\xff\xff", stream(TABLE)[:-200], b"\x00" * 64])
async def test_what_is_no_arrow_stream_is_a_server_error(way: Way, body: bytes) -> None:
    stage = Stage(way, giving(body), retries=0)
    with pytest.raises(ServerError, match="actions"):
        await stage("frame", "actions")


async def test_a_page_for_people_is_not_taken_for_a_table(way: Way) -> None:
    stage = Stage(way, giving(b"<html>Please sign in", "text/html; charset=utf-8"), retries=0)
    for operation in ("frame", "get_table"):
        with pytest.raises(ServerError, match="Please sign in"):
            await stage(operation, "actions")


@pytest.mark.parametrize(
    ("code", "status", "shape"),
    [("table_not_found", 404, NotFound), ("invalid_query", 400, InvalidRequest), ("busy", 503, Unavailable)],
)
async def test_a_refusal_is_raised(way: Way, code: str, status: int, shape: type[Exception]) -> None:
    stage = Stage(way, lambda _: problematic(samples.problem(code, status)), retries=0)
    for operation in ("frame", "get_table"):
        with pytest.raises(shape):
            await stage(operation, "actions")


async def test_a_busy_service_is_asked_again_after_the_time_it_names(way: Way) -> None:
    answers = iter(
        [
            problematic(samples.problem("busy", 503), **{"retry-after": "2"}),
            httpx.Response(200, content=stream(TABLE), headers={"content-type": STREAM}),
        ]
    )
    stage = Stage(way, lambda _: next(answers))
    assert (await stage("frame", "actions")).height == 3
    assert stage.time.slept == [2.0]


@pytest.mark.parametrize("columns", [[], (), "action_id"])
async def test_columns_are_a_list_of_names(way: Way, columns: Any) -> None:
    stage = Stage(way, giving(stream(TABLE)))
    for operation in ("frame", "get_table"):
        with pytest.raises(ValueError, match="give a list of at least one name"):
            await stage(operation, "actions", columns=columns)
    assert stage.requests == []


async def test_without_polars_the_extra_is_named_and_nothing_is_sent(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    stage = Stage(way, giving(stream(TABLE)))
    with pytest.raises(MissingExtra, match=r"pip install 'assent\[analytics\]'"):
        await stage("frame", "actions")
    assert stage.requests == []


def test_a_client_does_not_load_polars_until_a_frame_is_wanted() -> None:
    program = "import sys, assent; assent.Client('http://127.0.0.1:1', 'k'); print('polars' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_help_names_the_frame() -> None:
    assert str(inspect.signature(Client.frame)).endswith("-> polars.DataFrame")


def test_a_body_of_bytes_is_not_decoded() -> None:
    answer = Answer(200, {"content-type": "text/csv"}, b"\xff\x00")
    assert read(GET_TABLE, answer, BASE, AT) == b"\xff\x00"
