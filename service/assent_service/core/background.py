"""Threads for work that nobody waits for: they run at a lower priority, so that guard gets the processor first."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

NICE = 10
"""How much lower the priority is. Not the lowest: a thread needs the interpreter now and then, and must get the
processor to let go of it again."""


def background_pool(threads: int, name: str) -> ThreadPoolExecutor:
    """A pool whose threads step back, where the system has a priority for each thread."""
    return ThreadPoolExecutor(threads, thread_name_prefix=name, initializer=step_back)


def step_back() -> None:
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
