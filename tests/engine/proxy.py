"""A TCP proxy in front of a server, whose link can be cut where a test wants it."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock, Thread
from typing import Self


class Proxy:
    """Listens on 127.0.0.1 at `port` and passes on to `target`. An answer that is to be cut is swallowed, and the
    client's connection is reset. `cut` counts them."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._lock = Lock()
        self._armed_with: bytes | None = None
        self._armed = 0
        self.cut = 0
        self._open: list[socket.socket] = []
        Thread(target=self._accept, daemon=True).start()

    def cut_answers(self, times: int, to: bytes) -> None:
        """Cut the next answers to what holds the bytes `to`."""
        with self._lock:
            self._armed, self._armed_with = times, to

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        for each in self._open:
            with suppress(OSError):
                each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                self._open += [client, server]
                _Link(self, client, server)

    def takes(self, sent: bytes) -> bool:
        """Whether the answer to these bytes is to be cut."""
        with self._lock:
            if self._armed and self._armed_with is not None and self._armed_with in sent:
                self._armed -= 1
                return True
            return False


class _Link:
    """One connection through the proxy."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._cutting = False
        Thread(target=self._up, daemon=True).start()
        Thread(target=self._down, daemon=True).start()

    def _up(self) -> None:
        with suppress(OSError):
            while data := self._client.recv(1 << 16):
                self._cutting = self._cutting or self._proxy.takes(data)
                self._server.sendall(data)
        self._end()

    def _down(self) -> None:
        with suppress(OSError):
            while data := self._server.recv(1 << 16):
                if self._cutting:
                    self._proxy.cut += 1
                    # So that closing resets the connection.
                    self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                    break
                self._client.sendall(data)
        self._end()

    def _end(self) -> None:
        for each in (self._client, self._server):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            with suppress(OSError):
                each.close()
