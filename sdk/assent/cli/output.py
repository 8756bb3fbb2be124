"""Where a command's answer goes: JSON when asked, tab-separated lines in a pipe, a table on a terminal.

With --json there is exactly one JSON document on standard output and nothing else; remarks go to standard error, and so
does how far a long command is.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TextIO

import msgspec

from assent.cli.text import harmless_json, span, tab_separated, table


class Output:
    """One command's output. `json` is the command's flag."""

    def __init__(self, *, json: bool) -> None:
        self.json = json

    @property
    def terminal(self) -> bool:
        return not self.json and sys.stdout.isatty()

    @property
    def interactive(self) -> bool:
        """Somebody sits there and can answer."""
        return self.terminal and sys.stdin.isatty()

    def rows(self, document: object, header: Sequence[str], rows: Sequence[Sequence[object]], empty: str) -> None:
        """A list: `document` is its JSON; `empty` is said to people when there are no rows."""
        if self.json:
            self.document(document)
        elif not self.terminal:
            print(*tab_separated(header, rows), sep="\n")
        elif rows:
            print(*table(header, rows, shutil.get_terminal_size().columns), sep="\n")
        else:
            print(empty)

    def lines(self, document: object, *lines: str) -> None:
        """One thing: `document` is its JSON, `lines` say the same to people."""
        if self.json:
            self.document(document)
        else:
            print(*lines, sep="\n")

    def document(self, document: object) -> None:
        print(harmless_json(msgspec.json.encode(document).decode()), flush=True)

    def remark(self, text: str) -> None:
        """Something beside the answer; never on standard output when that is JSON or a pipe."""
        print(text, file=sys.stdout if self.terminal else sys.stderr, flush=True)


EXPORTED = ("COLUMNS", "LINES")


def follow_the_terminal() -> None:
    """For a command that goes on while the terminal is resized: its size is asked of the terminal from here on.

    COLUMNS and LINES, where a shell exported them, hold the size of an earlier moment and would win over it.
    """
    for name in EXPORTED:
        os.environ.pop(name, None)


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
