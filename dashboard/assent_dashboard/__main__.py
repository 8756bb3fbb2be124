"""`python -m assent_dashboard BASE_URL HOST PORT`: what `assent start` runs beside the service.

It announces its address on one line and ends when its standard input does, that is, with whoever started it.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from threading import Thread

from assent_dashboard.serve import run


def end_with_parent() -> None:
    while sys.stdin.buffer.read(4096):
        continue
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    base_url, host, port = sys.argv[1:]
    Thread(target=end_with_parent, daemon=True, name="parent").start()
    with suppress(KeyboardInterrupt):  # that is how it is meant to end at a terminal
        run(base_url, host, int(port), announce=lambda address: print(address, flush=True))
