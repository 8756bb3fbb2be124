"""Tables as frames: what arrives, for whom it is readable, and what is said when it is not."""

from __future__ import annotations

import asyncio
import inspect
import io
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import duckdb
import httpx
import polars as pl
import pyarrow as pa
import pytest

from assent import AsyncClient, Client
from assent.client.answer import read
from assent.client.flow import Answer
from assent.contract.analysis.data import GET_TABLE
from assent.errors import ConnectionFailed, InvalidRequest, MissingExtra, NotFound, ServerError, Unavailable
from tests.sdk.client import samples
from tests.sdk.client.doubles import BASE, Cue, Script, Stage, Way, problematic, streaming

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
    given = {"agent_id": "a b", "action_type": "pay", "source": "live", "status": "failed", "decision": "warn"}
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


def misspelt() -> bytes:
    """A stream of one text that is no UTF-8."""
    texts = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.array([0, 2], pa.int32()).buffers()[1], pa.py_buffer(b"\xff\xfe")]
    )
    return stream(pa.table({"action_id": texts}))


NO_STREAMS = {
    "nothing": b"",
    "a page": b"<html>",
    "a mark of continuation": b"\xff\xff\xff\xff",
    "cut in a batch": stream(TABLE)[:-200],
    "every batch and no end marker": stream(TABLE)[:-8],
    "half of the end marker": stream(TABLE)[:-4],
    "zeros": b"\x00" * 64,
    "a message of 9 exabytes": b"\xff\xff\xff\xff\xff\xff\xff\x7f" + b"a" * 100,
    "text that is no UTF-8": misspelt(),
}


@pytest.mark.parametrize("body", NO_STREAMS.values(), ids=NO_STREAMS)
async def test_what_is_no_arrow_stream_is_a_server_error(way: Way, body: bytes) -> None:
    stage = Stage(way, giving(body), retries=0)
    with pytest.raises(ServerError, match="actions"):
        await stage("frame", "actions")


async def test_a_page_for_people_is_not_taken_for_a_table(way: Way) -> None:
    stage = Stage(way, giving(b"<html>Please sign in", "text/html; charset=utf-8"), retries=0)
    for operation in ("frame", "get_table"):
        with pytest.raises(ServerError, match="Please sign in"):
            await stage(operation, "actions")


@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_a_frame_arrives_in_pieces_of_any_size(way: Way, size: int) -> None:
    body = stream(TABLE)
    script = Script(*(body[at : at + size] for at in range(0, len(body), size)))
    frame = await Stage(way, lambda _: streaming(script, content=STREAM))("frame", "actions")
    assert frame.to_dicts() == TABLE.to_pylist()
    assert script.closed


@pytest.mark.parametrize("end", [len(stream(TABLE)) - 300, len(stream(TABLE)), 0])
async def test_a_connection_that_breaks_in_the_middle_is_tried_again(way: Way, end: int) -> None:
    broken = Script(stream(TABLE)[:end], httpx.ReadError("reset by peer"))
    scripts = iter([broken, Script(stream(TABLE))])
    stage = Stage(way, lambda _: streaming(next(scripts), content=STREAM))
    assert (await stage("frame", "actions")).to_dicts() == TABLE.to_pylist()
    assert len(stage.requests) == 2
    assert broken.closed


@pytest.mark.parametrize("error", [httpx.ReadError("reset by peer"), httpx.ReadTimeout("")])
async def test_a_connection_that_keeps_breaking_is_no_frame(way: Way, error: Exception) -> None:
    stage = Stage(way, lambda _: streaming(Script(stream(TABLE)[:-300], error), content=STREAM), retries=1)
    with pytest.raises(ConnectionFailed, match=r"reset by peer|no answer within 30 s") as caught:
        await stage("frame", "actions")
    assert not caught.value.uncertain
    assert len(stage.requests) == 2


async def test_what_is_no_stream_is_not_read_to_its_end(way: Way) -> None:
    came: list[None] = []
    cues: list[Cue] = [lambda: came.append(None), b"no Arrow at all"]
    script = Script(b"\x00" * 64, *cues * 5000)
    with pytest.raises(ServerError, match="no Arrow stream"):
        await Stage(way, lambda _: streaming(script, content=STREAM))("frame", "actions")
    assert len(came) < 5000
    assert script.closed


