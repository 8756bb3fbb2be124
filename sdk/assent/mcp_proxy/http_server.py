"""A server behind an address: MCP's streamable HTTP, for a host that only starts programs.

Each message of the host is a POST of its own. A request is answered with one JSON document or with a stream of events,
in which notifications may stand before the answer; what the server says by itself comes over a stream that is opened
once the session has begun, if the server has one. Both generations of the protocol are spoken: with a session's id in
the headers, and without sessions since 2026-07-28, where the headers say again what the message says.

Redirects are not followed: headers with a secret are for the address that was given. A stream that ends before its
answer is not taken up again; whoever asked gets an error.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx

from assent.client.sse import Parser, StreamTooLargeError
from assent.mcp_proxy.frames import (
    INTERNAL_ERROR,
    LARGEST,
    Frame,
    Id,
    Unreadable,
    error_of,
    key_of,
    read,
    written,
)
from assent.mcp_proxy.frames import (
    SECONDS as MESSAGE_SECONDS,
)
from assent.mcp_proxy.servers import LEAVING, ServerGone

SESSION, VERSION, METHOD, NAME = "mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name"
STATED_VERSION = "io.modelcontextprotocol/protocolVersion"
"""In `_meta`: the version of a request without a session."""
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Which member of the params stands in the header NAME."""
SECONDS = 30.0
"""To connect, to send, and for the answer to what is no request."""
CANCELLED = "notifications/cancelled"
EVENTS, JSON = "text/event-stream", "application/json"
QUEUED = 64


