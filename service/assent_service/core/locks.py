"""One lock per entity, held around read, decide, record and fold, so that of two requests the second sees the first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager


class EntityLocks:
    """Locks by name; a lock exists only while somebody holds it or waits for it."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def hold(self, *names: str) -> AsyncIterator[None]:
        """Hold every lock named, taken in the order given; whoever takes several must always use the same order."""
        async with AsyncExitStack() as stack:
            for name in names:
                await stack.enter_async_context(self._hold(name))
            yield

    @asynccontextmanager
    async def _hold(self, name: str) -> AsyncIterator[None]:
        lock, users = self._locks.get(name) or (asyncio.Lock(), 0)
        self._locks[name] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks[name]
            if users == 1:
                del self._locks[name]
            else:
                self._locks[name] = (lock, users - 1)
