"""Bounded memory for signals: counts by agent within a window of time that ends now, and the newest of something by id.

Both keep the newest of each agent only, which is far more than a threshold, and the agents that were heard of last. So
a count is exact up to what is kept, and says "at least" beyond; an agent that stands behind thousands of others who
have acted since is forgotten. An agent is looked at only while it may be over its threshold, so that reading does not
depend on how many agents there are.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

KEPT = 200
"""How many an agent has of its own, at least."""
AGENTS = 5_000


class Count(NamedTuple):
    """`number` within the window, the last of them at `latest`; at `most` there may be more."""

    agent_id: str
    number: int
    latest: int
    most: int


class Times:
    """Times without names: they only ever pass by. `needed` is how many within `span` are worth a look."""

    def __init__(self, span: int, needed: int, agents: int = AGENTS) -> None:
        self.needed = needed
        self._span, self._agents = span, agents
        self._kept = max(KEPT, 2 * needed)
        self._times: OrderedDict[str, array[int]] = OrderedDict()
        self._busy: set[str] = set()

    def add(self, agent_id: str, at: int) -> bool:
        """Whether the agent has come up to `needed` by this one."""
        times = self._times.get(agent_id)
        if times is None:
            times = self._times[agent_id] = array("q", (at,))
            if len(self._times) > self._agents:
                self._busy.discard(self._times.popitem(last=False)[0])
        else:
            self._times.move_to_end(agent_id)
            if times and at < times[-1]:
                insort(times, at)
            else:
                times.append(at)
        if len(times) < self.needed:
            return False
        del times[: bisect_right(times, times[-1] - self._span)]
        if len(times) > self._kept:
            del times[0]
        if len(times) >= self.needed:
            self._busy.add(agent_id)
        return len(times) == self.needed

    def counts(self, now: int) -> Iterator[Count]:
        """The agents that have `needed` or more."""
        for agent_id in list(self._busy):
            found = self.count(agent_id, now)
            if found.number >= self.needed:
                yield found
            else:
                self._busy.discard(agent_id)

    def count(self, agent_id: str, now: int) -> Count:
        times = self._times.get(agent_id)
        if not times:
            return Count(agent_id, 0, 0, self._kept)
        return Count(agent_id, len(times) - bisect_right(times, now - self._span), times[-1], self._kept)


class Named(NamedTuple):
    """One agent's marks, and their times in order."""

    at: dict[str, int]
    times: array[int]

    def drop(self, name: str) -> None:
        at = self.at.pop(name, None)
        if at is not None:
            del self.times[bisect_left(self.times, at)]


class NamedTimes:
    """Times of things that have a name and may be taken back."""

    def __init__(self, span: int, needed: int, agents: int = AGENTS) -> None:
        self.needed = needed
        self._span, self._agents = span, agents
        self._kept = max(KEPT, 2 * needed)
        self._marks: OrderedDict[str, Named] = OrderedDict()
        self._busy: set[str] = set()

    def add(self, agent_id: str, name: str, at: int) -> bool:
        """Whether the agent has come up to `needed` by this one. One that is known already only gets another time."""
        marks = self._marks.get(agent_id)
        if marks is None:
            marks = self._marks[agent_id] = Named({}, array("q"))
            if len(self._marks) > self._agents:
                self._busy.discard(self._marks.popitem(last=False)[0])
        else:
            self._marks.move_to_end(agent_id)
        known = name in marks.at
        marks.drop(name)
        marks.at[name] = at
        insort(marks.times, at)
        if len(marks.at) > self._kept:
            marks.drop(next(iter(marks.at)))
        if len(marks.at) < self.needed:
            return False
        self._busy.add(agent_id)
        return not known and self.count(agent_id, at).number == self.needed

    def discard(self, agent_id: str, name: str) -> None:
        marks = self._marks.get(agent_id)
        if marks is not None:
            marks.drop(name)

    def counts(self, now: int) -> Iterator[Count]:
        """The agents that have `needed` or more."""
        for agent_id in list(self._busy):
            found = self.count(agent_id, now)
            if found.number >= self.needed:
                yield found
            elif len(self._marks[agent_id].at) < self.needed:
                self._busy.discard(agent_id)

    def count(self, agent_id: str, now: int) -> Count:
        marks = self._marks.get(agent_id)
        if marks is None or not marks.times:
            return Count(agent_id, 0, 0, self._kept)
        times = marks.times
        return Count(agent_id, len(times) - bisect_right(times, now - self._span), times[-1], self._kept)


# The newest of something, by id, at most so many.


NEWEST_MOST = 1_000


class Noted(Struct, frozen=True, gc=False):
    """An action as it was when it was noted at `at` (microseconds)."""

    at: int
    agent_id: str | None
    action_type: str
    risk: float
    status: str


class NewestNoted:
    """Beyond `most`, the one that was noted first is forgotten."""

    def __init__(self, most: int = NEWEST_MOST) -> None:
        self._most = most
        self._noted: dict[str, Noted] = {}

    def __len__(self) -> int:
        return len(self._noted)

    def put(self, id_: str, what: Noted) -> bool:
        """Whether it was not there."""
        fresh = id_ not in self._noted
        if not fresh and self._noted[id_].at != what.at:
            # It counts as noted anew.
            del self._noted[id_]
        self._noted[id_] = what
        if len(self._noted) > self._most:
            del self._noted[next(iter(self._noted))]
        return fresh

    def drop(self, id_: str) -> None:
        self._noted.pop(id_, None)

    def get(self, id_: str) -> Noted | None:
        return self._noted.get(id_)

    def items(self) -> Iterator[tuple[str, Noted]]:
        return iter(list(self._noted.items()))
