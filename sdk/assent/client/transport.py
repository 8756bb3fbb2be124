"""The two drivers: they perform an operation's steps, one blocking, the other awaiting, and decide nothing.

An attempt ends after its seconds, however its answer drips, and its answer is held up to LARGEST bytes. Of a file and a
stream only the silence is bounded.

The caller's trace is passed on in the header `traceparent` (W3C Trace Context). OpenTelemetry is not imported here:
where the program that uses this client has loaded it and a span is current, that span becomes the parent of the
service's; otherwise nothing is sent, and looking costs one look into a dictionary. Whichever propagators a program
has chosen for others, this is the header that the service reads.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any, TypeVar

from assent.client.ambient import Ambient
from assent.client.answer import REQUEST_ID, bare, fresh_id, is_bound, is_file
from assent.client.connections import ATTEMPT_END, AsyncConnections, Connections, Pool
from assent.client.event_listener import AsyncEventListener, EventListener, no_free_connection, reason_of
from assent.client.flow import (
    Answer,
    Blocking,
    Consult,
    Consume,
    Consumed,
    Done,
    Emit,
    ExchangeFailure,
    Flow,
    Hear,
    Leave,
    Listen,
    Outgoing,
    Say,
    Send,
    Sleep,
    Step,
    Stream,
    Transmit,
    advance,
)
from assent.client.http_response import HttpResponse, answered, last_response, sending, unanswered
from assent.client.incoming import LARGEST, Held, TooLarge, consumed, consumed_aside
from assent.client.on_demand import asyncio, httpx
from assent.client.operation import AsyncRunner, Runner
from assent.client.request import Line, build_stream
from assent.client.retry import exchange
from assent.client.shared_stream import AsyncSharedEventListener, AsyncSharedStream, SharedEventListener, SharedStream
from assent.client.stopping import carried_out, from_outside, raised_by_a_handler
from assent.errors import AssentError, NoFreeConnection, ServerError

API = "opentelemetry.trace"
HEADER = "traceparent"


def traced(headers: Mapping[str, str]) -> Mapping[str, str]:
    """`headers`, with the current span's where there is one."""
    trace: Any = sys.modules.get(API)
    # A module that another thread is still importing is there already, without its names.
    current = getattr(trace, "get_current_span", None)
    if current is None:
        return headers
    context = current().get_span_context()
    if not context.is_valid:
        return headers
    parent = f"00-{context.trace_id:032x}-{context.span_id:016x}-{int(context.trace_flags) & 1:02x}"
    return {HEADER: parent, **headers}


T = TypeVar("T")


def failure(
    error: httpx.RequestError, outgoing: Outgoing, max_connections: int | None
) -> ExchangeFailure | NoFreeConnection:
    """What a transport error means. Only a connection that never came about proves that nothing arrived."""
    uncertain = outgoing.method != "GET" and not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
    if isinstance(error, httpx.PoolTimeout):
        return no_free_connection(outgoing, max_connections)
    if isinstance(error, httpx.ConnectTimeout):
        return ExchangeFailure(f"no connection within {outgoing.timeout:g} s", uncertain=False)
    if isinstance(error, httpx.TimeoutException):
        late = isinstance(error, httpx.ReadTimeout)
        seconds = (outgoing.silence if late else None) or outgoing.timeout
        return ExchangeFailure(f"no answer within {seconds:g} s", uncertain, late)
    return ExchangeFailure(reason_of(error), uncertain)


class _Endless(Exception):
    """The attempt's time is over while its answer arrives."""


def endless(outgoing: Outgoing) -> ExchangeFailure:
    """Its answer has begun, maybe, and did not end in time."""
    return ExchangeFailure(f"no whole answer within {_seconds(outgoing):g} s", outgoing.method != "GET", late=True)


def _seconds(outgoing: Outgoing) -> float:
    """How many an attempt may take."""
    return max(outgoing.timeout, outgoing.silence or 0.0)


BEHIND = 0.5
"""Seconds more that an attempt has as a whole, so that a time that is bounded by itself is told as what it is: no free
connection, no connection, no answer at all."""


