"""Scanning without holding up the service.

1. What was scanned lately is remembered (`memory`), by text and source.
2. Up to INLINE characters are scanned at once; that takes less than handing them to a thread and back would.
3. More are scanned in a thread of lower priority, one after another. What waits for that is bounded: a caller beyond
   MOST_WAITING is told to come back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from assent.contract.problems import Code
from assent_service.core.background import background_pool
from assent_service.core.problem import refuse
from assent_service.injection.engine import engine, is_loaded
from assent_service.injection.memory import Memory

if TYPE_CHECKING:
    from assent_analytics.injection import Scan

Result = TypeVar("Result")

INLINE = 4_000
"""Characters, of all texts of one request together."""
MOST_WAITING = 64


class Scanner:
    """`name` is that of its thread."""

    def __init__(self, name: str) -> None:
        self._pool = background_pool(1, name)
        self.known: Memory[Scan] = Memory()
        self._waiting = 0

    async def run(self, size: int, work: Callable[[], Result]) -> Result:
        """What `work` finds in texts of `size` characters. Raises `busy`."""
        loop = asyncio.get_running_loop()
        if size <= INLINE:
            return work() if is_loaded() else await loop.run_in_executor(self._pool, work)
        if self._waiting >= MOST_WAITING:
            raise refuse(
                Code.BUSY, f"{MOST_WAITING} long texts wait to be scanned, which is the most; try again in a moment."
            )
        self._waiting += 1
        try:
            return await loop.run_in_executor(self._pool, work)
        finally:
            self._waiting -= 1

    def prepare(self) -> None:
        """Load the engine beside whatever else goes on. Whoever comes before it is there waits for it in the thread."""
        self._pool.submit(engine)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
