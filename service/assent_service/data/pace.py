"""How an export gives way to guard.

While the service is recording, an export rests after each batch for as long as the batch took; while it is not, it
never rests. A lower priority alone is not enough: a thread that the system puts aside while it holds the interpreter
holds up guard as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable

BUSY = 200
"""Events a second from which on the service counts as recording."""
REST = 1.5
"""Seconds of rest for each second of work."""
LONGEST = 0.1
"""Seconds; a batch that had to wait for its reader has rested already."""


class Pace:
    """`head` is the number of the last recorded event, `clock` gives seconds that only grow."""

    def __init__(self, head: Callable[[], int], clock: Callable[[], float] = time.monotonic) -> None:
        self._head, self._clock = head, clock
        self._seen, self._began = head(), clock()

    def rest(self) -> float:
        """Seconds to rest now; called after each batch."""
        worked, recorded = self._clock() - self._began, self._head() - self._seen
        return min(LONGEST, REST * worked) if recorded > BUSY * worked else 0.0

    def resume(self) -> None:
        """The next batch begins."""
        self._seen, self._began = self._head(), self._clock()
