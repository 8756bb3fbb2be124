"""A terminal that can be looked at: tmux, on a socket of its own, with one window."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

WAIT = 60.0
TMUX = shutil.which("tmux")
_REFUSED = re.compile(r"(\d\d:\d\d:\d\d) Not taken")


def _answered(text: str, refused: list[str], words: str) -> bool:
    return text in words or _REFUSED.findall(words) != refused


class Terminal:
    """One window; `screen` is what a person sees."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    def run(self, *arguments: str) -> str:
        command = [TMUX or "tmux", "-S", str(self._socket), "-f", os.devnull, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=WAIT).stdout

    @property
    def screen(self) -> str:
        return self.run("capture-pane", "-p", "-t", "inbox")

    @property
    def words(self) -> str:
        """The screen with its line ends and spaces made one space, for texts that may be broken anywhere."""
        return " ".join(self.screen.split())

    def press(self, *keys: str) -> None:
        self.run("send-keys", "-t", "inbox", *keys)

    def opens(self, key: str, text: str) -> None:
        """Press a key until it opens what has this text: one that comes before its request is drawn is refused, which a
        line says with its second."""
        deadline = time.monotonic() + WAIT
        while text not in self.words and time.monotonic() < deadline:
            refused = _REFUSED.findall(self.words)
            self.press(key)
            self.until(partial(_answered, text, refused), f"{text!r} is shown")
            if text not in self.words:
                time.sleep(1.0)
        self.shows(text)

    def sends(self, text: str) -> None:
        """Send the form that is open, which answers with this text: a key that comes before it is drawn is refused, so
        it is pressed again until it is answered."""
        deadline = time.monotonic() + WAIT
        while time.monotonic() < deadline:
            self.press("C-s")
            for _ in range(20):
                if text in self.words:
                    return
                time.sleep(0.1)
        self.shows(text)

    def write(self, text: str) -> None:
        self.run("send-keys", "-t", "inbox", "-l", text)

    def resize(self, columns: int, lines: int) -> None:
        self.run("resize-window", "-t", "inbox", "-x", str(columns), "-y", str(lines))

    def until(self, holds: Callable[[str], bool], what: str) -> None:
        """Wait until the screen, as words, is so."""
        began = time.monotonic()
        while True:
            words = self.words
            if holds(words):
                return
            assert time.monotonic() - began < WAIT, f"not so within {WAIT} s: {what}\n{self.screen}"
            time.sleep(0.05)

    def shows(self, text: str) -> None:
        self.until(lambda words: text in words, f"{text!r} is shown")

    def shows_no_more(self, text: str) -> None:
        self.until(lambda words: text not in words, f"{text!r} is shown no more")


@contextmanager
def terminal(
    folder: Path, command: Sequence[str], environment: dict[str, str], size: tuple[int, int] = (100, 30)
) -> Iterator[Terminal]:
    """The command in a window of its own; its exit code is shown when it has ended. tmux ends with the test."""
    opened = Terminal(folder / "tmux")
    line = f"{shlex.join(command)}; echo ended with $?; exec sleep 600"
    given = {name: value for name, value in os.environ.items() if not name.startswith(("ASSENT_", "TMUX"))}
    # A size of another moment, as some shells export it: what is resized has to follow the terminal all the same.
    given |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "COLUMNS": "80", "LINES": "24", **environment}
    start = ["new-session", "-d", "-s", "inbox", "-x", str(size[0]), "-y", str(size[1]), line]
    socket = ["-S", str(folder / "tmux"), "-f", os.devnull]
    subprocess.run([TMUX or "tmux", *socket, *start], env=given, check=True, timeout=WAIT)
    try:
        yield opened
    finally:
        subprocess.run([TMUX or "tmux", *socket, "kill-server"], check=False, timeout=WAIT, capture_output=True)
