"""How many actions each agent of one organization has on record in the last minutes.

A rate limit asks whether an agent already has `max_actions` records in its window. So only the newest
`max_actions` times of an agent can matter, for the largest limit among the active policies: that bounds memory,
whatever the traffic. Counts above the bound are not exact and do not need to be.

Deciding *reserves* a place at once, so that two calls in the same millisecond see each other; a creation that
is not recorded after all *releases* it. Times are UTC microseconds. Pure bookkeeping: no clock, no lock.
"""

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Sequence

# Kept beyond the bound. A released time must not uncover a place whose older holder was already dropped, and
# dropping from the front in steps makes it cost next to nothing per action.
_SLACK = 1024


class RateWindow:
    """Sorted times per agent, newest `largest` plus some slack."""

    def __init__(self, largest: int = 0) -> None:
        self._largest = largest
        self._times: dict[str, list[int]] = {}

    def reserve(self, agent_id: str, ts: int) -> None:
        """Count one action at `ts`; times may come in any order."""
        times = self._times.get(agent_id)
        if times is None:
            self._times[agent_id] = [ts]
            return
        if ts >= times[-1]:
            times.append(ts)
        else:
            insort(times, ts)
        self._trim(times, 2 * _SLACK)

    def release(self, agent_id: str, ts: int) -> None:
        """Take back one reservation of exactly this time; nothing happens when there is none."""
        times = self._times.get(agent_id, [])
        at = bisect_left(times, ts)
        if at < len(times) and times[at] == ts:
            del times[at]
            if not times:
                del self._times[agent_id]

    def times(self) -> Iterable[tuple[str, Sequence[int]]]:
        """Each agent with its times, in order."""
        return self._times.items()

    def include(self, other: "RateWindow") -> None:
        """Take over what `other` has and this one lacks. A time that both have is the same action."""
        for agent_id, times in other.times():
            both = Counter(self._times.get(agent_id, ())) | Counter(times)
            self._times[agent_id] = sorted(both.elements())
            self._trim(self._times[agent_id], _SLACK)

    def count(self, agent_id: str, since_us: int) -> int:
        """The agent's actions strictly newer than `since_us`; exact up to the bound."""
        times = self._times.get(agent_id)
        return len(times) - bisect_right(times, since_us) if times else 0

    def _trim(self, times: list[int], slack: int) -> None:
        if len(times) > self._largest + slack:
            del times[: len(times) - self._largest - _SLACK]
