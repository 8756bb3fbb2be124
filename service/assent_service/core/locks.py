"""Fences: names of what a decision rests on, and a lock for each that is held around read, decide, record and fold, so
that of two requests the second sees the first.

    LOOP_FENCE = Fence("loop", "loop_id")                      # one for each loop of each organization

    async with locks.hold(LOOP_FENCE.of(org_id, loop_id)):     # read, decide, append
        ...

    @serves(RESOLVE_OPEN_LOOP, holds=(LOOP_FENCE,))            # which ones the operation may hold

Whatever is appended while a name is held rests on it, and moves it (`assent_service.store.conditions`): with several
processes on one log, a lock of one of them keeps nobody else out.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import NewType

from assent_service.store.conditions import HELD, Condition

FenceName = NewType("FenceName", str)
"""Made by `Fence.of`, such as `loop:org_a:loop_1`."""

Release = Callable[[], None]

_FENCES: dict[str, Fence] = {}


class Fence:
    """Names such as `loop:{org}:{loop_id}`: `name`, the organization, and what else the `keys` say. With `everywhere`
    there is no organization in them: what is decided concerns all.

    Raises ValueError for a name that another fence has or that is no plain word."""

    def __init__(self, name: str, *keys: str, everywhere: bool = False) -> None:
        if not re.fullmatch("[a-z_]+", name):
            raise ValueError(f"a fence is named by lower-case letters and underscores, not {name!r}")
        if name in _FENCES:
            raise ValueError(f"there are two fences {name!r}: {_FENCES[name]} and another one")
        self.name, self.keys = name, keys if everywhere else ("org", *keys)
        _FENCES[name] = self

    def of(self, *values: str) -> FenceName:
        """The name for the organization and the other keys. Two that come out equal only wait for each other."""
        if len(values) != len(self.keys):
            raise ValueError(f"{self} takes {len(self.keys)} values, not {len(values)}")
        return FenceName(":".join((self.name, *values)))

    def __str__(self) -> str:
        return ":".join((self.name, *(f"{{{key}}}" for key in self.keys)))


# What more than one noun holds.
ACTION_FENCE = Fence("action", "action_id")
FILE_FENCE = Fence("file", "digest")
"""Held from storing a file until its event is recorded, and while a file may be removed."""
WEBHOOK_FENCE = Fence("webhook", "webhook_id")
"""Of a webhook, and of what waits to be delivered to it."""


def fence_of(name: FenceName) -> Fence:
    """The fence that made the name."""
    return _FENCES[name.partition(":")[0]]


def nothing_folded() -> int:
    """Where no event is known: what is read may be older than any."""
    return 0


class EntityLocks:
    """Locks by name; a lock exists only while somebody holds it or waits for it. `head` is the last event that is
    folded into memory."""

    def __init__(self, head: Callable[[], int] = nothing_folded) -> None:
        self._locks: dict[FenceName, tuple[asyncio.Lock, int]] = {}
        self._head = head

    def unmoved(self, name: FenceName, *, own: bool = False) -> Condition:
        """The condition that nobody moves `name` from now on."""
        return Condition(name, self._head(), own)

    @asynccontextmanager
    async def hold(self, *names: FenceName) -> AsyncIterator[None]:
        """Hold every lock named, taken in the order given; whoever takes several must always use the same order."""
        async with AsyncExitStack() as stack:
            for name in names:
                await stack.enter_async_context(self._hold(name))
            before = HELD.get()
            HELD.set((*before, *map(self.unmoved, names)))
            try:
                yield
            finally:
                # What was held before may have been recorded on meanwhile, and holds up to there.
                HELD.set(HELD.get()[: len(before)])

    def is_free(self, name: FenceName) -> bool:
        """Whether nobody holds it or waits for it: who takes it in this turn of the loop does so without waiting."""
        return name not in self._locks

    def hold_free(self, *names: FenceName) -> Release | None:
        """Hold every lock named without waiting, until what is answered is called, once; None where somebody has one of
        them. No name comes twice. Whoever records then says that they are `unmoved`."""
        if not self._locks.keys().isdisjoint(names):
            return None
        for name in names:
            lock = asyncio.Lock()
            with suppress(StopIteration):  # a free lock is taken without a wait
                lock.acquire().send(None)
            self._locks[name] = (lock, 1)

        def release() -> None:
            for name in names:
                self._locks[name][0].release()
                self._leave(name)

        return release

    @asynccontextmanager
    async def _hold(self, name: FenceName) -> AsyncIterator[None]:
        lock, users = self._locks.get(name) or (asyncio.Lock(), 0)
        self._locks[name] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            self._leave(name)

    def _leave(self, name: FenceName) -> None:
        lock, users = self._locks[name]
        if users == 1:
            del self._locks[name]
        else:
            self._locks[name] = (lock, users - 1)
