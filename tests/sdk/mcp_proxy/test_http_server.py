"""A server behind an address: what becomes of its answers, whatever it answers with. By a server
that says what it is told to."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from assent.mcp_proxy import http_server
from assent.mcp_proxy.http_server import HttpServer
from assent.mcp_proxy.servers import ServerGone

RESULT: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "result": {"n": 1}}
NOTICE: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}


class Web(ThreadingHTTPServer):
    """`answers` are status, type, headers and body by method of the message, or GET; `requests` what came."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Page)
        self.answers: dict[str, tuple[int, str, dict[str, str], bytes]] = {}
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.url = f"http://127.0.0.1:{self.server_port}/mcp"


class Page(BaseHTTPRequestHandler):
    server: Web

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self._answer(str(message.get("method")), message)

    def do_GET(self) -> None:
        self._answer("GET", None)

    def do_DELETE(self) -> None:
        self._answer("DELETE", None)

    def _answer(self, name: str, message: Any) -> None:
        self.server.requests.append((name, {key.lower(): value for key, value in self.headers.items()}, message))
        status, kind, headers, body = self.server.answers.get(name, (405, "text/plain", {}, b""))
        self.send_response(status)
        for key, value in {"content-type": kind, "content-length": str(len(body)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def web() -> Iterator[Web]:
    with Web() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()


def json_of(
    message: Any, status: int = 200, headers: dict[str, str] | None = None
) -> tuple[int, str, dict[str, str], bytes]:
    return status, "application/json; charset=utf-8", headers or {}, json.dumps(message, indent=2).encode()


def events_of(*messages: Any) -> tuple[int, str, dict[str, str], bytes]:
    body = b"".join(b"event: message\ndata: " + json.dumps(each).encode() + b"\n\n" for each in messages)
    return 200, "text/event-stream", {}, body


def line(method: str, number: int | None = 1, **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
    return json.dumps(message).encode()


async def said(server: HttpServer, count: int) -> list[Any]:
    """The next frames."""
    found: list[Any] = []
    async for frame in server.frames():
        assert isinstance(frame, bytes)
        found.append(json.loads(frame))
        if len(found) == count:
            return found
    return found


async def test_a_session_is_begun_and_ended(web: Web) -> None:
    began = {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-11-25"}}
    web.answers = {
        "initialize": json_of(began, headers={"mcp-session-id": "s-1"}),
        "notifications/initialized": (202, "text/plain", {}, b""),
        "GET": events_of(NOTICE),
        "tools/list": events_of(NOTICE, {**RESULT, "id": 2}),
        "DELETE": (200, "text/plain", {}, b""),
    }
    server = HttpServer(web.url, {"authorization": "Bearer x"})
    await server.send(line("initialize"))
    assert await said(server, 1) == [began]
    await server.send(line("notifications/initialized", None))
    assert await said(server, 1) == [NOTICE]
    await server.send(line("tools/list", 2))
    assert await said(server, 2) == [NOTICE, {**RESULT, "id": 2}]
    assert await server.close() == 0
    assert [name for name, _, _ in web.requests] == [
        "initialize",
        "notifications/initialized",
        "GET",
        "tools/list",
        "DELETE",
    ]
    first, *rest = [headers for _, headers, _ in web.requests]
    assert "mcp-session-id" not in first
    assert all(each["authorization"] == "Bearer x" for each in (first, *rest))
    assert all((each["mcp-session-id"], each["mcp-protocol-version"]) == ("s-1", "2025-11-25") for each in rest)


async def test_without_a_session_the_headers_say_what_the_message_says(web: Web) -> None:
    web.answers = {"tools/call": json_of(RESULT)}
    server = HttpServer(web.url, {})
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    await server.send(line("tools/call", name="späh", _meta=meta))
    assert await said(server, 1) == [RESULT]
    await server.close()
    ((_, headers, _),) = web.requests
    assert (headers["mcp-protocol-version"], headers["mcp-method"]) == ("2026-07-28", "tools/call")
    assert headers["mcp-name"] == "=?base64?c3DDpGg=?="


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((500, "text/html", {}, b"<p>Oh"), "HTTP 500"),
        ((302, "text/plain", {"location": "http://elsewhere.invalid/"}, b""), "HTTP 302"),
        ((200, "text/plain", {}, b"yes"), "HTTP 200"),
        ((200, "application/json", {}, b"no JSON"), "no answer to this request"),
        (json_of({**RESULT, "id": 2}), "no answer to this request"),
        (events_of(NOTICE, {**RESULT, "id": 2}), "ended before its answer"),
    ],
)
async def test_whoever_asked_is_told_where_there_is_no_answer(
    web: Web, answer: tuple[int, str, dict[str, str], bytes], words: str
) -> None:
    web.answers = {"ping": answer}
    server = HttpServer(web.url, {})
    await server.send(line("ping"))
    (*_, last) = await said(server, 3 if answer[1].startswith("text/event") else 1)
    assert last["id"] == 1
    assert words in last["error"]["message"]
    await server.close()


async def test_an_error_of_the_protocol_is_an_answer(web: Web) -> None:
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no"}}
    web.answers = {"ping": json_of(error, 400)}
    server = HttpServer(web.url, {})
    await server.send(line("ping"))
    assert await said(server, 1) == [error]
    await server.close()


async def test_an_answer_that_is_too_long_is_not_held(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "LARGEST", 1000)
    long = b'{"jsonrpc":"2.0","id":1,"result":"' + b"x" * 200_000 + b'"}'
    web.answers = {"ping": (200, "application/json", {}, long)}
    server = HttpServer(web.url, {})
    await server.send(line("ping"))
    (answer,) = await said(server, 1)
    assert (answer["id"], answer["error"]["message"]) == (1, "the server's answer has more than 1,000 bytes")
    await server.close()


@pytest.mark.parametrize(
    ("kind", "head", "piece"),
    [
        ("application/json", b'{"jsonrpc":"2.0","id":1,"result":"', b"x"),
        ("text/event-stream", b'data: {"jsonrpc":"2.0","id":1,"result":"', b"x"),
        ("text/event-stream", b"data: {\n", b"data: 1,\n"),
    ],
)
async def test_an_answer_that_drips_without_an_end_is_an_error(
    web: Web, monkeypatch: pytest.MonkeyPatch, kind: str, head: bytes, piece: bytes
) -> None:
    monkeypatch.setattr(http_server, "MESSAGE_SECONDS", 0.3)
    over = threading.Event()

    class Dripping(Page):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", kind)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(head)
                while not over.wait(0.02):
                    self.wfile.write(piece)

    web.RequestHandlerClass = Dripping
    server = HttpServer(web.url, {})
    await server.send(line("ping"))
    (answer,) = await said(server, 1)
    assert (answer["id"], answer["error"]["message"]) == (1, "the server's answer had no end after 0.3 s")
    over.set()
    await server.close()


async def test_heartbeats_between_events_are_waited_through(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "MESSAGE_SECONDS", 0.2)
    answer = {"jsonrpc": "2.0", "id": 1, "result": {}}

    class Thinking(Page):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for _ in range(10):
                self.wfile.write(b": still here\n\n")
                time.sleep(0.1)
            self.wfile.write(f"data: {json.dumps(answer)}\n\n".encode())

    web.RequestHandlerClass = Thinking
    server = HttpServer(web.url, {})
    await server.send(line("ping"))
    assert await said(server, 1) == [answer]
    await server.close()


async def test_a_server_that_is_not_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/mcp"
    server = HttpServer(url, {})
    await server.send(line("ping"))
    (answer,) = await said(server, 1)
    assert "did not answer (ConnectError)" in answer["error"]["message"]
    with pytest.raises(ServerGone, match="does not answer"):
        await server.send(line("notifications/initialized", None))
    await server.close()


async def test_to_cancel_without_a_session_closes_the_request(web: Web) -> None:
    asked, gone = threading.Event(), threading.Event()

    class Slow(Page):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.server.requests.append(("POST", {}, None))
            asked.set()
            self.rfile.read(1)  # until the other side goes
            gone.set()

    web.RequestHandlerClass = Slow
    server = HttpServer(web.url, {})
    await server.send(line("tools/call", name="x", _meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"}))
    assert await asyncio.to_thread(asked.wait, 30)
    await server.send(line("notifications/cancelled", None, requestId=1))
    assert await asyncio.to_thread(gone.wait, 30)
    assert len(web.requests) == 1
    await server.close()
