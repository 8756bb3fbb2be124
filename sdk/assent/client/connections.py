"""The connections of one client, which belong to the process, and awaiting ones to the event loop, that opened them.

A forked process has its parent's connections too. Whatever it did with them would be done to its parent: a request
would be answered to either, a polite end (TLS close_notify, or a change to the set that an event loop watches) would
end what the parent still uses. So it opens its own and leaves the inherited alone: they are not used, not closed, and
not dropped, since to drop them would close them. Nothing here waits for a lock that another thread may have held in
the moment of the fork: who forks waits until no thread is opening connections, which may hold locks of OpenSSL and of
modules that are being imported, and what only speaks plain http has no TLS at all.

The connections of an event loop are closed together with the loop's asynchronous generators, which is what
`asyncio.run` ends with: they are held by one.

An http client that was handed in belongs to where a request first went through it, unless it has no connections at
all: one that runs the application itself, or plays one.
"""

from __future__ import annotations

import codecs
import os
import threading
from collections.abc import AsyncGenerator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from assent.client.on_demand import asyncio, httpx, ssl
from assent.errors import InheritedConnections

MAX_CONNECTIONS = 100
LIMIT = "max_connections"
"""What the limit is called, in this client and in httpx.Limits."""
MAX_IDLE = 20

ATTEMPT_END: ContextVar[float | None] = ContextVar("assent_attempt_end", default=None)
"""When the attempt that is under way here ends, by the performance counter; None for what has no end."""

H = TypeVar("H", bound="httpx.Client | httpx.AsyncClient")

Process = tuple[int, int]
"""How often this process and its forebears were forked since the start, and its id. The count tells processes apart
whose ids are the same: of other namespaces, or used again. The id tells those that were forked behind Python's back."""


class Pool(Generic[H]):
    """The connections of one process, or of one loop in it. `real` once an answer has come over one; `beside` is what
    else belongs to them."""

    def __init__(self, http: H, process: Process) -> None:
        self.http, self.process = http, process
        self.real = False
        self.beside: dict[str, object] = {}
        self.keeper: AsyncGenerator[None] | None = None
        _ALIVE.add(self)

    @property
    def inherited(self) -> bool:
        """Whether it belongs to the process that this one was forked from."""
        return self.process != this_process()

    def used(self, response: httpx.Response) -> None:
        """Note whether answers come over connections."""
        self.real = self.real or "network_stream" in response.extensions


_forks = 0
_ALIVE: WeakSet[object] = WeakSet()
_INHERITED: list[object] = []
_opening = threading.RLock()
"""Held while connections are made ready, and by who forks."""
_OF_HOSTS = "idna"
"""The codec by which names of hosts are looked up: imported when it is first asked for, which is made part of opening.
A forked process would wait without end for another thread's import."""


def _before_fork() -> None:
    _opening.acquire()


def _after_fork_in_parent() -> None:
    _opening.release()


def _after_fork() -> None:
    """In the forked process."""
    global _forks, _opening
    _opening = threading.RLock()
    _forks += 1
    _INHERITED.extend(_ALIVE)
    _ALIVE.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork)


def this_process() -> Process:
    return (_forks, os.getpid())


def limits(max_connections: int) -> httpx.Limits:
    """Raises ValueError."""
    if max_connections < 1:
        raise ValueError(f"{LIMIT} is {max_connections!r}; give 1 or more")
    return httpx.Limits(max_connections=max_connections, max_keepalive_connections=min(MAX_IDLE, max_connections))


def trust(certificates: str | os.PathLike[str] | ssl.SSLContext | None, base_url: str) -> Any:
    """What httpx takes as `verify`. `certificates` are a file or a folder of authorities that are trusted instead of
    the usual ones, or a context of the caller's, such as one with a certificate of its own. Reading the authorities
    takes longer than a request; without them there is no TLS before a connection asks for it, which none does that goes
    to plain http. Raises ValueError for what holds no certificates."""
    if isinstance(certificates, ssl.SSLContext):
        return certificates
    if certificates is not None:
        place = Path(certificates)
        try:
            with _opening:
                if place.is_dir():
                    return ssl.create_default_context(capath=str(place))
                return ssl.create_default_context(cafile=str(place))
        except OSError as error:  # of which those of OpenSSL are
            raise ValueError(f"certificates is {str(place)!r}, which cannot be read as such: {error}") from None
    return None if base_url.startswith("http://") else True


