"""Rate limits in a backtest: which of the replayed decisions come when their agent has reached its limit.

Agents are numbers here, which cost less than names over millions of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import inf
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from assent_analytics.backtest.policies import SEVERITY, Limit, Replayable
from assent_analytics.backtest.values import distinct

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.int32]]"

NOBODY = -1
"""The number of a row without an agent."""


class AgentNumbers:
    """Gives each agent a number, from 0 on; those whose names are one by `key` share it. Several threads may ask at
    once."""

    def __init__(self, key: Callable[[str], str] = str) -> None:
        self.key = key
        self._numbers: dict[str, int] = {}
        self._one = Lock()

    @property
    def names(self) -> list[str]:
        """By `key`, in the order of the numbers."""
        return list(self._numbers)

    def of(self, column: pl.Series) -> Numbers:
        """The number of each row's agent; NOBODY for null."""
        known, codes = distinct(column)
        with self._one:
            given = [
                NOBODY if name is None else self._numbers.setdefault(self.key(name), len(self._numbers))
                for name in known
            ]
        found = np.array(given, np.int32)
        return found[:-1] if codes is None else found[codes.to_numpy()]

    def _number(self, key: str) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


# Where ids stand among others: the first place of each, by the cheapest way that their order allows.
#
# Ids that ascend, as those of a simulated history do, are merged in one pass over both. Others are joined by hash,
# which takes several times as long.


Places: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"

NOWHERE = -1


def places(wanted: pl.Series, ids: pl.Series) -> Places:
    """The place of each wanted id among `ids`, the first where one is there twice; NOWHERE for others and for null."""
    if wanted.dtype != ids.dtype:
        wanted, ids = wanted.cast(pl.String), ids.cast(pl.String)
    if wanted.dtype == pl.String and not wanted.has_nulls() and wanted.is_sorted() and _ascend(ids):
        return _merged(wanted, ids)
    # Numbers join several times faster than texts. A second hash, of another seed, tells whether two texts only share
    # the first: 128 bits are as good as the texts.
    place = _joined(wanted.hash(0), ids.hash(0))
    if place is None or not _alike(wanted.hash(1), ids.hash(1), place):
        once = pl.DataFrame({"id": ids}).with_row_index("place").unique("id", keep="first")
        place = _joined(wanted, once["id"])
        assert place is not None, "ids that are there once are found once"
        back = once["place"].cast(pl.Int64).to_numpy()
        place = np.where(place >= 0, back[np.maximum(place, 0)], NOWHERE) if len(back) else place
    # Without an id there is nothing to find.
    return np.where(wanted.is_null().to_numpy(), NOWHERE, place)


def _ascend(ids: pl.Series) -> bool:
    """Whether each id is above the one before it; then none is there twice, and none is null."""
    return not ids.has_nulls() and bool((ids.slice(1) > ids.head(max(0, len(ids) - 1))).all())


def _merged(wanted: pl.Series, ids: pl.Series) -> Places:
    known = pl.LazyFrame({"id": ids, "found": ids}).with_row_index("place").set_sorted("id")
    return (
        pl.LazyFrame({"id": wanted})
        .set_sorted("id")
        .join_asof(known, on="id", strategy="backward")
        .select(pl.when(pl.col("found") == pl.col("id")).then(pl.col("place").cast(pl.Int64)).otherwise(NOWHERE))
        .collect()
        .to_series()
        .fill_null(NOWHERE)
        .to_numpy()
    )


def _joined(wanted: pl.Series, keys: pl.Series) -> Places | None:
    """The place of each among the keys, NOWHERE where it is not one; None when keys are there several times."""
    known = pl.DataFrame({"key": keys}).with_row_index("place")
    joined = pl.DataFrame({"key": wanted}).join(known, on="key", how="left", maintain_order="left")
    if joined.height != len(wanted):
        return None
    return joined["place"].cast(pl.Int64).fill_null(NOWHERE).to_numpy()