Reply = Callable[[socket.socket, bytes], None]
"""Writes an answer, which begins with the line of the request's id."""


@contextmanager
def serving(*replies: Reply) -> Iterator[str]:
    """A server that answers each connection once, with the next of `replies`, and closes it."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for reply in replies:
            near, _ = listener.accept()
            with near:
                lines = near.recv(65536).split(b"\r\n")
                (bound,) = [line for line in lines if line.lower().startswith(b"x-request-id:")]
                reply(near, b"HTTP/1.1 200 OK\r\n" + bound + b"\r\n")

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        thread.join()
        listener.close()


def chunked(body: bytes, *, closed: bool) -> Reply:
    """The body in one chunk, and the last chunk after it only where `closed`."""
    head = f"content-type: {STREAM}\r\ntransfer-encoding: chunked\r\n\r\n{len(body):x}\r\n"
    return lambda near, begun: near.sendall(begun + head.encode() + body + b"\r\n" + (b"0\r\n\r\n" if closed else b""))


def measured(body: bytes, length: int) -> Reply:
    head = f"content-type: {STREAM}\r\ncontent-length: {length}\r\n\r\n"
    return lambda near, begun: near.sendall(begun + head.encode() + body)


def unmeasured(body: bytes) -> Reply:
    """The body ends where the connection does."""
    head = f"content-type: {STREAM}\r\n\r\n"
    return lambda near, begun: near.sendall(begun + head.encode() + body)


WHOLE = stream(TABLE)


@pytest.mark.parametrize(
    "cut",
    [
        chunked(WHOLE[:-300], closed=False),
        chunked(WHOLE[:-8], closed=False),
        chunked(WHOLE, closed=False),
        measured(WHOLE[:-300], len(WHOLE)),
    ],
    ids=["in a batch", "before the end marker", "before the last chunk", "before its length"],
)
async def test_a_server_that_closes_too_early_is_asked_again(way: Way, cut: Reply) -> None:
    with serving(cut, chunked(WHOLE, closed=True)) as address:
        frame = await framed(way, address, retries=1)
    assert frame.to_dicts() == TABLE.to_pylist()
    with serving(cut) as address, pytest.raises(ConnectionFailed):
        await framed(way, address, retries=0)


async def test_a_body_that_ends_where_its_reader_cannot_tell_needs_the_end_marker(way: Way) -> None:
    with serving(unmeasured(WHOLE)) as address:
        assert (await framed(way, address, retries=0)).height == 3
    with serving(unmeasured(WHOLE[:-8])) as address, pytest.raises(ServerError, match="no Arrow stream"):
        await framed(way, address, retries=0)


async def framed(way: Way, address: str, retries: int) -> pl.DataFrame:
    if way == "sync":
        with Client(address, "sk_secret", retries=retries) as client:
            # Another thread, because the loop of the test is none of this client's business.
            return await asyncio.to_thread(client.frame, "actions")
    async with AsyncClient(address, "sk_secret", retries=retries) as client_async:
        return await client_async.frame("actions")


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


@pytest.mark.parametrize("missing", ["polars", "pyarrow"])
async def test_without_its_libraries_the_extra_is_named_and_nothing_is_sent(
    way: Way, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    stage = Stage(way, giving(stream(TABLE)))
    with pytest.raises(MissingExtra, match=r"pip install 'assent\[analytics\]'"):
        await stage("frame", "actions")
    assert stage.requests == []


def test_a_client_does_not_load_polars_until_a_frame_is_wanted() -> None:
    program = (
        "import sys, assent; assent.Client('http://127.0.0.1:1', 'k'); print({'polars', 'pyarrow'} & {*sys.modules})"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


@pytest.mark.parametrize("operation", ["frame", "get_table"])
def test_status_and_decision_are_given_by_name(operation: str) -> None:
    parameters = inspect.signature(getattr(Client, operation)).parameters
    assert {parameters[name].kind for name in ("status", "decision")} == {inspect.Parameter.KEYWORD_ONLY}


def test_help_names_the_frame() -> None:
    assert str(inspect.signature(Client.frame)).endswith("-> polars.DataFrame")


def test_a_body_of_bytes_is_not_decoded() -> None:
    answer = Answer(200, {"content-type": "text/csv"}, b"\xff\x00")
    assert read(GET_TABLE, answer, BASE, AT) == b"\xff\x00"
