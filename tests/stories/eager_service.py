"""The service as it must not be: it answers first and writes 50 ms later. The tests of durability must catch it."""

from __future__ import annotations

import os
import threading
import time
from queue import SimpleQueue
from unittest.mock import patch

from assent_service.serve import run
from assent_service.store.files import Files

HELD_BACK = 0.05
"""Seconds. SIGKILL does not take what the kernel has, so the write itself has to be held back."""

_later: SimpleQueue[tuple[float, int, bytes]] = SimpleQueue()


def _write(_: Files, fd: int, data: memoryview) -> int:
    _later.put((time.monotonic() + HELD_BACK, fd, bytes(data)))
    return len(data)


def _write_later() -> None:
    while True:
        due, fd, data = _later.get()
        time.sleep(max(0.0, due - time.monotonic()))
        os.write(fd, data)


if __name__ == "__main__":
    threading.Thread(target=_write_later, daemon=True).start()
    with patch.object(Files, "write", _write), patch.object(Files, "fdatasync", lambda *_: None):
        run()
