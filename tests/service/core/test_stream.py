"""Sending a body of unknown length: whole, or visibly not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from typing import Any, cast

import pytest
from litestar.types import Receive, Scope, Send

from assent_service.core.stream import ABORT, ByteStream, Interrupted, download

WAIT = 10.0


class Connection:
    """A server's side of one request. `reads` is how many messages the client takes before it stalls."""

    def __init__(self, *, reads: int = 1000, can_abort: bool = True) -> None:
        self.sent: list[dict[str, Any]] = []
        self.aborted = False
        self._reads = reads
        self._gone = asyncio.Event()
        extensions = {ABORT: {"call": self._abort}} if can_abort else {}
        self.scope = cast("Scope", {"type": "http", "path": "/api/data/actions", "extensions": extensions})

    async def receive(self) -> dict[str, Any]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        if len(self.sent) >= self._reads:
            await asyncio.Event().wait()
        self.sent.append(message)

    def hang_up(self) -> None:
        self._gone.set()

    async def serve(self, stream: ByteStream) -> None:
        async with asyncio.timeout(WAIT):
            await download(self.scope, cast("Receive", self.receive), cast("Send", self.send), stream)

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent[1:])

    @property
    def whole(self) -> bool:
        return self.sent[-1].get("more_body") is False

    def _abort(self) -> None:
        self.aborted = True
        self._gone.set()


class Body:
    """`pieces`, then `error` or, when it is stopped, the end that stopping makes."""

    def __init__(self, *pieces: bytes, error: Exception | None = None, endless: bool = False) -> None:
        self.pieces, self.error, self.endless = pieces, error, endless
        self.stopped = asyncio.Event()
        self.closed = False

    def stream(self, patience: float = WAIT, status: int = 200) -> ByteStream:
        headers = ((b"content-type", b"text/csv"),)
        return ByteStream(self._chunks(), self.stopped.set, self.stopped, headers, patience, status)

    async def _chunks(self) -> AsyncGenerator[bytes, None]:
        try:
            for piece in self.pieces:
                yield piece
            if self.endless:
                await self.stopped.wait()
                raise Interrupted("it was stopped")
            if self.error is not None:
                raise self.error
        finally:
            self.closed = True


async def test_a_whole_body_ends_with_the_empty_piece() -> None:
    connection, body = Connection(), Body(b"one", b"two")
    await connection.serve(body.stream())
    assert connection.sent[0] == {
        "type": "http.response.start",
        "status": 200,
        "headers": [(b"content-type", b"text/csv")],
    }
    assert connection.body == b"onetwo"
    assert connection.whole
    assert not connection.aborted
    assert body.closed


async def test_an_answer_without_a_body_is_whole_too() -> None:
    connection = Connection()
    await connection.serve(Body().stream(status=304))
    assert [message.get("status") for message in connection.sent] == [304, None]
    assert (connection.body, connection.whole) == (b"", True)


@pytest.mark.parametrize("error", [RuntimeError("broken"), Interrupted("the tables are being opened anew")])
@pytest.mark.parametrize("can_abort", [True, False])
async def test_after_an_error_the_body_has_no_end(
    error: Exception, can_abort: bool, caplog: pytest.LogCaptureFixture
) -> None:
    connection, body = Connection(can_abort=can_abort), Body(b"one", error=error)
    with caplog.at_level(logging.WARNING):
        await connection.serve(body.stream())
    assert connection.body == b"one"
    assert not connection.whole
    assert connection.aborted is can_abort
    assert body.stopped.is_set()
    assert "/api/data/actions" in caplog.text


async def test_a_reader_that_takes_nothing_for_too_long_is_cut_off(caplog: pytest.LogCaptureFixture) -> None:
    connection, body = Connection(reads=2), Body(*[b"x"] * 10)
    with caplog.at_level(logging.WARNING):
        await connection.serve(body.stream(patience=0.05))
    assert connection.aborted
    assert body.closed
    assert not connection.whole
    assert "took nothing for 0.05 s" in caplog.text


async def test_what_takes_long_to_be_made_is_not_the_readers_fault() -> None:
    connection = Connection()

    async def slowly() -> AsyncGenerator[bytes, None]:
        for piece in (b"one", b"two"):
            await asyncio.sleep(0.1)
            yield piece

    stopped = asyncio.Event()
    await connection.serve(ByteStream(slowly(), stopped.set, stopped, (), patience=0.02))
    assert (connection.body, connection.whole) == (b"onetwo", True)


def stop_body(connection: Connection, body: Body) -> None:
    body.stopped.set()


def hang_up(connection: Connection, body: Body) -> None:
    connection.hang_up()


@pytest.mark.parametrize("reads", [2, 1000])
@pytest.mark.parametrize("end", [stop_body, hang_up])
async def test_a_stop_or_a_client_that_leaves_ends_it_at_once_whoever_waits(
    end: Callable[[Connection, Body], None], reads: int
) -> None:
    connection, body = Connection(reads=reads), Body(b"one", b"two", b"three", endless=True)
    serving = asyncio.create_task(connection.serve(body.stream()))
    await asyncio.sleep(0.05)
    assert not serving.done()
    end(connection, body)
    await serving
    assert body.stopped.is_set()
    assert body.closed
    assert not connection.whole
    # Whoever has left needs no cutting off.
    assert connection.aborted is (end is stop_body)
