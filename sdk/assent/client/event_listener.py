"""One open event stream, read in the caller's own thread or task.

The read timeout of a stream is its silence: the service beats every 15 seconds, so a stream without a byte for
longer is dead, whatever the connection says. `interrupt` ends a read that another thread is in.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime

from assent.client.answer import REQUEST_ID, bare, fresh_id, is_bound, refusal
from assent.client.connections import LIMIT, Pool
from assent.client.flow import Answer, Ending, Heard, Listening, Outgoing, Refused
from assent.client.http_response import sending
from assent.client.on_demand import asyncio, httpx, socket
from assent.client.request import Line
from assent.client.sse import Parser, ServerSentEvent, StreamTooLargeError
from assent.contract.events import STREAM
from assent.errors import AssentError, ConnectionFailed, NoFreeConnection, ServerError, UnboundAnswer

OPENING = 5.0
"""Seconds within which a stream has to begin, where somebody waits for it."""

Clock = Callable[[], float]
Today = Callable[[], datetime]


def in_process(http: object) -> bool:
    """Whether this is a test client that runs the application itself; those hand over whole bodies, never streams."""
    return hasattr(http, "app")


def no_stream() -> Refused:
    return Refused(
        AssentError(
            "this http client runs the service in process and cannot stream; poll instead, or use a client that "
            "is connected to a running service (`assent start`)"
        ),
        silent=True,
    )


def stream_request(http: httpx.Client | httpx.AsyncClient, outgoing: Outgoing, asked: str) -> httpx.Request:
    timeout = httpx.Timeout(outgoing.timeout, read=outgoing.silence)
    headers = {**outgoing.headers, REQUEST_ID: asked}
    return http.build_request(outgoing.method, outgoing.url, headers=headers, timeout=timeout)


def no_free_connection(outgoing: Outgoing, max_connections: int | None) -> NoFreeConnection:
    """The limit of an http client that was handed in is not known."""
    number = "all" if max_connections is None else f"all {max_connections}"
    reason = f"{number} connections that {LIMIT} allows were in use for {outgoing.timeout:g} s"
    return NoFreeConnection(url=bare(outgoing.url), reason=reason, limit=max_connections)


def no_answer(outgoing: Outgoing) -> Refused:
    reason = "it accepted the connection and sent nothing"
    return Refused(ConnectionFailed(url=bare(outgoing.url), reason=reason), silent=True)


def unreached(outgoing: Outgoing, error: Exception, max_connections: int | None) -> Refused:
    if isinstance(error, UnboundAnswer):
        return Refused(error)
    if isinstance(error, httpx.PoolTimeout):
        return Refused(no_free_connection(outgoing, max_connections))
    if isinstance(error, httpx.ReadTimeout | TimeoutError):
        return no_answer(outgoing)
    return Refused(ConnectionFailed(url=bare(outgoing.url), reason=reason_of(error)))


def reason_of(error: Exception) -> str:
    return str(error) or type(error).__name__


def is_stream(response: httpx.Response) -> bool:
    return response.status_code == 200 and response.headers.get("content-type", "").startswith(STREAM.content)


def not_a_stream(response: httpx.Response, outgoing: Outgoing, today: datetime) -> Refused:
    """The response has been read whole."""
    answer = Answer(response.status_code, dict(response.headers), response.content)
    if answer.status != 200:
        return Refused(refusal(answer, outgoing.url, today))
    detail = f"{bare(outgoing.url)} answered with {answer.headers.get('content-type', 'nothing')}, not with an event"
    return Refused(ServerError(status=200, code="unreadable_answer", detail=detail + " stream"))


class EventListener:
    """Listens while it blocks."""

    def __init__(self, pool: Pool[httpx.Client], line: Line, today: Today) -> None:
        self._pool, self._line, self._today = pool, line, today
        self._response: httpx.Response | None = None
        self._chunks: Iterator[bytes] = iter(())
        self._parser = Parser()
        self._waiting: deque[ServerSentEvent] = deque()

    def open(self, outgoing: Outgoing) -> Listening | Refused:
        self.close()
        if in_process(self._pool.http):
            return no_stream()
        asked = fresh_id()
        try:
            with sending():
                response = self._pool.http.send(stream_request(self._pool.http, outgoing, asked), stream=True)
            self._pool.used(response)
            try:
                bound = is_bound(response, asked, outgoing, accept_unbound=self._line.accept_unbound)
            except UnboundAnswer:
                response.close()
                raise
            if not bound or not is_stream(response):
                with contextlib.closing(response):
                    response.read()
                return not_a_stream(response, outgoing, self._today())
        except (httpx.RequestError, UnboundAnswer) as error:
            return unreached(outgoing, error, self._line.max_connections)
        self._response, self._chunks = response, response.iter_bytes()
        self._parser = Parser()
        return Listening.LISTENING

    def hear(self) -> Heard:
        while not self._waiting:
            if self._pool.inherited:
                return self._ended(Ending.CLOSED)
            try:
                chunk = next(self._chunks, None)
                if chunk is None:
                    return self._ended(Ending.CLOSED)
                self._waiting.extend(self._parser.feed(chunk))
            except httpx.ReadTimeout:
                return self._ended(Ending.SILENT)
            except (httpx.RequestError, httpx.StreamError, StreamTooLargeError):
                return self._ended(Ending.CLOSED)
        return self._waiting.popleft()

    def interrupt(self) -> None:
        """From another thread: what is read here ends now. Without a connection there is nothing to be waited for."""
        response = self._response
        stream = None if response is None else response.extensions.get("network_stream")
        connection = None if stream is None else stream.get_extra_info("socket")
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        if self._response is not None and not self._pool.inherited:
            self._response.close()
        self._response = None
        self._chunks = iter(())
        self._waiting.clear()

    def _ended(self, ending: Ending) -> Ending:
        self.close()
        return ending


class AsyncEventListener:
    """Listens while it awaits."""

    def __init__(self, pool: Pool[httpx.AsyncClient], line: Line, today: Today) -> None:
        self._pool, self._line, self._today = pool, line, today
        self._response: httpx.Response | None = None
        self._chunks: AsyncIterator[bytes] | None = None
        self._parser = Parser()
        self._waiting: deque[ServerSentEvent] = deque()

    async def open(self, outgoing: Outgoing) -> Listening | Refused:
        await self.close()
        if in_process(self._pool.http):
            return no_stream()
        asked = fresh_id()
        try:
            async with asyncio.timeout(min(OPENING, outgoing.timeout)):
                with sending():
                    response = await self._pool.http.send(stream_request(self._pool.http, outgoing, asked), stream=True)
            self._pool.used(response)
            try:
                bound = is_bound(response, asked, outgoing, accept_unbound=self._line.accept_unbound)
            except UnboundAnswer:
                await response.aclose()
                raise
            if not bound or not is_stream(response):
                async with contextlib.aclosing(response):
                    await response.aread()
                return not_a_stream(response, outgoing, self._today())
        except (httpx.RequestError, TimeoutError, UnboundAnswer) as error:
            return unreached(outgoing, error, self._line.max_connections)
        self._response, self._chunks = response, response.aiter_bytes()
        self._parser = Parser()
        return Listening.LISTENING

    async def hear(self) -> Heard:
        while not self._waiting:
            try:
                chunk = None if self._chunks is None else await anext(self._chunks, None)
                if chunk is None:
                    return await self._ended(Ending.CLOSED)
                self._waiting.extend(self._parser.feed(chunk))
            except httpx.ReadTimeout:
                return await self._ended(Ending.SILENT)
            except (httpx.RequestError, httpx.StreamError, StreamTooLargeError):
                return await self._ended(Ending.CLOSED)
        return self._waiting.popleft()

    async def close(self) -> None:
        if self._response is not None and not self._pool.inherited:
            await self._response.aclose()
        self._response = None
        self._chunks = None
        self._waiting.clear()

    async def _ended(self, ending: Ending) -> Ending:
        await self.close()
        return ending
