"""Threads for work that nobody waits for: they run at a lower priority, so that guard gets the processor first."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

NICE = 10


def background_pool(threads: int, name: str) -> ThreadPoolExecutor:
    """A pool whose threads step back, where the system has a priority for each thread."""
    return ThreadPoolExecutor(threads, thread_name_prefix=name, initializer=_step_back)


def _step_back() -> None:
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