def _read(response: httpx.Response, outgoing: Outgoing, began: float) -> bytes:
    if outgoing.file and is_file(response.status_code, response.headers):
        return response.read()
    held, end = Held(), began + _seconds(outgoing) + BEHIND
    try:
        for piece in response.iter_bytes():
            held.add(piece)
            if time.perf_counter() > end:
                raise _Endless
    except TooLarge:
        raise _too_large(response, outgoing) from None
    return held.body()


async def _aread(response: httpx.Response, outgoing: Outgoing) -> bytes:
    if outgoing.file and is_file(response.status_code, response.headers):
        return await response.aread()
    held = Held()
    try:
        async for piece in response.aiter_bytes():
            held.add(piece)
    except TooLarge:
        raise _too_large(response, outgoing) from None
    return held.body()


def _too_large(response: httpx.Response, outgoing: Outgoing) -> ServerError:
    return ServerError(
        status=response.status_code,
        code="unreadable_answer",
        detail=f"{bare(outgoing.url)} answered with more than {LARGEST} bytes",
    )


def reason_in(failed: ExchangeFailure | AssentError) -> str:
    return failed.reason if isinstance(failed, ExchangeFailure) else str(failed).partition("\n")[0]


def no_turn(outgoing: Outgoing) -> NoFreeConnection:
    reason = "the one over which all waits of a client look at their states was in use all the time"
    return NoFreeConnection(url=bare(outgoing.url), reason=reason, limit=1)


