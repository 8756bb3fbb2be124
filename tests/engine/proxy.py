"""A TCP proxy in front of a server, whose link can be broken where a test wants it: cut, delayed, or half open."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from threading import Event as Flag
from threading import Lock, Thread
from typing import Self

RESET = b"\1\0\0\0\0\0\0\0"
"""SO_LINGER, so that closing resets the connection."""


class Proxy:
    """Listens on 127.0.0.1 at `port` and passes on to `target`. An answer that is to be cut is swallowed, and the
    client's connection is reset. `cut` counts them. `delay` are the seconds that everything takes longer. On a link on
    which somebody asks what `swallows` is in, nothing is passed on from then on."""

    def __init__(self, target: int) -> None:
        self.target = target
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = int(self._listener.getsockname()[1])
        self._lock = Lock()
        self._armed_with: bytes | None = None
        self._armed = 0
        self.cut = 0
        self.delay = 0.0
        self.swallows: bytes | None = None
        self._passes_up, self._passes_down = Flag(), Flag()
        self.release()
        self._open: set[socket.socket] = set()
        Thread(target=self._accept, daemon=True).start()

    def cut_answers(self, times: int, to: bytes) -> None:
        """Cut the next answers to what holds the bytes `to`."""
        with self._lock:
            self._armed, self._armed_with = times, to

    def cut_all(self) -> None:
        """Reset every connection at both ends."""
        with self._lock:
            now = list(self._open)
        for each in now:
            with suppress(OSError):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def hold(self, *, up: bool = True, down: bool = True) -> None:
        """Pass nothing on, to the server or from it, and let nobody notice, until `release`."""
        if up:
            self._passes_up.clear()
        if down:
            self._passes_down.clear()

    def release(self) -> None:
        """Pass on what was held, too."""
        self._passes_up.set()
        self._passes_down.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._listener.close()
        self.release()
        with self._lock:
            now = list(self._open)
        for each in now:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            with suppress(OSError):
                each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", self.target))
                except OSError:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                    client.close()
                    continue
                for each in (client, server):
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self._lock:
                    self._open |= {client, server}
                _Link(self, client, server)

    def takes(self, sent: bytes) -> bool:
        """Whether the answer to these bytes is to be cut."""
        with self._lock:
            if self._armed and self._armed_with is not None and self._armed_with in sent:
                self._armed -= 1
                return True
            return False

    def wait(self, *, up: bool) -> None:
        """Until what was just read may go on."""
        if self.delay:
            time.sleep(self.delay)
        (self._passes_up if up else self._passes_down).wait()

    def forget(self, *ended: socket.socket) -> None:
        with self._lock:
            self._open -= set(ended)


class _Link:
    """One connection through the proxy."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._cutting = False
        Thread(target=self._up, daemon=True).start()
        Thread(target=self._down, daemon=True).start()

    def _up(self) -> None:
        swallowing = False
        with suppress(OSError):
            while data := self._client.recv(1 << 16):
                swallowing |= self._proxy.swallows is not None and self._proxy.swallows in data
                if swallowing:
                    continue
                self._proxy.wait(up=True)
                self._cutting = self._cutting or self._proxy.takes(data)
                self._server.sendall(data)
        self._end()

    def _down(self) -> None:
        with suppress(OSError):
            while data := self._server.recv(1 << 16):
                self._proxy.wait(up=False)
                if self._cutting:
                    self._proxy.cut += 1
                    self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                    break
                self._client.sendall(data)
        self._end()

    def _end(self) -> None:
        for each in (self._client, self._server):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            with suppress(OSError):
                each.close()
        self._proxy.forget(self._client, self._server)
