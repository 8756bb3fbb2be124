"""How background work gives way to guard.

While the service is recording, it rests after each batch for as long as the batch took; while it is not, it never
rests. A lower priority alone is not enough: a thread that the system puts aside while it holds the interpreter holds up
guard as well.

The service counts as recording when it records BUSY events a second, and also when it records only FEW while the event
loop is late (`base.background`): a guard that is starved by this very work records little. The later the loop, the
longer the rest. No rest is longer than LONGEST, so the work comes to its end whatever happens.

Work for which nobody waits at all, such as following the log, is `shy`: it rests SHYNESS times as long as an export,
and already while FEW events come in a second. It still has a seventh of a core then, which is more events a second than
one connection or a hundred record (`tests/service/base/test_pace.py`), so it catches up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

BUSY = 200
"""Events a second from which on the service counts as recording."""
FEW = 5
"""Events within WINDOW seconds that show that somebody asks at all."""
WINDOW = 1.0
LATE = 0.003
"""Seconds; timers of an idle loop come up to 1 ms late, and one that waits for a thread 5 ms."""
REST = 1.5
"""Seconds of rest for each second of work."""
SHYNESS = 4
LONGEST = 0.1
"""Seconds; a batch that had to wait for its reader has rested already."""
SLICE = 0.002
"""Seconds for which a follower works at most before it lets the event loop have the interpreter."""
BREATH = 0.00005
"""Seconds of pause between two slices where nothing else is to be given way to: long enough for a loop that waits for
the interpreter to get it."""


class Throttle(Protocol):
    """What background work asks after each batch, as a `Pace` answers."""

    def rest(self) -> float: ...
    def resume(self) -> None: ...


MakeThrottle = Callable[[Callable[[], int]], Throttle]
"""Given how many events others have recorded."""


class Pace:
    """`head` is the number of the last recorded event, `lag` by how many seconds the event loop is late, `clock` gives
    seconds that only grow. `shy` is work for which nobody waits."""

    def __init__(
        self,
        head: Callable[[], int],
        lag: Callable[[], float],
        clock: Callable[[], float] = time.monotonic,
        *,
        shy: bool = False,
    ) -> None:
        self._head, self._lag, self._clock, self._shy = head, lag, clock, shy
        self._seen, self._began = head(), clock()
        self._window, self._before, self._asked = self._began, self._seen, False

    def rest(self) -> float:
        """Seconds to rest now; called after each batch."""
        now, head = self._clock(), self._head()
        worked, recorded, late = now - self._began, head - self._seen, self._lag()
        asked = self._is_asked(now, head)
        starved = late >= LATE and asked
        if recorded <= BUSY * worked and not starved and not (self._shy and asked):
            return 0.0
        rest = min(LONGEST, (REST + (late / LATE if starved else 0.0)) * worked)
        return SHYNESS * rest if self._shy else rest

    def resume(self) -> None:
        """The next batch begins."""
        self._seen, self._began = self._head(), self._clock()

    def _is_asked(self, now: float, head: int) -> bool:
        """Whether FEW events came in this window or the one before it."""
        recent = head - self._before >= FEW
        if now - self._window < WINDOW:
            return recent or self._asked
        self._window, self._before, self._asked = now, head, recent
        return recent
