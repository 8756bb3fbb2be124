"""Blocking connections whose reads end with the attempt that they are of, and that nobody closes under a request.

httpx bounds each read by itself, so that a head of which a byte comes now and then is read without end. Here each read
has what is left of the attempt at most. It takes a stream of our own below httpx, which has no door for it, and so a
transport of our own over httpcore. What httpx brings for proxies stays as it is, and only bodies are bounded there.

httpcore's pool decides in one thread that a connection rests (and has done so too long, or is one too many), and closes
it a moment later, when another thread may have begun a request on it, which then fails with a bad file descriptor. So a
stream that is closed by somebody else while a request is under way is closed with its answer, and a request that begins
on a closed one goes over another connection.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import getproxies

import httpcore
import httpx

from assent.client.connections import ATTEMPT_END, Network


def transport_of(network: Network) -> Any:
    """What is httpx's `transport` for this network; None is httpx's own."""
    proxied = network.proxy is not None or (network.trust_env and getproxies().keys() & {"http", "https", "all"})
    return network.transport if network.transport is not None or proxied else _Transport(network)


class _Transport(httpx.BaseTransport):
    """A pool of httpcore's, as httpx takes one."""

    def __init__(self, network: Network) -> None:
        limits = network.limits
        self._backend = _Backend()
        self._connections = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(verify=network.verify, trust_env=network.trust_env),
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            network_backend=self._backend,
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        asked = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _errors_of_httpx():
            answer = self._connections.handle_request(asked)
        assert isinstance(answer.stream, Iterable)
        body = _Body(answer.stream, answer.extensions.get("network_stream"))
        return httpx.Response(answer.status, headers=answer.headers, stream=body, extensions=answer.extensions)

    def close(self) -> None:
        self._backend.closed = True
        self._connections.close()


class _Body(httpx.SyncByteStream):
    """`over` is the connection that it comes over."""

    def __init__(self, stream: Iterable[bytes], over: object) -> None:
        self._stream, self._over = stream, over

    def __iter__(self) -> Iterator[bytes]:
        with _errors_of_httpx():
            yield from self._stream

    def close(self) -> None:
        if isinstance(self._over, _Stream):
            self._over.answered()
        close = getattr(self._stream, "close", None)
        if close is not None:
            close()


@contextmanager
def _errors_of_httpx() -> Generator[None]:
    """Those of httpcore have the same names."""
    try:
        yield
    except _ERRORS as error:
        raised: type[httpx.TransportError] = getattr(httpx, type(error).__name__, httpx.TransportError)
        raise raised(str(error)) from error


_ERRORS = (
    *(httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError),
    *(httpcore.ProxyError, httpcore.UnsupportedProtocol, httpcore.ConnectionNotAvailable),
)


class _Backend(httpcore.NetworkBackend):
    """`closed`: the whole pool is, whatever is under way."""

    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()
        self.closed = False

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.connect_tcp(host, port, timeout, local_address, socket_options), self)

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, backend: _Backend) -> None:
        self._inner, self._backend = inner, backend
        self._lock = threading.Lock()
        self._asked_by: int | None = None
        """The thread whose request is under way."""
        self._closed = False

    def answered(self) -> None:
        """The request that was under way is not any more."""
        with self._lock:
            self._asked_by = None
            closed = self._closed
        if closed:
            self._inner.close()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        end = ATTEMPT_END.get()
        if end is None:
            return self._inner.read(max_bytes, timeout)
        left = end - time.perf_counter()
        if left <= 0:
            raise httpcore.ReadTimeout("the attempt is over")
        return self._inner.read(max_bytes, left if timeout is None else min(timeout, left))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with self._lock:
            if self._asked_by is None:
                if self._closed:
                    raise httpcore.ConnectionNotAvailable
                self._asked_by = threading.get_ident()
        self._inner.write(buffer, timeout)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._asked_by not in (None, threading.get_ident()) and not self._backend.closed:
                return
        self._inner.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, timeout), self._backend)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
