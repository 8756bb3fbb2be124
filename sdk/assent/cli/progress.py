"""How far a long command is: a bar that redraws itself on a terminal, a line every few seconds anywhere else."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from threading import Lock
from typing import TextIO

from assent.cli.text import span

REDRAW = 0.1  # seconds
REPORT = 5.0
BAR = 30


class Progress:
    """Counts up to `total` from any thread. `clock` gives seconds that only ever grow."""

    def __init__(
        self, what: str, total: int, *, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.what = what
        self.total = total
        self.stream = sys.stderr if stream is None else stream
        self.clock = clock
        self.done = 0
        self.began = self.shown = clock()
        self.terminal = self.stream.isatty()
        self._lock = Lock()

    def step(self) -> None:
        """One more is done."""
        with self._lock:
            self.done += 1
            self._show_when_due()

    def reach(self, done: int, total: int) -> None:
        """So much is done, of so many."""
        with self._lock:
            self.done, self.total = done, total
            self._show_when_due()

    def finish(self) -> None:
        """Take the bar away; what was achieved is the summary's to say."""
        if self.terminal:
            self.stream.write("\r\x1b[2K")
            self.stream.flush()

    def line(self, now: float) -> str:
        share = self.done / self.total if self.total else 1.0
        left = (now - self.began) * (1 - share) / share if share else 0.0
        text = f"{self.what} {self.done}/{self.total} ({share:.0%})"
        return f"{text}, about {span(left)} left" if 0 < share < 1 and left >= 1 else text

    def _show_when_due(self) -> None:
        now = self.clock()
        if now - self.shown < (REDRAW if self.terminal else REPORT):
            return
        self.shown = now
        if self.terminal:
            filled = int(BAR * self.done / self.total) if self.total else BAR
            bar = f"[{'#' * filled}{'.' * (BAR - filled)}] {self.line(now)}"
            self.stream.write(f"\r\x1b[2K{bar[: shutil.get_terminal_size().columns - 1]}")
        else:
            self.stream.write(self.line(now) + "\n")
        self.stream.flush()
