"""The proxy's way to the service, which stands between a model and each of its calls.

A service that is reached over plain http is asked over connections that are kept, each request in one write, without
what httpx brings for the rest of the world; that one is used for TLS, behind a proxy of the environment's, and for
streams of events.

What is only reported steps back: a request that is made for a call whose answer the host has (`ANSWERED`) begins once
no other call has been on its way for QUIET seconds, and at the latest after LONGEST. One follows another, in the order
in which they came.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from urllib.request import getproxies

import h11
import httpx

from assent.client.connections import MAX_CONNECTIONS, trust
from assent.client.incoming import LARGEST
from assent.contract.events import STREAM

ANSWERED: ContextVar[bool] = ContextVar("assent_mcp_answered", default=False)
QUIET, LONGEST = 0.003, 0.25
IDLE = 30.0
"""Seconds after which a connection that nobody used is not used again."""


class Turns:
    """Which calls are on their way, and who steps back for them."""

    def __init__(self) -> None:
        self._under_way: set[object] = set()
        self._last = 0.0
        self._nobody = asyncio.Event()
        self._nobody.set()
        self._behind = asyncio.Lock()

    def begin(self, call: object) -> None:
        """A call is on its way."""
        self._under_way.add(call)
        self._nobody.clear()

    def end(self, call: object) -> None:
        """Its host has the answer, or gets none. Saying it again changes nothing."""
        if call in self._under_way:
            self._under_way.discard(call)
            self._last = asyncio.get_running_loop().time()
            if not self._under_way:
                self._nobody.set()

    async def step_back(self) -> None:
        """For who only reports."""
        clock = asyncio.get_running_loop().time
        until = clock() + LONGEST
        async with self._behind:
            while clock() < until:
                if self._under_way:
                    try:
                        async with asyncio.timeout_at(until):
                            await self._nobody.wait()
                    except TimeoutError:
                        return
                left = self._last + QUIET - clock()
                if left <= 0:
                    return
                await asyncio.sleep(left)


class ServiceTransport(httpx.AsyncBaseTransport):
    """To one service over plain http."""

    def __init__(self, base_url: str, turns: Turns) -> None:
        self._turns = turns
        self._base_url = base_url
        self._idle: list[_Connection] = []
        self._free = asyncio.Semaphore(MAX_CONNECTIONS)
        self._streams: httpx.AsyncHTTPTransport | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if ANSWERED.get():
            await self._turns.step_back()
        if request.headers.get("accept") == STREAM.content:
            if self._streams is None:
                self._streams = httpx.AsyncHTTPTransport(verify=trust(None, self._base_url), trust_env=False)
            return await self._streams.handle_async_request(request)
        seconds = request.extensions.get("timeout", {})
        try:
            async with asyncio.timeout(seconds.get("pool")):
                await self._free.acquire()
        except TimeoutError:
            raise httpx.PoolTimeout("all connections are in use", request=request) from None
        try:
            connection = self._kept() or await _connected(request, seconds.get("connect"))
            try:
                async with asyncio.timeout(seconds.get("read")):
                    response = await connection.ask(request)
            except TimeoutError:
                connection.close()
                raise httpx.ReadTimeout("no whole answer in time", request=request) from None
            except BaseException:
                connection.close()
                raise
            if connection.reusable:
                self._idle.append(connection)
            else:
                connection.close()
            return response
        finally:
            self._free.release()

    def _kept(self) -> _Connection | None:
        """One that is still good. The others are closed."""
        while self._idle:
            connection = self._idle.pop()
            if connection.reusable and connection.idle < IDLE:
                return connection
            connection.close()
        return None

    async def aclose(self) -> None:
        while self._idle:
            self._idle.pop().close()
        if self._streams is not None:
            await self._streams.aclose()


class _Connection(asyncio.Protocol):
    """One request after another. What comes unasked ends it, so that it is nobody's answer."""

    def __init__(self) -> None:
        self._http = h11.Connection(h11.CLIENT)
        self._transport: asyncio.Transport | None = None
        self._news: asyncio.Future[None] | None = None
        self._asked = self._ended = False
        self._failure: Exception | None = None
        self._used = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if not self._asked:
            return self.close()
        self._http.receive_data(data)
        self._tell()

    def eof_received(self) -> None:
        self._end(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(exc)

    def _end(self, failure: Exception | None) -> None:
        if not self._ended:
            self._ended, self._failure = True, failure
            if failure is None:
                self._http.receive_data(b"")
        self._tell()

    def _tell(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    @property
    def reusable(self) -> bool:
        return not self._ended and not self._asked

    @property
    def idle(self) -> float:
        """Seconds since it was used."""
        return asyncio.get_running_loop().time() - self._used

    def close(self) -> None:
        self._ended = True
        if self._transport is not None:
            self._transport.abort()

    async def ask(self, request: httpx.Request) -> httpx.Response:
        """The whole answer. Raises as httpx does; one of more than LARGEST bytes is cut after so many, for the client
        to refuse."""
        assert self._transport is not None
        body = await request.aread()
        self._asked = True
        try:
            said = self._http.send(
                h11.Request(method=request.method, target=request.url.raw_path, headers=request.headers.raw)
            )
            said = (said or b"") + (self._http.send(h11.Data(data=body)) or b"" if body else b"")
            said += self._http.send(h11.EndOfMessage()) or b""
        except h11.LocalProtocolError as error:
            raise httpx.LocalProtocolError(str(error), request=request) from None
        self._transport.write(said)
        parts, size = list[bytes](), 0
        head: h11.Response | None = None
        while True:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                raise httpx.RemoteProtocolError(str(error), request=request) from None
            if event is h11.NEED_DATA:
                await self._heard(request)
            elif isinstance(event, h11.Response):
                head = event
            elif isinstance(event, h11.Data):
                parts.append(bytes(event.data))
                size += len(parts[-1])
                if size > LARGEST:
                    break
            elif isinstance(event, h11.EndOfMessage):
                break
            elif not isinstance(event, h11.InformationalResponse):
                raise httpx.RemoteProtocolError("the service ended the connection without an answer", request=request)
        assert head is not None
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE and not self._http.trailing_data[0]:
            self._http.start_next_cycle()
            self._asked, self._used = False, asyncio.get_running_loop().time()
        return httpx.Response(
            head.status_code,
            headers=head.headers.raw_items(),
            stream=httpx.ByteStream(b"".join(parts)),
            request=request,
        )

    async def _heard(self, request: httpx.Request) -> None:
        """Something has come since, or the end."""
        if self._failure is not None or self._ended:
            raise httpx.ReadError(str(self._failure or "the connection was closed"), request=request)
        self._news = asyncio.get_running_loop().create_future()
        await self._news


async def _connected(request: httpx.Request, seconds: float | None) -> _Connection:
    loop, url = asyncio.get_running_loop(), request.url
    try:
        async with asyncio.timeout(seconds):
            _, connection = await loop.create_connection(_Connection, url.host, url.port or 80)
    except TimeoutError:
        raise httpx.ConnectTimeout("no connection in time", request=request) from None
    except OSError as error:
        raise httpx.ConnectError(str(error), request=request) from None
    return connection


def http_client(base_url: str, turns: Turns) -> httpx.AsyncClient | None:
    """None where it takes all of httpx to get there."""
    if not base_url.startswith("http://") or getproxies().keys() & {"http", "all"}:
        return None
    return httpx.AsyncClient(transport=ServiceTransport(base_url, turns))
