"""The proxy's own connections to the service, before a server by hand that says what a service never should."""

from __future__ import annotations

import asyncio
import gzip
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import httpx
import pytest

from assent.mcp_proxy import service_transport
from assent.mcp_proxy.service_transport import Turns, http_client
from tests.live import WAIT
from tests.sdk.mcp_proxy.host import until

HEAD = b"HTTP/1.1 200 OK\r\n"


class Server:
    """Answers each request with the next of `says`, as these bytes; after None it closes. `heard` is each request."""

    def __init__(self, *says: bytes | None) -> None:
        self._says = list(says)
        self.heard: list[bytes] = []
        self.connections = 0
        self.ended = asyncio.Semaphore(0)
        self.writer: asyncio.StreamWriter | None = None
        self.base_url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writer = writer
        while self._says:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except (asyncio.IncompleteReadError, ConnectionError):
                break
            size = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            self.heard.append(head + await reader.readexactly(int(size[0].split(b":")[1]) if size else 0))
            said = self._says.pop(0)
            if said is None:
                break
            writer.write(said)
            await writer.drain()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        self.ended.release()


@asynccontextmanager
async def before(*says: bytes | None) -> AsyncGenerator[tuple[Server, httpx.AsyncClient]]:
    server = Server(*says)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.base_url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    client = http_client(server.base_url, Turns())
    assert client is not None
    async with client:
        yield server, client
    listening.close()
    for _ in range(server.connections):
        await server.ended.acquire()


def post(server: Server, client: httpx.AsyncClient) -> asyncio.Future[httpx.Response]:
    return asyncio.ensure_future(client.post(f"{server.base_url}/api/actions", json={"a": "é"}, timeout=WAIT))


async def test_one_connection_is_kept() -> None:
    says = [
        HEAD + b"content-length: 5\r\nx-one: 1\r\n\r\nfirst",
        HEAD + b"transfer-encoding: chunked\r\n\r\n3\r\nsec\r\n3\r\nond\r\n0\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"content-length: 0\r\n\r\n",
        HEAD
        + b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n%s" % (len(gzip.compress(b"x")), gzip.compress(b"x")),
    ]
    async with before(*says) as (server, client):
        answers = [await post(server, client) for _ in says]
        assert [each.content for each in answers] == [b"first", b"second", b"", b"x"]
        assert answers[0].headers["x-one"] == "1"
        assert server.connections == 1
        assert server.heard[0].startswith(b"POST /api/actions HTTP/1.1\r\n")
        assert server.heard[0].endswith('{"a":"é"}'.encode())


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (None, httpx.RemoteProtocolError),
        (b"no HTTP\r\n\r\n", httpx.RemoteProtocolError),
        (HEAD + b"content-length: 9\r\n\r\nshort", None),
        (HEAD + b"content-length: 1\r\ncontent-length: 2\r\n\r\nab", httpx.RemoteProtocolError),
    ],
)
async def test_what_is_no_answer_is_an_error(said: bytes | None, error: type[Exception] | None) -> None:
    async with before(said, HEAD + b"content-length: 2\r\n\r\nok") as (server, client):
        asked = post(server, client)
        if error is None:
            await until(lambda: bool(server.heard))
            assert server.writer is not None
            server.writer.close()
        with pytest.raises(error or httpx.RemoteProtocolError):
            await asked
        assert (await post(server, client)).content == b"ok"
        assert server.connections == 2


async def test_what_comes_unasked_answers_nobody() -> None:
    answer = HEAD + b"content-length: 2\r\n\r\nok"
    async with before(answer, answer + HEAD + b"content-length: 4\r\n\r\nlies", answer, answer) as (server, client):
        assert (await post(server, client)).content == b"ok"
        assert (await post(server, client)).content == b"ok"
        assert (await post(server, client)).content == b"ok"
        assert server.connections == 2
        assert server.writer is not None
        server.writer.write(HEAD + b"content-length: 4\r\n\r\nlies")
        await asyncio.sleep(0.1)
        assert (await post(server, client)).content == b"ok"
        assert server.connections == 3


async def test_a_connection_that_ends_meanwhile_is_made_anew() -> None:
    answer = HEAD + b"content-length: 2\r\n\r\nok"
    async with before(answer, answer) as (server, client):
        await post(server, client)
        assert server.writer is not None
        server.writer.close()
        await asyncio.sleep(0.1)
        assert (await post(server, client)).content == b"ok"


async def test_many_at_once_have_a_connection_each() -> None:
    async with before(*[HEAD + b"content-length: 2\r\n\r\nok"] * 20) as (server, client):
        answers = await asyncio.gather(*(post(server, client) for _ in range(10)))
        assert [each.content for each in answers] == [b"ok"] * 10
        await asyncio.gather(*(post(server, client) for _ in range(10)))
        assert server.connections <= 10


async def test_silence_is_a_timeout_and_a_cancelled_request_leaves_no_answer_behind() -> None:
    async with before(b"", HEAD + b"content-length: 2\r\n\r\nok", b"", HEAD + b"content-length: 2\r\n\r\nok") as (
        server,
        client,
    ):
        with pytest.raises(httpx.ReadTimeout):
            await client.post(server.base_url, timeout=0.1)
        assert (await post(server, client)).content == b"ok"
        asked = post(server, client)
        await until(lambda: len(server.heard) == 3)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert (await post(server, client)).content == b"ok"
        assert server.connections == 3


async def test_nobody_there_is_an_error_of_connecting() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        base_url = f"http://127.0.0.1:{free.getsockname()[1]}"
    client = http_client(base_url, Turns())
    assert client is not None
    async with client:
        with pytest.raises(httpx.ConnectError):
            await client.post(base_url)


async def test_a_connection_that_nobody_used_for_long_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_transport, "IDLE", 0.0)
    async with before(*[HEAD + b"content-length: 2\r\n\r\nok"] * 2) as (server, client):
        await post(server, client)
        await post(server, client)
        assert server.connections == 2


async def test_a_stream_of_events_is_read_while_it_comes() -> None:
    async with before(HEAD + b"content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n2\r\n:\n\r\n") as (
        server,
        client,
    ):
        headers = {"accept": "text/event-stream"}
        async with client.stream("GET", server.base_url, headers=headers, timeout=WAIT) as response:
            assert await anext(response.aiter_bytes()) == b":\n"


@pytest.mark.parametrize(
    ("base_url", "variable", "own"),
    [
        ("http://127.0.0.1:8484", None, True),
        ("https://127.0.0.1:8484", None, False),
        ("http://127.0.0.1:8484", "http_proxy", False),
        ("http://127.0.0.1:8484", "ALL_PROXY", False),
        ("http://127.0.0.1:8484", "https_proxy", True),
    ],
)
async def test_who_goes_another_way_goes_it_with_all_of_httpx(
    monkeypatch: pytest.MonkeyPatch, base_url: str, variable: str | None, own: bool
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    if variable is not None:
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    client = http_client(base_url, Turns())
    assert (client is not None) is own
    if client is not None:
        await client.aclose()
