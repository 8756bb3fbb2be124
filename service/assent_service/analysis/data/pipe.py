"""The bounded way from the thread that makes an answer to the loop that sends it.

The thread waits while as much is on the way as the pipe holds, so a slow reader costs a known amount of memory. Either
side may end it: the thread when it has written everything or has failed, the others by cutting it, which the thread
learns from its next write, even while it waits in one.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import suppress

from assent_service.core.stream import Interrupted


class Pipe:
    """`most_bytes` may be on the way before a write waits. Made on the loop that reads it."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self.over = asyncio.Event()
        """Set on the loop once the pipe is cut."""
        self._gate = threading.Condition()
        self._pieces: deque[bytes] = deque()
        self._bytes = 0
        self._ended = False
        self._error: BaseException | None = None
        self._cut: str | None = None

    def write(self, piece: bytes) -> None:
        """For the thread. Waits for room; raises Interrupted once the pipe is cut."""
        with self._gate:
            while self._bytes >= self._most_bytes and self._cut is None:
                self._gate.wait()
            if self._cut is not None:
                raise Interrupted(self._cut)
            self._pieces.append(piece)
            self._bytes += len(piece)
        self._wake(self._news)

    def end(self, error: BaseException | None = None) -> None:
        """For the thread: everything was written, or nothing more comes because of `error`."""
        with self._gate:
            self._ended, self._error = True, error
        self._wake(self._news)

    def cut(self, why: str) -> None:
        """For anybody, in any thread: nobody reads any more. The first reason counts."""
        with self._gate:
            if self._cut is None:
                self._cut = why
            self._pieces.clear()
            self._gate.notify_all()
        self._wake(self.over)
        self._wake(self._news)

    async def take(self) -> bytes | None:
        """The next piece, None after the last. Raises the thread's error, and Interrupted once the pipe is cut."""
        while True:
            with self._gate:
                if self._cut is not None:
                    raise Interrupted(self._cut)
                if self._pieces:
                    piece = self._pieces.popleft()
                    self._bytes -= len(piece)
                    self._gate.notify_all()
                    return piece
                if self._ended:
                    if self._error is not None:
                        raise self._error
                    return None
                self._news.clear()
            await self._news.wait()

    def _wake(self, event: asyncio.Event) -> None:
        # A loop that is closed has nobody left who waits.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(event.set)
