"""The two drivers: they perform an operation's steps, one blocking, the other awaiting, and decide nothing."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, TypeVar

import httpx

from assent.client.ambient import Ambient
from assent.client.answer import is_file
from assent.client.ear import AsyncEar, Ear, reason_of
from assent.client.flow import (
    Answer,
    Consume,
    Consumed,
    Done,
    Emit,
    Failure,
    Flow,
    Hear,
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
from assent.client.incoming import consumed, consumed_aside
from assent.client.operation import AsyncRunner, Runner
from assent.client.propagation import traced
from assent.client.request import Line, build_stream
from assent.client.retry import exchange
from assent.errors import AssentError

T = TypeVar("T")


def failure(error: httpx.RequestError, outgoing: Outgoing) -> Failure:
    """What a transport error means. Only a connection that never came about proves that nothing arrived."""
    uncertain = outgoing.method != "GET" and not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return Failure(f"no connection within {outgoing.timeout:g} s", uncertain=False)
    if isinstance(error, httpx.TimeoutException):
        return Failure(f"no answer within {outgoing.timeout:g} s", uncertain)
    return Failure(reason_of(error), uncertain)


class Driver(Runner):
    """Blocks on every step."""

    def __init__(
        self,
        http: httpx.Client,
        line: Line,
        *,
        say: Callable[[str], object],
        ambient: Ambient,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._http, self._line, self._say, self._ambient, self._sleep = http, line, say, ambient, sleep

    def run(self, flow: Flow[T]) -> T:
        ear = Ear(self._http, self._ambient.clock, self._ambient.today)
        try:
            step = advance(flow, None)
            while not isinstance(step, Done):
                assert not isinstance(step, Emit), "only a stream emits"
                step = advance(flow, self._perform(step, ear))
            return step.value
        finally:
            ear.close()
            flow.close()

    def iterate(self, stream: Stream[T]) -> Iterator[T]:
        ear = Ear(self._http, self._ambient.clock, self._ambient.today)
        try:
            step = advance(stream, None)
            while not isinstance(step, Done):
                if isinstance(step, Emit):
                    yield step.value
                    step = advance(stream, None)
                else:
                    step = advance(stream, self._perform(step, ear))
        finally:
            ear.close()
            stream.close()

    def _perform(self, step: Step, ear: Ear) -> object:
        match step:
            case Send():
                try:
                    return self.run(exchange(step, self._line, self._ambient))
                except AssentError as error:
                    return error
            case Transmit():
                if step.consume is not None:
                    return self._consume(step.outgoing, step.consume)
                return self._transmit(step.outgoing)
            case Listen():
                return ear.open(build_stream(step, self._line))
            case Hear():
                return ear.hear(step.deadline)
            case Sleep():
                self._sleep(step.seconds)
            case Say():
                self._say(step.text)
        return None

    def _transmit(self, outgoing: Outgoing) -> Answer | Failure:
        try:
            response = self._http.send(_request(self._http, outgoing))
        except httpx.RequestError as error:
            return failure(error, outgoing)
        return _answer(response)

    def _consume(self, outgoing: Outgoing, consume: Consume[Any]) -> Answer | Consumed | Failure | AssentError:
        try:
            with contextlib.closing(self._http.send(_request(self._http, outgoing), stream=True)) as response:
                if is_file(response.status_code, response.headers):
                    return Consumed(consumed(response.iter_bytes(), consume))
                response.read()
        except httpx.RequestError as error:
            return failure(error, outgoing)
        except AssentError as error:
            return error
        return _answer(response)


class AsyncDriver(AsyncRunner):
    """Awaits every step."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        line: Line,
        *,
        say: Callable[[str], object],
        ambient: Ambient,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._http, self._line, self._say, self._ambient, self._sleep = http, line, say, ambient, sleep

    async def run(self, flow: Flow[T]) -> T:
        ear = AsyncEar(self._http, self._ambient.clock, self._ambient.today)
        try:
            step = advance(flow, None)
            while not isinstance(step, Done):
                assert not isinstance(step, Emit), "only a stream emits"
                step = advance(flow, await self._perform(step, ear))
            return step.value
        finally:
            await ear.close()
            flow.close()

    async def iterate(self, stream: Stream[T]) -> AsyncIterator[T]:
        ear = AsyncEar(self._http, self._ambient.clock, self._ambient.today)
        try:
            step = advance(stream, None)
            while not isinstance(step, Done):
                if isinstance(step, Emit):
                    yield step.value
                    step = advance(stream, None)
                else:
                    step = advance(stream, await self._perform(step, ear))
        finally:
            await ear.close()
            stream.close()

    async def _perform(self, step: Step, ear: AsyncEar) -> object:
        match step:
            case Send():
                try:
                    return await self.run(exchange(step, self._line, self._ambient))
                except AssentError as error:
                    return error
            case Transmit():
                if step.consume is not None:
                    return await self._consume(step.outgoing, step.consume)
                return await self._transmit(step.outgoing)
            case Listen():
                return await ear.open(build_stream(step, self._line))
            case Hear():
                return await ear.hear(step.deadline)
            case Sleep():
                await self._sleep(step.seconds)
            case Say():
                self._say(step.text)
        return None

    async def _transmit(self, outgoing: Outgoing) -> Answer | Failure:
        try:
            response = await self._http.send(_request(self._http, outgoing))
        except httpx.RequestError as error:
            return failure(error, outgoing)
        return _answer(response)

    async def _consume(self, outgoing: Outgoing, consume: Consume[Any]) -> Answer | Consumed | Failure | AssentError:
        try:
            response = await self._http.send(_request(self._http, outgoing), stream=True)
            async with contextlib.aclosing(response):
                if is_file(response.status_code, response.headers):
                    return Consumed(await consumed_aside(response.aiter_bytes(), consume))
                await response.aread()
        except httpx.RequestError as error:
            return failure(error, outgoing)
        except AssentError as error:
            return error
        return _answer(response)


def _answer(response: httpx.Response) -> Answer:
    """The response has been read whole."""
    return Answer(response.status_code, dict(response.headers), response.content)


def _request(http: Any, outgoing: Outgoing) -> httpx.Request:
    request: httpx.Request = http.build_request(
        outgoing.method, outgoing.url, headers=traced(outgoing.headers), content=outgoing.body, timeout=outgoing.timeout
    )
    return request
