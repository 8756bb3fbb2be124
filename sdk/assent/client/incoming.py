"""A body that is read while it arrives.

What reads it asks for so many bytes and blocks until they are there. With the blocking client it takes the pieces
from the connection itself; with the awaiting one it works in a thread of its own, and the loop hands the pieces over,
a bounded number at a time.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from assent.client.on_demand import asyncio

AT_HAND = 64
"""Pieces handed over and not yet taken. httpx gives at most 64 KB in a piece: 4 MB."""
LARGEST = 64 * 2**20
"""Bytes of an answer that is no file."""


class TooLarge(Exception):
    """The answer has more bytes than that."""


class Held:
    """A body that is held as a whole, of LARGEST bytes at most."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> None:
        """Raises TooLarge."""
        self._size += len(piece)
        if self._size > LARGEST:
            raise TooLarge
        self._parts.append(piece)

    def body(self) -> bytes:
        return b"".join(self._parts)


class Incoming:
    """A file for one who knows how much is to come. Errors of the connection are raised as they are."""

    closed = False

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")

    def read(self, size: int, /) -> bytes:
        """Exactly `size` bytes. Raises EOFError where the body ends before: a format that marks its end, and whose
        reader takes the end of a file for that mark too, is not cut short unnoticed."""
        parts: list[memoryview] = []
        missing = size
        while missing > 0:
            if not self._left:
                piece = next(self._pieces, None)
                if piece is None:
                    raise EOFError(f"it ends {missing} bytes too early")
                self._left = memoryview(piece)
            parts.append(self._left[:missing])
            self._left = self._left[missing:]
            missing -= len(parts[-1])
        return b"".join(parts)


def consumed(pieces: Iterator[bytes], consume: Callable[[Incoming], Any]) -> Any:
    """What `consume` makes of the body, once the connection has confirmed that the body ended where it should."""
    value = consume(Incoming(pieces))
    for _ in pieces:
        pass
    return value


class _Abandoned(Exception):
    """The loop has given up; the thread that reads has nothing to wait for any more."""


class _Handover:
    """From the loop to one thread: `put` awaits room, iterating blocks."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._room = asyncio.Semaphore(AT_HAND)
        self._queue: SimpleQueue[bytes | Exception | None] = SimpleQueue()

    async def put(self, piece: bytes) -> None:
        await self._room.acquire()
        self._queue.put(piece)

    def end(self, error: Exception | None = None) -> None:
        self._queue.put(error)

    def leave(self, _: object) -> None:
        """In the loop: the thread is through, so nobody makes room any more."""
        self._room.release()

    def __iter__(self) -> Iterator[bytes]:
        while (piece := self._queue.get()) is not None:
            if isinstance(piece, Exception):
                raise piece
            self._loop.call_soon_threadsafe(self._room.release)
            yield piece


async def consumed_aside(pieces: AsyncIterator[bytes], consume: Callable[[Incoming], Any]) -> Any:
    """As `consumed`, with `consume` in a thread. Cancelled, it waits for the thread, which ends at its next read."""
    handover = _Handover(asyncio.get_running_loop())
    work = asyncio.create_task(asyncio.to_thread(consumed, iter(handover), consume))
    work.add_done_callback(handover.leave)
    try:
        async for piece in pieces:
            await handover.put(piece)
            if work.done():
                break
        handover.end()
        return await work
    except BaseException:
        handover.end(_Abandoned())
        with suppress(Exception):
            await work
        raise
