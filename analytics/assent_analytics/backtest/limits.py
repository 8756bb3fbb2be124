"""Rate limits, replayed in the order of time.

Guard asks, for an agent and a window, how many action records are newer than the window's beginning. A record counts
from when it was made; the one that a decision leads to is made after it and never counts for it. What counts:

- live records of an agent that are not blocked. Imported and simulated ones are never counted nor limited, unless the
  caller wants history as if it had been live;
- which are blocked is taken from the replay, not from the record: an action whose decision is now block was not made,
  so it counts no longer, and one that was blocked and now is not counts from when it was recorded;
- a record without a decision in the frame counts as it was recorded, and so does one that was blocked and ran after
  all.

Only a limit that blocks changes what counts later. So an agent whose records, with nothing blocked by limits, never
reach such a limit is counted by bisection, all decisions at once; the others are gone through one by one, in time.
Records that were made at the same microsecond as a decision are not yet counted for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import inf
from typing import Any, TypeAlias

import numpy as np

from assent_analytics.backtest.places import NOWHERE
from assent_analytics.backtest.policies import SEVERITY, Limit, Replayable

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_BLOCK = SEVERITY["block"]
_NO_MORE = (inf, NOWHERE)


@dataclass(frozen=True)
class Asked:
    """Decisions that limits may concern, in any order: when each was made (microseconds), its agent's number or NOBODY
    where no limit concerns it, and whether something else blocks it."""

    at: Array
    agent: Array
    blocked: Array


@dataclass(frozen=True)
class Records:
    """Action records that may count: when each was made, its agent's number, the place of its decision in Asked or
    NOWHERE, and whether it counts whatever becomes of that decision."""

    at: Array
    agent: Array
    decision: Array
    anyway: Array


def reached(asked: Asked, records: Records, policies: Sequence[Replayable], agents: Sequence[str]) -> list[Array]:
    """For each policy, which has a limit, whether each decision reaches it. `agents` are the names of the numbers."""
    # NumPy lets others run while it sorts, gathers and searches.
    with ThreadPoolExecutor(1) as beside:
        ordering = beside.submit(_ordered, records)
        order = _order(asked.at, asked.agent)
        ordered = Asked(asked.at[order], asked.agent[order], asked.blocked[order])
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        made = ordering.result()
    if len(place):
        made = replace(made, decision=np.where(made.decision >= 0, place[made.decision], np.int32(NOWHERE)))
    scoped = [_Limit(policy, limit, _scope(limit, agents)) for policy in policies if (limit := policy.limit)]
    # With nothing blocked by limits, the most that can count: where that does not reach a limit, nothing does.
    counts = _Counts(ordered, made, ordered.blocked, scoped)
    blocked = _blocked(ordered, made, scoped, counts)
    if not np.array_equal(blocked, ordered.blocked):
        counts = _Counts(ordered, made, blocked, scoped)
    found: list[Array] = []
    for each in scoped:
        back = np.empty(len(order), np.bool_)
        back[order] = counts.reach(each)
        found.append(back)
    return found


def _ordered(records: Records) -> Records:
    order = _order(records.at, records.agent)
    return Records(records.at[order], records.agent[order], records.decision[order], records.anyway[order])


def _order(at: Array, agent: Array) -> Array:
    """By agent, then by time. History is mostly in order, and few agents are sorted by counting: both cost little."""
    if len(agent) and agent.max() < np.iinfo(np.int16).max:
        agent = agent.astype(np.int16)
    if (at[1:] >= at[:-1]).all():
        return np.argsort(agent, kind="stable")
    by_time = np.argsort(at, kind="stable")
    return np.asarray(by_time[np.argsort(agent[by_time], kind="stable")])


@dataclass(frozen=True)
class _Limit:
    """A policy's limit; `scope` tells for each agent's number whether it is for that agent."""

    policy: Replayable
    limit: Limit
    scope: Array

    @property
    def blocks(self) -> bool:
        return self.policy.enforced and self.policy.severity == _BLOCK


class _Counts:
    """How many records count for each decision, in windows of any length; each length is counted once."""

    def __init__(self, asked: Asked, records: Records, blocked: Array, limits: Sequence[_Limit]) -> None:
        counting = _counting(records, blocked)
        everything = counting.all()
        at = records.at if everything else records.at[counting]
        agent = records.agent if everything else records.agent[counting]
        longest = max((each.limit.window for each in limits), default=0)
        times = [array for array in (asked.at, at) if len(array)]
        first = min((int(array.min()) for array in times), default=0) - longest
        span = max((int(array.max()) for array in times), default=0) - first + 1
        agents = max((len(each.scope) for each in limits), default=0)
        self._agent, self._found = asked.agent, dict[int, Array]()
        # Agent and time as one number that sorts alike; no more agents at a time than 63 bits hold, and two parts at
        # least, for two processors.
        at_once = max(1, min((1 << 62) // span, -(-agents // 2)))

        def part(low: int) -> tuple[slice, Array, Array, Array]:
            # As int32, like the agents: any other type would be compared after a copy of them all.
            bounds = np.array([low, low + at_once], np.int32)
            mine, theirs = (slice(*np.searchsorted(each, bounds)) for each in (asked.agent, agent))
            moments = (asked.agent[mine].astype(np.int64) - low) * span + (asked.at[mine] - first)
            keys = (agent[theirs].astype(np.int64) - low) * span + (at[theirs] - first)
            return mine, moments, keys, np.searchsorted(keys, moments, side="left")

        with ThreadPoolExecutor() as pool:
            self._parts = list(pool.map(part, range(0, agents, at_once)))

    def reach(self, each: _Limit) -> Array:
        """Which decisions find the limit reached; only those of agents that it is for."""
        concerned = self._agent >= 0
        if not len(each.scope):
            return np.zeros(len(concerned), np.bool_)
        enough = self._within(each.limit.window) >= each.limit.most
        if each.scope.all():
            return np.asarray(enough & concerned)
        return np.asarray(enough & concerned & each.scope[np.where(concerned, self._agent, 0)])

    def _within(self, window: int) -> Array:
        if window not in self._found:
            counts = np.zeros(len(self._agent), np.int64)

            def count(part: tuple[slice, Array, Array, Array]) -> None:
                mine, moments, keys, before = part
                counts[mine] = before - np.searchsorted(keys, moments - window, side="right")

            with ThreadPoolExecutor() as pool:
                list(pool.map(count, self._parts))
            self._found[window] = counts
        return self._found[window]


def _blocked(asked: Asked, records: Records, limits: Sequence[_Limit], most: _Counts) -> Array:
    """Which decisions are blocked, by a limit too."""
    blocked = asked.blocked.copy()
    blocking = [each for each in limits if each.blocks]
    if not blocking:
        return blocked
    may = np.zeros(len(blocked), np.bool_)
    for each in blocking:
        may |= most.reach(each)
    may &= ~blocked
    for agent in np.unique(asked.agent[may]).tolist():
        mine = slice(*np.searchsorted(asked.agent, [agent, agent + 1]).tolist())
        theirs = slice(*np.searchsorted(records.agent, [agent, agent + 1]).tolist())
        made = Records(records.at[theirs], records.agent[theirs], records.decision[theirs], records.anyway[theirs])
        bounds = [(each.limit.window, each.limit.most) for each in blocking if each.scope[agent]]
        _go_through(asked, made, blocked, np.flatnonzero(may[mine]) + mine.start, bounds)
    return blocked


def _go_through(
    asked: Asked, made: Records, blocked: Array, doubtful: Array, bounds: Sequence[tuple[int, int]]
) -> None:
    """Settle one agent's doubtful decisions in their order, each by what the ones before it have left to count."""
    on = np.searchsorted(doubtful, made.decision)
    depends = (doubtful[np.minimum(on, len(doubtful) - 1)] == made.decision) & ~made.anyway
    useful = depends | _counting(made, blocked)
    waiting = zip(made.at[useful].tolist(), np.where(depends, on, NOWHERE)[useful].tolist(), strict=True)
    settled = [False] * len(doubtful)
    # What counts, in the order of time, after as many that are in no window as the largest limit asks for.
    counted: list[float] = [-inf] * max(most for _, most in bounds)
    when, decision = next(waiting, _NO_MORE)
    for place, moment in enumerate(asked.at[doubtful].tolist()):
        while when < moment:
            if decision < 0 or not settled[decision]:
                counted.append(when)
            when, decision = next(waiting, _NO_MORE)
        for window, most in bounds:
            if counted[-most] > moment - window:
                settled[place] = True
                break
    blocked[doubtful] = settled


def _counting(records: Records, blocked: Array) -> Array:
    """Which records count, when these decisions are blocked."""
    if not blocked.any():
        return np.ones(len(records.at), np.bool_)
    return np.asarray((records.decision < 0) | records.anyway | ~blocked[np.maximum(records.decision, 0)])


def _scope(limit: Limit, agents: Sequence[str]) -> Array:
    return np.array([limit.agents is None or name in limit.agents for name in agents], np.bool_)
