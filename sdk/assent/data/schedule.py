"""When imported calls happened. Transcripts carry no times, so they are spread over a window.

The window is cut into one equal slot per episode, in file order; the calls of an episode follow each other by
`STEP` from the start of its slot, closer where the slot is too short for that. An answer comes `ANSWER` after its
call, at most half a step. Everything lies inside the window, and the same window gives the same times, to the
microsecond.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from msgspec import Struct

STEP = timedelta(seconds=6)
ANSWER = timedelta(seconds=2)
LONGEST = timedelta(days=3650)

_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


class Window(Struct, frozen=True):
    """From `start` to `end`, both in UTC."""

    start: datetime
    end: datetime

    def __str__(self) -> str:
        return f"{self.start.isoformat()}/{self.end.isoformat()}"


class WindowError(ValueError):
    """A window that is none; the text says what to give instead."""


def parse_length(text: str) -> timedelta:
    """`30d`, `12h`, `90m` or `4w` as a length. Raises WindowError."""
    match = re.fullmatch(r"([1-9][0-9]{0,6})([mhdw])", text)
    if match is None:
        raise WindowError(f"the window {text!r} is none; give a number and a unit: 90m, 12h, 30d or 4w")
    length = int(match[1]) * _UNITS[match[2]]
    if length > LONGEST:
        raise WindowError(f"the window {text!r} is longer than {LONGEST.days} days; give a shorter one")
    return length


def parse_window(text: str) -> Window:
    """What `str(window)` gave. Raises ValueError."""
    start, slash, end = text.partition("/")
    if not slash:
        raise ValueError(f"{text!r} is no window, expected start/end")
    return Window(datetime.fromisoformat(start), datetime.fromisoformat(end))


def times_of(window: Window, episodes: int, episode: int, calls: int, call: int) -> tuple[datetime, datetime]:
    """When the call happened and when its answer came.

    `episode` and `call` count from 0, `episodes` and `calls` are how many there are: in the file, in the episode.
    """
    slot = (window.end - window.start) / episodes
    step = min(STEP, slot / (calls + 1))
    begun = window.start + slot * episode + step * call
    return begun, begun + min(ANSWER, step / 2)
