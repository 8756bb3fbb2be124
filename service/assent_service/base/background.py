"""Work that nobody waits for gives way: its threads have a lower priority, and it looks at how late the event loop is.

Background work counts what is recorded to see whether guard is busy. A guard that is starved records little, and
looks like one that has nothing to do. What it cannot hide is that the loop comes late to everything: a thread that
computes holds the interpreter for 5 ms each time that the loop wants it back, and a busy loop is late by itself.

    lag = Lag()
    lag.start()                 # within the loop
    if lag.seconds() > 0.05:    # from any thread
        rest()
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

NICE = 10
"""How much lower the priority is. Not the lowest: a thread needs the interpreter now and then, and must get the
processor to let go of it again."""
TICK = 0.02
FALL = 0.8


def background_pool(threads: int, name: str) -> ThreadPoolExecutor:
    """A pool whose threads step back, where the system has a priority for each thread."""
    return ThreadPoolExecutor(threads, thread_name_prefix=name, initializer=step_back)


def step_back() -> None:
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


class Lag:
    """By how much the event loop is late. Started and stopped within the loop, looked at from any thread.

    A call every TICK seconds measures by how much it came late. `seconds()` follows at once when it grows and by FALL
    with each call when it shrinks, so that one look says what the last tenth of a second was like. A call that is
    overdue now counts already: a loop that comes to nothing at all cannot say so itself.
    """

    def __init__(self) -> None:
        self._last = 0.0
        self._due = 0.0
        self._handle: asyncio.TimerHandle | None = None

    def seconds(self) -> float:
        """By how much the loop is late; 0 where nothing runs."""
        overdue = time.monotonic() - self._due if self._handle is not None else 0.0
        return max(self._last, overdue)

    def start(self) -> None:
        self._plan()

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        self._last = 0.0

    def _plan(self) -> None:
        self._due = time.monotonic() + TICK
        self._handle = asyncio.get_running_loop().call_later(TICK, self._look)

    def _look(self) -> None:
        self._last = max(time.monotonic() - self._due, FALL * self._last)
        self._plan()
