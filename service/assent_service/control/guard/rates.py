"""How many actions each agent of one organization, or each key, has on record in the last minutes.

What is said of agents here holds for keys: `GuardState` has a window for the ones and one for the others.

A rate limit asks whether an agent already has `max_actions` records in its window. So only the newest
`max_actions` times of an agent can matter, for the largest limit among the active policies: that bounds memory,
whatever the traffic. Counts above the bound are not exact and do not need to be. Agents go by their names as they are
compared (`assent.contract.names`).

Deciding *reserves* a place at once, so that two calls in the same millisecond see each other; a creation that
is not recorded after all *releases* it. Times are UTC microseconds. Pure bookkeeping: no clock, no lock.

How many names there are is up to whoever writes them, so a window keeps to a budget in bytes: those that acted longest
ago are forgotten. From then on a name that is not here may have times in the tables: it is not *known*, nor is one of
which only later times are here. Whoever asks `includes` what the tables have first.
"""

from array import array
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Sequence

from assent_service.base.memory import ENTRY

# Kept beyond the bound. A released time must not uncover a place whose older holder was already dropped, and
# dropping from the front in steps makes it cost next to nothing per action.
_SLACK = 1024


TIME = 8
"""Bytes of a time."""


class RateWindow:
    """Sorted times per agent, newest `largest` plus some slack; of so many agents as `budget` bytes hold."""

    def __init__(self, largest: int = 0, budget: int | None = None) -> None:
        self._largest, self._budget = largest, budget
        self._times: dict[str, array[int]] = {}
        """The agent that acted last is the last."""
        self._bytes = 0
        self.forgotten = False
        """Whether times of names may be in the tables only."""
        self._partial: set[str] = set()
        """Of these some times may be in the tables only."""

    def reserve(self, agent_key: str, ts: int) -> None:
        """Count one action at `ts`; times may come in any order."""
        times = self._times.pop(agent_key, None)
        if times is None:
            times = array("q")
            self._bytes += ENTRY
            if self.forgotten:
                self._partial.add(agent_key)
        self._times[agent_key] = times
        if not times or ts >= times[-1]:
            times.append(ts)
        else:
            insort(times, ts)
        self._bytes += TIME
        self._trim(times, 2 * _SLACK)
        self._keep_to_budget()

    def release(self, agent_key: str, ts: int) -> None:
        """Take back one reservation of exactly this time; nothing happens when there is none."""
        times = self._times.get(agent_key)
        if times is None:
            return
        at = bisect_left(times, ts)
        if at < len(times) and times[at] == ts:
            del times[at]
            self._bytes -= TIME
            if not times:
                self._forget(agent_key)

    def knows(self, agent_key: str) -> bool:
        """Whether its count needs no look into the tables."""
        return agent_key not in self._partial if agent_key in self._times else not self.forgotten

    def times(self) -> Iterable[tuple[str, Sequence[int]]]:
        """Each agent with its times, in order."""
        return self._times.items()

    def include(self, other: "RateWindow") -> None:
        """Take over what `other` has and this one lacks. A time that both have is the same action."""
        for agent_key, times in other.times():
            self._include(agent_key, times)
        self.forgotten = self.forgotten or other.forgotten
        self._keep_to_budget()

    def recall(self, agent_key: str, times: Sequence[int]) -> None:
        """Take over what the tables have of an agent: it is known from now on, while it is here."""
        self._include(agent_key, times)
        self._partial.discard(agent_key)
        self._keep_to_budget()

    def count(self, agent_key: str, since_us: int) -> int:
        """The agent's actions strictly newer than `since_us`; exact up to the bound."""
        times = self._times.get(agent_key)
        return len(times) - bisect_right(times, since_us) if times else 0

    def turn_back(self, now: int, by: int) -> None:
        """The clock was turned back by `by` microseconds, to `now`: what seems still to come is as old as it was."""
        for agent_key, times in self._times.items():
            at = bisect_right(times, now)
            self._times[agent_key] = array("q", sorted([*times[:at], *(ts - by for ts in times[at:])]))

    def _include(self, agent_key: str, times: Sequence[int]) -> None:
        before = self._times.pop(agent_key, None)
        self._bytes += ENTRY if before is None else -TIME * len(before)
        both = array("q", sorted((Counter(before or ()) | Counter(times)).elements()))
        self._times[agent_key] = both
        self._bytes += TIME * len(both)
        self._trim(both, _SLACK)

    def _trim(self, times: "array[int]", slack: int) -> None:
        if len(times) > self._largest + slack:
            dropped = len(times) - self._largest - _SLACK
            del times[:dropped]
            self._bytes -= TIME * dropped

    def _keep_to_budget(self) -> None:
        while self._budget is not None and self._bytes > self._budget and self._times:
            self._forget(next(iter(self._times)))
            self.forgotten = True

    def _forget(self, agent_key: str) -> None:
        self._bytes -= ENTRY + TIME * len(self._times.pop(agent_key))
        self._partial.discard(agent_key)


class NoRates:
    """History is not rate-limited: it happened already, and not now."""

    def count(self, agent_key: str, since_us: int) -> int:
        return 0
