"""How long a request waits for the log's database: PATIENCE seconds in all, whatever it waits for.

A question to the database is given up then, since nothing depends on it. An append is not: who waits is answered that
nobody knows, and the work goes on to its end with the locks that it holds, so that whoever asks again comes after it.

    patience = Patience(loop.create_future())
    WAITING.set(patience)                       # within the request's own task
    events = await patience.spend(append)       # sets `overdue` when the seconds are over, and waits on
    async with patience.bounded():              # raises TimeoutError when they are over
        seq = await question
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

PATIENCE: Final = 10.0
"""Seconds."""
T = TypeVar("T")


class Patience:
    """What one request has left of it. `overdue` is set once an append has used it up; what goes on after the answer is
    work in the background (`ended`)."""

    __slots__ = ("_left", "ended", "overdue")

    def __init__(self, overdue: asyncio.Future[None]) -> None:
        self.overdue, self._left, self.ended = overdue, PATIENCE, False

    async def spend(self, append: Awaitable[T]) -> T:
        """What `append` answers, however long it takes."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        due = loop.call_later(self._left, self._run_out)
        try:
            return await append
        finally:
            due.cancel()
            self._take(loop.time() - began)

    @asynccontextmanager
    async def bounded(self) -> AsyncGenerator[None]:
        """What is within ends in time. Raises TimeoutError."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.timeout(self._left):
                yield
        finally:
            self._take(loop.time() - began)

    def _take(self, seconds: float) -> None:
        self._left = max(0.0, self._left - seconds)

    def _run_out(self) -> None:
        if not self.overdue.done():
            self.overdue.set_result(None)


WAITING: ContextVar[Patience | None] = ContextVar("assent_waiting", default=None)


def waiting() -> Patience | None:
    """That of the request under way here; None for what works in the background, also where a request began it."""
    found = WAITING.get()
    return None if found is None or found.ended else found
