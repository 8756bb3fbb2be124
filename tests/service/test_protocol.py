"""What a connection does over time: a transport and a clock by hand. Its answers over real sockets are a story."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from assent_service.connections import ConnectionLimits, Connections
from assent_service.core.caller import Callers
from assent_service.protocol import BODY_RATE, BODY_SECONDS, UNREAD, Protocol

POST = b"POST /api/guard HTTP/1.1\r\nhost: test\r\ncontent-length: 100000000\r\n\r\n"


class Transport:
    """Writes down what is done with it."""

    def __init__(self) -> None:
        self.sent = bytearray()
        self.writes: list[bytes] = []
        self.done: list[str] = []

    def get_extra_info(self, name: str, default: object = None) -> object:
        return ("192.0.2.1", 4711) if name in ("peername", "sockname") else default

    def write(self, data: bytes) -> None:
        self.sent += data
        self.writes.append(data)

    def writelines(self, pieces: list[bytes]) -> None:
        self.write(b"".join(pieces))

    def write_eof(self) -> None:
        self.done.append("end")

    def is_closing(self) -> bool:
        return "close" in self.done

    def close(self) -> None:
        self.done.append("close")

    abort = close

    def pause_reading(self) -> None:
        self.done.append("pause")

    def resume_reading(self) -> None:
        self.done.append("resume")

    def get_write_buffer_size(self) -> int:
        return 0


class Wire:
    """A connection to an application that reads its body to the end, or answers at once without reading any."""

    def __init__(self, *, reads: bool) -> None:
        self.now, self.left, self.begun = 1000.0, asyncio.Event(), asyncio.Event()
        self.begun.set()
        self.body = b""
        self._reads = reads
        config = uvicorn.Config(
            self.app, interface="asgi3", proxy_headers=False, ws="none", log_config=None, access_log=False
        )
        everyone = Connections(ConnectionLimits(), Callers(), lambda: self.now)
        self.everyone, self.transport = everyone, Transport()
        self.protocol = Protocol(config, ServerState(), {}, connections=everyone)
        self.protocol.connection_made(self.transport)  # type: ignore[arg-type]  # a stand-in

    async def app(self, _: Any, receive: Any, send: Any) -> None:
        while self._reads and (await receive())["type"] == "http.request":
            continue
        self.left.set()
        if not self._reads:
            size = str(len(self.body)).encode()
            await send({"type": "http.response.start", "status": 401, "headers": [(b"content-length", size)]})
            await self.begun.wait()
            await send({"type": "http.response.body", "body": self.body, "more_body": False})

    async def gives(self, data: bytes) -> None:
        self.protocol.data_received(data)
        for _ in range(5):
            await asyncio.sleep(0)


async def test_a_body_may_take_long_as_long_as_it_comes() -> None:
    wire = Wire(reads=True)
    await wire.gives(POST)
    for _ in range(60):
        await wire.gives(b"x" * BODY_RATE * 6)
        wire.now += 5
        await wire.everyone.sweep()
    assert not wire.transport.sent


async def test_a_body_that_trickles_is_ended_though_it_is_never_still() -> None:
    wire = Wire(reads=True)
    await wire.gives(POST)
    for _ in range(int(BODY_SECONDS / 5) + 1):
        await wire.gives(b"x")
        assert not wire.transport.sent
        wire.now += 5
        await wire.everyone.sweep()
    await wire.gives(b"x")
    head, problem = bytes(wire.transport.sent).split(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ")
    assert json.loads(problem)["code"] == "body_timeout"
    assert json.loads(problem)["instance"] == "/api/guard"
    assert wire.transport.done == ["end"]
    await asyncio.wait_for(wire.left.wait(), 30)  # the application is told that nobody is there any more
    wire.now += 2
    await wire.everyone.sweep()
    assert wire.transport.done == ["end", "close"]


async def test_the_body_of_an_answered_request_is_thrown_away_up_to_a_bound() -> None:
    wire = Wire(reads=False)
    await wire.gives(POST)
    assert wire.transport.sent.startswith(b"HTTP/1.1 401 ")
    pieces = UNREAD // 100_000
    for _ in range(pieces):
        await wire.gives(b"x" * 100_000)
    assert wire.transport.done == []
    await wire.gives(b"x")
    assert wire.transport.done == ["pause", "close"]


async def test_an_answer_leaves_in_one_piece() -> None:
    wire = Wire(reads=False)
    wire.body = b'{"decision":"allow"}'
    await wire.gives(b"GET /health HTTP/1.1\r\n\r\n" * 2)
    assert [piece.count(b"HTTP/1.1 401 ") for piece in wire.transport.writes] == [1, 1]
    assert all(piece.endswith(b"\r\n\r\n" + wire.body) for piece in wire.transport.writes)


async def test_a_head_does_not_wait_for_a_body_that_takes_long() -> None:
    wire = Wire(reads=False)
    wire.body = b"late"
    wire.begun.clear()
    await wire.gives(b"GET /health HTTP/1.1\r\nconnection: close\r\n\r\n")
    assert [piece[-4:] for piece in wire.transport.writes] == [b"\r\n\r\n"]
    wire.begun.set()
    await wire.gives(b"")
    assert wire.transport.writes[1:] == [b"late"]
    assert wire.transport.done == ["close"]


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
async def test_a_long_header_is_given_to_the_parser_in_few_pieces(size: int) -> None:
    """The parser copies all that it has for each piece: the pieces have to grow with it."""
    wire = Wire(reads=False)
    fed: list[int] = []
    parser = wire.protocol.parser

    class Counting:
        def __getattr__(self, name: str) -> Any:
            return getattr(parser, name)

        def feed_data(self, data: bytes) -> None:
            fed.append(len(data))
            parser.feed_data(data)

    wire.protocol.parser = Counting()  # type: ignore[assignment]  # as above
    header = b"GET /health HTTP/1.1\r\nlong: " + b"a" * 60_000 + b"\r\n\r\n"
    for start in range(0, len(header), size):
        wire.protocol.data_received(header[start : start + size])
    await wire.gives(b"")
    assert sum(fed) == len(header)
    assert len(fed) <= 18, "doubling from one byte to 60,000"
    assert wire.transport.sent.startswith(b"HTTP/1.1 401 ")