def _alike(wanted: pl.Series, keys: pl.Series, place: Places) -> bool:
    there = np.flatnonzero(place >= 0)
    return bool((wanted.to_numpy()[there] == keys.to_numpy()[place[there]]).all())


# Rate limits, replayed in the order of time.
#
# Guard asks, for an agent and a window, how many action records are newer than the window's beginning. A record counts
# from when it was made; the one that a decision leads to is made after it and never counts for it. What counts:
#
# - live records of an agent that are not blocked. Imported and simulated ones are never counted nor limited, unless the
#   caller wants history as if it had been live;
# - which are blocked is taken from the replay, not from the record: an action whose decision is now block was not made,
#   so it counts no longer, and one that was blocked and now is not counts from when it was recorded;
# - a record without a decision in the frame counts as it was recorded, and so does one that was blocked and ran after
#   all.
#
# What is counted for keys that speak for many agents is not counted here (`replay`).
#
# Only a limit that blocks changes what counts later. So an agent whose records, with nothing blocked by limits, never
# reach such a limit is counted by bisection, all decisions at once; the others are gone through one by one, in time.
# Records that were made at the same microsecond as a decision are not yet counted for it.


Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_BLOCK = SEVERITY["block"]
_NO_MORE = (inf, NOWHERE)


@dataclass(frozen=True)
class LimitedDecisions:
    """Decisions that limits may concern, in any order: when each was made (microseconds), its agent's number or NOBODY
    where no limit concerns it, and whether something else blocks it."""

    at: Array
    agent: Array
    blocked: Array


@dataclass(frozen=True)
class CountedRecords:
    """Action records that may count: when each was made, its agent's number, the place of its decision in
    LimitedDecisions or NOWHERE, and whether it counts whatever becomes of that decision."""

    at: Array
    agent: Array
    decision: Array
    anyway: Array


def reached(
    asked: LimitedDecisions, records: CountedRecords, policies: Sequence[Replayable], agents: AgentNumbers
) -> list[Array]:
    """For each policy, which has a limit, whether each decision reaches it. `agents` gave the numbers."""
    # NumPy lets others run while it sorts, gathers and searches.
    with ThreadPoolExecutor(1) as beside:
        ordering = beside.submit(_ordered, records)
        order = _order(asked.at, asked.agent)
        ordered = LimitedDecisions(asked.at[order], asked.agent[order], asked.blocked[order])
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


def _ordered(records: CountedRecords) -> CountedRecords:
    order = _order(records.at, records.agent)
    return CountedRecords(records.at[order], records.agent[order], records.decision[order], records.anyway[order])


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

    def __init__(
        self, asked: LimitedDecisions, records: CountedRecords, blocked: Array, limits: Sequence[_Limit]
    ) -> None:
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


def _blocked(asked: LimitedDecisions, records: CountedRecords, limits: Sequence[_Limit], most: _Counts) -> Array:
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
        made = CountedRecords(
            records.at[theirs], records.agent[theirs], records.decision[theirs], records.anyway[theirs]
        )
        bounds = [(each.limit.window, each.limit.most) for each in blocking if each.scope[agent]]
        _go_through(asked, made, blocked, np.flatnonzero(may[mine]) + mine.start, bounds)
    return blocked


def _go_through(
    asked: LimitedDecisions, made: CountedRecords, blocked: Array, doubtful: Array, bounds: Sequence[tuple[int, int]]
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


def _counting(records: CountedRecords, blocked: Array) -> Array:
    """Which records count, when these decisions are blocked."""
    if not blocked.any():
        return np.ones(len(records.at), np.bool_)
    return np.asarray((records.decision < 0) | records.anyway | ~blocked[np.maximum(records.decision, 0)])


def _scope(limit: Limit, agents: AgentNumbers) -> Array:
    named = None if limit.agents is None else set(map(agents.key, limit.agents))
    return np.array([named is None or name in named for name in agents.names], np.bool_)