class Driver(Runner):
    """Blocks on every step."""

    def __init__(
        self,
        connections: Connections,
        line: Line,
        *,
        say: Callable[[str], object],
        ambient: Ambient,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._connections, self._line, self._say, self._ambient, self._sleep = connections, line, say, ambient, sleep

    @property
    def last_response(self) -> HttpResponse | None:
        """What the service answered last, to this thread, over the connections of this client; None before, and after
        another client was answered."""
        return last_response(self._connections)

    def run(self, flow: Flow[T]) -> T:
        listeners: list[EventListener | SharedEventListener] = []
        leave: Leave | None = None
        try:
            step = advance(flow, None)
            while not isinstance(step, Done):
                assert not isinstance(step, Emit), "only a stream emits"
                leave = step if isinstance(step, Leave) else leave
                step = advance(flow, self._perform(step, listeners))
            return step.value
        except BaseException as error:
            if leave is not None and from_outside(error):
                with contextlib.suppress(AssentError):
                    self.run(leave.by(error))
            raise
        finally:
            _close(listeners)
            flow.close()

    def iterate(self, stream: Stream[T]) -> Iterator[T]:
        listeners: list[EventListener | SharedEventListener] = []
        try:
            step = advance(stream, None)
            while not isinstance(step, Done):
                if isinstance(step, Emit):
                    yield step.value
                    step = advance(stream, None)
                else:
                    step = advance(stream, self._perform(step, listeners))
        finally:
            _close(listeners)
            stream.close()

    def _perform(self, step: Step, listeners: list[EventListener | SharedEventListener]) -> object:
        match step:
            case Send():
                try:
                    return self.run(exchange(step, self._line, self._ambient))
                except AssentError as error:
                    return error.with_traceback(None)  # it is raised anew in the flow; its cause keeps its own
            case Transmit():
                if step.outgoing.in_turn_until is not None:
                    return self._in_turn(step.outgoing, step.outgoing.in_turn_until)
                return self._transmit(step.outgoing, step.consume, None if step.aside else self._connections)
            case Listen():
                _close(listeners)
                pool = self._connections.pool()
                shared = SharedStream.of(pool, self._line, self._ambient.clock, self._ambient.today)
                listener: EventListener | SharedEventListener = EventListener(pool, self._line, self._ambient.today)
                if step.about is not None:
                    listener = shared.listener(step.about)
                listeners.append(listener)
                return listener.open(build_stream(step, self._line))
            case Hear():
                (heard_by,) = listeners
                return heard_by.hear(step.deadline) if isinstance(heard_by, SharedEventListener) else heard_by.hear()
            case Sleep():
                self._sleep(step.seconds)
            case Say():
                self._say(step.text)
            case Blocking() | Consult():
                return step.work()
            case Leave():
                pass  # `run` keeps it for the end
        return None

    def _in_turn(self, outgoing: Outgoing, until: float) -> object:
        pool = self._connections.pool()
        turn = SharedStream.of(pool, self._line, self._ambient.clock, self._ambient.today).turn
        if not turn.acquire(timeout=min(max(0.0, until - self._ambient.clock()), threading.TIMEOUT_MAX)):
            return no_turn(outgoing)
        try:
            return self._transmit(outgoing, None, self._connections)
        finally:
            if not pool.inherited:
                turn.release()

    def _transmit(
        self, outgoing: Outgoing, consume: Consume[Any] | None, keeper: object | None
    ) -> Answer | Consumed | ExchangeFailure | AssentError:
        failed: ExchangeFailure | AssentError
        asked, began = fresh_id(), time.perf_counter()
        outer = ATTEMPT_END.set(began + _seconds(outgoing) + BEHIND)
        try:
            pool = self._connections.pool()
            with sending():
                response = pool.http.send(_request(pool.http, outgoing, asked), stream=True)
            seconds = time.perf_counter() - began
            try:
                pool.used(response)
                bound = is_bound(response, asked, outgoing, accept_unbound=self._line.accept_unbound)
                if outgoing.file and is_file(response.status_code, response.headers):
                    ATTEMPT_END.set(None)
                if bound and consume is not None and is_file(response.status_code, response.headers):
                    answered(keeper, outgoing, response, None, asked, seconds)
                    return Consumed(consumed(_own(response.iter_bytes(), pool), consume))
                body = _read(response, outgoing, began)
                answered(keeper, outgoing, response, body, asked, seconds)
                return Answer(response.status_code, dict(response.headers), body, bound)
            finally:
                # What was not read to its end takes its connection with it.
                if not pool.inherited:
                    response.close()
        except _Endless:
            failed = endless(outgoing)
        except httpx.RequestError as error:
            raised = raised_by_a_handler(error)
            if raised is not None:
                raise raised from None
            failed = failure(error, outgoing, self._line.max_connections)
        except AssentError as error:
            failed = error
        finally:
            ATTEMPT_END.reset(outer)
        unanswered(outgoing, reason_in(failed), asked, time.perf_counter() - began)
        return failed


def _close(listeners: list[EventListener | SharedEventListener]) -> None:
    while listeners:
        listeners.pop().close()


def _own(pieces: Iterator[bytes], pool: Pool[httpx.Client]) -> Iterator[bytes]:
    """A process that is forked while it reads leaves the rest to its parent."""
    for piece in pieces:
        yield piece
        if pool.inherited:
            raise httpx.ReadError("this process was forked while the answer arrived")


async def sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


async def _worked(step: Blocking[Any] | Consult) -> object:
    if isinstance(step, Blocking):
        return await asyncio.to_thread(step.work)
    found = step.work()
    return await found if inspect.isawaitable(found) else found


class AsyncDriver(AsyncRunner):
    """Awaits every step."""

    def __init__(
        self,
        connections: AsyncConnections,
        line: Line,
        *,
        say: Callable[[str], object],
        ambient: Ambient,
        sleep: Callable[[float], Awaitable[object]] = sleep,
    ) -> None:
        self._connections, self._line, self._say, self._ambient, self._sleep = connections, line, say, ambient, sleep

    @property
    def last_response(self) -> HttpResponse | None:
        """What the service answered last, to this task, over the connections of this client; None before, and after
        another client was answered."""
        return last_response(self._connections)

    async def run(self, flow: Flow[T]) -> T:
        listeners: list[AsyncEventListener | AsyncSharedEventListener] = []
        leave: Leave | None = None
        try:
            step = advance(flow, None)
            while not isinstance(step, Done):
                assert not isinstance(step, Emit), "only a stream emits"
                leave = step if isinstance(step, Leave) else leave
                step = advance(flow, await self._perform(step, listeners))
            return step.value
        except BaseException as error:
            if leave is not None and from_outside(error):
                leaving = functools.partial(leave.by, error)
                with contextlib.suppress(AssentError):
                    await carried_out(lambda: self.run(leaving()), stopped=error, again=True)
            raise
        finally:
            await _aclose(listeners)
            flow.close()

    async def iterate(self, stream: Stream[T]) -> AsyncIterator[T]:
        listeners: list[AsyncEventListener | AsyncSharedEventListener] = []
        try:
            step = advance(stream, None)
            while not isinstance(step, Done):
                if isinstance(step, Emit):
                    yield step.value
                    step = advance(stream, None)
                else:
                    step = advance(stream, await self._perform(step, listeners))
        finally:
            await _aclose(listeners)
            stream.close()

    async def _perform(self, step: Step, listeners: list[AsyncEventListener | AsyncSharedEventListener]) -> object:
        match step:
            case Send():
                try:
                    return await self.run(exchange(step, self._line, self._ambient))
                except AssentError as error:
                    return error.with_traceback(None)  # it is raised anew in the flow; its cause keeps its own
            case Transmit():
                if step.outgoing.in_turn_until is not None:
                    return await self._in_turn(step.outgoing, step.outgoing.in_turn_until)
                return await self._transmit(step.outgoing, step.consume, None if step.aside else self._connections)
            case Listen():
                await _aclose(listeners)
                pool = await self._connections.pool()
                shared = AsyncSharedStream.of(pool, self._line, self._ambient.clock, self._ambient.today)
                listener: AsyncEventListener | AsyncSharedEventListener = AsyncEventListener(
                    pool, self._line, self._ambient.today
                )
                if step.about is not None:
                    listener = shared.listener(step.about)
                listeners.append(listener)
                return await listener.open(build_stream(step, self._line))
            case Hear():
                (heard_by,) = listeners
                return await (
                    heard_by.hear(step.deadline) if isinstance(heard_by, AsyncSharedEventListener) else heard_by.hear()
                )
            case Sleep():
                await self._sleep(step.seconds)
            case Say():
                self._say(step.text)
            case Blocking() | Consult():
                return await _worked(step)
            case Leave():
                pass  # `run` keeps it for the end
        return None

    async def _in_turn(self, outgoing: Outgoing, until: float) -> object:
        pool = await self._connections.pool()
        turn = AsyncSharedStream.of(pool, self._line, self._ambient.clock, self._ambient.today).turn
        try:
            async with asyncio.timeout(max(0.0, until - self._ambient.clock())):
                await turn.acquire()
        except TimeoutError:
            return no_turn(outgoing)
        try:
            return await self._transmit(outgoing, None, self._connections)
        finally:
            turn.release()

    async def _transmit(
        self, outgoing: Outgoing, consume: Consume[Any] | None, keeper: object | None
    ) -> Answer | Consumed | ExchangeFailure | AssentError:
        failed: ExchangeFailure | AssentError
        asked, began = fresh_id(), time.perf_counter()
        try:
            pool = await self._connections.pool()
            async with asyncio.timeout(_seconds(outgoing) + BEHIND) as whole:
                with sending():
                    response = await pool.http.send(_request(pool.http, outgoing, asked), stream=True)
                seconds = time.perf_counter() - began
                try:
                    pool.used(response)
                    bound = is_bound(response, asked, outgoing, accept_unbound=self._line.accept_unbound)
                    if outgoing.file and is_file(response.status_code, response.headers):
                        whole.reschedule(None)
                        if bound and consume is not None:
                            answered(keeper, outgoing, response, None, asked, seconds)
                            return Consumed(await consumed_aside(response.aiter_bytes(), consume))
                    body = await _aread(response, outgoing)
                    answered(keeper, outgoing, response, body, asked, seconds)
                    return Answer(response.status_code, dict(response.headers), body, bound)
                finally:
                    if not pool.inherited:
                        await response.aclose()
        except TimeoutError:
            failed = endless(outgoing)
        except httpx.RequestError as error:
            failed = failure(error, outgoing, self._line.max_connections)
        except AssentError as error:
            failed = error
        unanswered(outgoing, reason_in(failed), asked, time.perf_counter() - began)
        return failed


async def _aclose(listeners: list[AsyncEventListener | AsyncSharedEventListener]) -> None:
    while listeners:
        await listeners.pop().close()


def _request(http: httpx.Client | httpx.AsyncClient, outgoing: Outgoing, asked: str) -> httpx.Request:
    headers = {**traced(outgoing.headers), REQUEST_ID: asked}
    timeout = httpx.Timeout(outgoing.timeout, read=outgoing.silence or outgoing.timeout)
    return http.build_request(outgoing.method, outgoing.url, headers=headers, content=outgoing.body, timeout=timeout)
