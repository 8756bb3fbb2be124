"""One open event stream, read in the caller's own thread or task.

The read timeout of a stream is its silence: the service beats every 15 seconds, so a stream without a byte for
longer is dead, whatever the connection says. A blocking read cannot be cut short, and its timeout is fixed when the
stream opens; so the blocking ear also stops (`DUE`) once the caller's deadline is nearer than that timeout, and the
caller opens a stream with a shorter one. The awaiting ear needs no such care, since a task can be cancelled.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime

import httpx

from assent.client.answer import bare, refusal
from assent.client.flow import Answer, Ending, Heard, Listening, Outgoing, Refused
from assent.client.sse import Message, Parser, StreamTooLargeError
from assent.contract.events import STREAM
from assent.errors import AssentError, ConnectionFailed, ServerError

# A deadline may be overrun by this much, so that an ear does not reopen its stream for every trifle.
SLACK = 0.5
OPENING = 5.0

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


def stream_timeout(outgoing: Outgoing) -> httpx.Timeout:
    return httpx.Timeout(outgoing.timeout, read=outgoing.silence)


def unreached(outgoing: Outgoing, error: Exception) -> Refused:
    timed_out = isinstance(error, httpx.ReadTimeout | TimeoutError)
    reason = "it accepted the connection and sent nothing" if timed_out else reason_of(error)
    return Refused(ConnectionFailed(url=bare(outgoing.url), reason=reason), silent=timed_out)


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


class Ear:
    """Listens while it blocks."""

    def __init__(self, http: httpx.Client, clock: Clock, today: Today) -> None:
        self._http, self._clock, self._today = http, clock, today
        self._response: httpx.Response | None = None
        self._chunks: Iterator[bytes] = iter(())
        self._parser = Parser()
        self._waiting: deque[Message] = deque()
        self._silence = 0.0

    def open(self, outgoing: Outgoing) -> Listening | Refused:
        self.close()
        if in_process(self._http):
            return no_stream()
        try:
            response = self._http.send(self._request(outgoing), stream=True)
            if not is_stream(response):
                with contextlib.closing(response):
                    response.read()
                return not_a_stream(response, outgoing, self._today())
        except httpx.RequestError as error:
            return unreached(outgoing, error)
        self._response, self._chunks = response, response.iter_bytes()
        self._parser, self._silence = Parser(), outgoing.silence or 0.0
        return Listening.LISTENING

    def hear(self, deadline: float | None) -> Heard:
        while not self._waiting:
            if deadline is not None and deadline - self._clock() < self._silence - SLACK:
                return self._ended(Ending.DUE)
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

    def close(self) -> None:
        if self._response is not None:
            self._response.close()
        self._response = None
        self._chunks = iter(())
        self._waiting.clear()

    def _ended(self, ending: Ending) -> Ending:
        self.close()
        return ending

    def _request(self, outgoing: Outgoing) -> httpx.Request:
        timeout = stream_timeout(outgoing)
        return self._http.build_request(outgoing.method, outgoing.url, headers=outgoing.headers, timeout=timeout)


class AsyncEar:
    """Listens while it awaits."""

    def __init__(self, http: httpx.AsyncClient, clock: Clock, today: Today) -> None:
        self._http, self._clock, self._today = http, clock, today
        self._response: httpx.Response | None = None
        self._chunks: AsyncIterator[bytes] | None = None
        self._parser = Parser()
        self._waiting: deque[Message] = deque()

    async def open(self, outgoing: Outgoing) -> Listening | Refused:
        await self.close()
        if in_process(self._http):
            return no_stream()
        try:
            async with asyncio.timeout(min(OPENING, outgoing.timeout)):
                response = await self._http.send(self._request(outgoing), stream=True)
            if not is_stream(response):
                async with contextlib.aclosing(response):
                    await response.aread()
                return not_a_stream(response, outgoing, self._today())
        except (httpx.RequestError, TimeoutError) as error:
            return unreached(outgoing, error)
        self._response, self._chunks = response, response.aiter_bytes()
        self._parser = Parser()
        return Listening.LISTENING

    async def hear(self, deadline: float | None) -> Heard:
        try:
            left = None if deadline is None else max(0.0, deadline - self._clock())
            async with asyncio.timeout(left):
                return await self._next()
        except TimeoutError:
            return await self._ended(Ending.DUE)

    async def close(self) -> None:
        if self._response is not None:
            await self._response.aclose()
        self._response = None
        self._chunks = None
        self._waiting.clear()

    async def _next(self) -> Heard:
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

    async def _ended(self, ending: Ending) -> Ending:
        await self.close()
        return ending

    def _request(self, outgoing: Outgoing) -> httpx.Request:
        timeout = stream_timeout(outgoing)
        return self._http.build_request(outgoing.method, outgoing.url, headers=outgoing.headers, timeout=timeout)
