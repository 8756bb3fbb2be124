"""Blocking connections whose reads end with the attempt that they are of.

httpx bounds each read by itself, so that a head of which a byte comes now and then is read without end. Here each read
has what is left of the attempt at most. It takes a stream of our own below httpx, which has no door for it, and so a
transport of our own over httpcore. What httpx brings for proxies stays as it is, and only bodies are bounded there.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
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
        self._connections = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(verify=network.verify, trust_env=network.trust_env),
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            network_backend=_Backend(),
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
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(answer.stream), extensions=answer.extensions
        )

    def close(self) -> None:
        self._connections.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Iterable[bytes]) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        with _errors_of_httpx():
            yield from self._stream

    def close(self) -> None:
        close = getattr(self._stream, "close", None)
        if close is not None:
            close()


@contextmanager
def _errors_of_httpx() -> Iterator[None]:
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
    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.connect_tcp(host, port, timeout, local_address, socket_options))

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        end = ATTEMPT_END.get()
        if end is None:
            return self._inner.read(max_bytes, timeout)
        left = end - time.perf_counter()
        if left <= 0:
            raise httpcore.ReadTimeout("the attempt is over")
        return self._inner.read(max_bytes, left if timeout is None else min(timeout, left))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