@dataclass(frozen=True, kw_only=True)
class Network:
    """How connections are made: `verify` as of `trust`, `proxy` an address that all of them go through. With
    `trust_env` the variables count that say so for every program (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE). `transport`
    answers in this process, without any connection."""

    limits: httpx.Limits
    verify: Any
    transport: Any = None
    proxy: httpx.Proxy | None = None
    trust_env: bool = True


_in_process: dict[str, httpx.BaseTransport] = {}


def serve_in_process(base_url: str, transport: httpx.BaseTransport | None) -> None:
    """Clients of this address that are made from now on are answered by `transport` (which answers awaiting ones, too)
    in this process; None ends that."""
    if transport is None:
        _in_process.pop(base_url, None)
    else:
        _in_process[base_url] = transport


def in_process(base_url: str) -> httpx.BaseTransport | None:
    return _in_process.get(base_url)


def proxied(address: str | httpx.Proxy | None) -> httpx.Proxy | None:
    """Raises ValueError for no address of a proxy; a password in it is not shown."""
    if address is None or isinstance(address, httpx.Proxy):
        return address
    try:
        return httpx.Proxy(address)
    except (ValueError, httpx.InvalidURL):
        raise ValueError("proxy is no address; give http, https or socks5, a host and a port") from None


class Connections:
    """Of a blocking client: a pool for each process."""

    def __init__(self, given: httpx.Client | None, network: Network) -> None:
        self._given, self._network = given, network
        self._pools: dict[Process, Pool[httpx.Client]] = {}
        self._closed = False

    def pool(self) -> Pool[httpx.Client]:
        """That of this process. Raises InheritedConnections."""
        return self._pools.get(this_process()) or self._open(this_process())

    def close(self) -> None:
        """Close this process's, unless they were handed in."""
        self._closed = True
        pool = self._pools.get(this_process())
        if pool is not None and self._given is None:
            pool.http.close()

    def _open(self, process: Process) -> Pool[httpx.Client]:
        if self._given is not None:
            if any(pool.real for pool in self._pools.values()):
                raise InheritedConnections(kind="httpx.Client", where="process")
            return self._pools.setdefault(process, Pool(self._given, process))
        with _opening:
            # Threads may come here at once: the first one's stands.
            if process not in self._pools:
                from assent.client.bounded import transport_of

                codecs.lookup(_OF_HOSTS)
                how = {**vars(self._network), "transport": transport_of(self._network)}
                self._pools[process] = Pool(httpx.Client(**how), process)
            pool = self._pools[process]
        if self._closed:
            pool.http.close()
        return pool


class AsyncConnections:
    """Of an awaiting client: a pool for each event loop."""

    def __init__(self, given: httpx.AsyncClient | None, network: Network) -> None:
        self._given, self._network = given, network
        self._pools: dict[asyncio.AbstractEventLoop, Pool[httpx.AsyncClient]] = {}
        self._closed = False

    async def pool(self) -> Pool[httpx.AsyncClient]:
        """That of the running loop. Raises InheritedConnections."""
        loop = asyncio.get_running_loop()
        pool = self._pools.get(loop)
        return await self._open(loop) if pool is None or pool.inherited else pool

    async def close(self) -> None:
        """Close the running loop's, unless they were handed in."""
        self._closed = True
        pool = self._pools.get(asyncio.get_running_loop())
        if pool is not None and self._given is None and not pool.inherited:
            await pool.http.aclose()

    async def _open(self, loop: asyncio.AbstractEventLoop) -> Pool[httpx.AsyncClient]:
        others = list(self._pools.items())
        if self._given is not None and any(pool.real for _, pool in others):
            raise InheritedConnections(
                kind="httpx.AsyncClient", where="process" if others[0][1].inherited else "event loop"
            )
        for other, pool in others:
            if pool.inherited or other.is_closed():
                self._pools.pop(other, None)
        if self._given is not None:
            return self._pools.setdefault(loop, Pool(self._given, this_process()))
        with _opening:
            codecs.lookup(_OF_HOSTS)
            http = httpx.AsyncClient(**vars(self._network))
        pool = self._pools[loop] = Pool(http, this_process())
        if self._closed:
            await pool.http.aclose()
        else:
            pool.keeper = _open_while_running(pool)
            await anext(pool.keeper)
        return pool


async def _open_while_running(pool: Pool[httpx.AsyncClient]) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        if not pool.inherited:
            await pool.http.aclose()
