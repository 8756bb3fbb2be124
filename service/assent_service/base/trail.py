"""How far a follower of the log is behind it, in events and in seconds.

    trail = Trail(lambda: ledger.head, lambda: follower.seq, clock)
    trail.came(batch[0].ts)        # with each batch that is recorded
    trail.taken(event.ts)          # with the last event that was taken in
    trail.behind()                 # Behind(events=120, seconds=0.4), from any thread

Seconds are those since the oldest event was recorded that is not taken in yet. After an idle night that is the first
event of the morning, and not the last of the evening.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from assent_service.base.clock import SECOND, Clock


class Behind(NamedTuple):
    events: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.events} events, {self.seconds:.1f} s behind" if self.events else "0 events behind"


class Trail:
    """`head` is the number of the last recorded event, `reached` of the last one that was taken in."""

    def __init__(self, head: Callable[[], int], reached: Callable[[], int], clock: Clock) -> None:
        self._head, self._reached, self._clock = head, reached, clock
        self._known = 0
        """No event that is not taken in yet is older (microseconds); 0 where that is not known."""

    def came(self, before: int, ts: int) -> None:
        """Events are recorded after number `before`, the first of them at `ts` (microseconds)."""
        if self._reached() >= before:
            self._known = max(self._known, ts)

    def taken(self, ts: int) -> None:
        """The last event that was taken in was recorded at `ts` (microseconds)."""
        self._known = max(self._known, ts)

    def behind(self) -> Behind:
        events = max(0, self._head() - self._reached())
        if events == 0 or self._known == 0:
            return Behind(events, 0.0)
        return Behind(events, max(0, self._clock() - self._known) / SECOND)