class HttpServer:
    """`headers` go with each request."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        timeout = httpx.Timeout(SECONDS, read=None)
        self._http = httpx.AsyncClient(headers=dict(headers), timeout=timeout, follow_redirects=False)
        self._frames: asyncio.Queue[Frame | None] = asyncio.Queue(QUEUED)
        self._asked: dict[str, asyncio.Task[None]] = {}
        self._listener: asyncio.Task[None] | None = None
        self._session: dict[str, str] = {}

    async def send(self, line: bytes) -> None:
        """A request is on its way when this returns; everything else has arrived. Raises ServerGone."""
        message = read(line)
        assert isinstance(message, dict)
        method, key = message.get("method"), key_of(message.get("id"))
        headers = self._headers_of(message)
        if isinstance(method, str) and key is not None:
            task = asyncio.create_task(self._ask(line, message["id"], method, headers))
            self._asked[key] = task
            task.add_done_callback(lambda _: self._asked.pop(key, None))
            return
        if method == CANCELLED and SESSION not in self._session:
            params = message.get("params")
            asked = self._asked.get(key_of(params.get("requestId")) or "") if isinstance(params, dict) else None
            if asked is not None and VERSION not in self._session:
                asked.cancel()  # without a session, to close the request is to cancel it
                return
        try:
            async with (
                asyncio.timeout(SECONDS),
                self._http.stream("POST", self._url, content=line, headers=headers) as response,
            ):
                accepted = response.status_code < 300
        except (httpx.HTTPError, TimeoutError) as error:
            raise ServerGone(f"{self._url} does not answer ({type(error).__name__})") from None
        if accepted and method == "notifications/initialized" and self._listener is None:
            self._listener = asyncio.create_task(self._listen())

    def _headers_of(self, message: dict[str, Any]) -> dict[str, str]:
        headers = {"accept": f"{JSON}, {EVENTS}", "content-type": JSON}
        params, method = message.get("params"), message.get("method")
        meta = params.get("_meta") if isinstance(params, dict) else None
        stated = meta.get(STATED_VERSION) if isinstance(meta, dict) else None
        if not isinstance(stated, str) or not isinstance(method, str):
            return headers | self._session
        headers |= {VERSION: field(stated), METHOD: field(method)}
        name = params.get(NAMED[method]) if isinstance(params, dict) and method in NAMED else None
        return headers | ({NAME: field(name)} if isinstance(name, str) else {})

    async def _ask(self, line: bytes, identifier: Id, method: str, headers: dict[str, str]) -> None:
        """The answer, or an error in its place, is among the frames when this ends."""
        why = "the stream of the server ended before its answer"
        try:
            async with self._http.stream("POST", self._url, content=line, headers=headers) as response:
                kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                if kind == EVENTS and response.status_code < 300:
                    if await self._events(response, identifier, method):
                        return
                elif kind == JSON:
                    async with asyncio.timeout(MESSAGE_SECONDS):
                        frame = await _document(response)
                    if frame is not None and _is_answer(frame, identifier):
                        self._begin(frame, method, response)
                        return await self._frames.put(frame)
                    why = f"the server answered with HTTP {response.status_code} and no answer to this request"
                    if frame is None:
                        why = f"the server's answer has more than {LARGEST:,} bytes"
                else:
                    why = f"the server answered with HTTP {response.status_code}"
        except (httpx.HTTPError, StreamTooLargeError) as error:
            why = f"{self._url} did not answer ({type(error).__name__})"
        except TimeoutError:
            why = f"the server's answer had no end after {MESSAGE_SECONDS:g} s"
        await self._frames.put(error_of(identifier, INTERNAL_ERROR, why))

    async def _events(self, response: httpx.Response, identifier: Id | None, method: str) -> bool:
        """Whether the answer was among them. Raises TimeoutError for an event without an end."""
        parser, until = Parser(), None
        chunks, clock = response.aiter_bytes(), asyncio.get_running_loop().time
        while True:
            async with asyncio.timeout_at(until):
                chunk = await anext(chunks, None)
            if chunk is None:
                return False
            events = parser.feed(chunk)
            if not parser.begun or events or until is None:
                until = clock() + MESSAGE_SECONDS if parser.begun else None
            for event in events:
                frame = one_line(event.data.encode())
                answer = identifier is not None and _is_answer(frame, identifier)
                if answer:
                    self._begin(frame, method, response)
                await self._frames.put(frame)
                if answer:
                    return True

    def _begin(self, frame: bytes, method: str, response: httpx.Response) -> None:
        """What a session is told by, once it has begun."""
        if method != "initialize":
            return
        message = read(frame)
        result = message.get("result") if isinstance(message, dict) else None
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        if isinstance(version, str):
            self._session[VERSION] = field(version)
        if SESSION in response.headers:
            self._session[SESSION] = response.headers[SESSION]

    async def _listen(self) -> None:
        """What the server says by itself, for as long as it has a stream for that."""
        pause = 1.0
        while True:
            try:
                headers = {"accept": EVENTS} | self._session
                async with self._http.stream("GET", self._url, headers=headers) as response:
                    if response.status_code >= 300:
                        return
                    await self._events(response, None, "")
                    pause = 1.0
            except (httpx.HTTPError, StreamTooLargeError, TimeoutError):
                pause = min(30.0, 2 * pause)
            await asyncio.sleep(pause)

    async def frames(self) -> AsyncIterator[Frame]:
        while (frame := await self._frames.get()) is not None:
            yield frame

    async def end_input(self) -> None:
        if self._asked:
            await asyncio.wait(list(self._asked.values()), timeout=LEAVING)
        await self._frames.put(None)

    async def close(self) -> int:
        tasks = [*self._asked.values(), *([self._listener] if self._listener is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if SESSION in self._session:
            with contextlib.suppress(httpx.HTTPError):
                await self._http.delete(self._url, headers=self._session, timeout=2.0)
        await self._http.aclose()
        return 0


async def _document(response: httpx.Response) -> bytes | None:
    """None for one that is too long."""
    parts: list[bytes] = []
    size = 0
    async for chunk in response.aiter_bytes():
        size += len(chunk)
        if size > LARGEST:
            return None
        parts.append(chunk)
    return one_line(b"".join(parts))


def _is_answer(frame: bytes, identifier: Id) -> bool:
    try:
        message = read(frame)
    except Unreadable:
        return False
    return isinstance(message, dict) and "method" not in message and key_of(message.get("id")) == key_of(identifier)


def one_line(document: bytes) -> bytes:
    """A message as a line. One that is laid out over several is written anew."""
    if b"\n" not in document and b"\r" not in document:
        return document
    try:
        return written(json.loads(document))
    except (ValueError, RecursionError):
        return document.replace(b"\r", b" ").replace(b"\n", b" ")


def field(value: str) -> str:
    """A value that a header can carry, as the protocol writes one that it cannot."""
    plain = value.isascii() and value.isprintable() and value == value.strip() and not value.startswith("=?base64?")
    return value if plain else f"=?base64?{base64.b64encode(value.encode('utf-8', 'replace')).decode()}?="
