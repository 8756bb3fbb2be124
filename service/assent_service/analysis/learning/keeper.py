"""Reading the tracks from the tables, behind everybody's back: after a start, and where a fold does not know enough.

- After a start every agent's episodes of the last 90 days are read, agent by agent. What ends meanwhile counts at once.
- An agent whose tracks are stale is read anew, and so is one that got episodes, at most once a minute, for the
  sentences about what went well (`patterns`).
- An agent that cannot be read does not hold up the others: it is due again as if it had got an episode.
- An action that ended while the tables were read is there once: what the tables had of it already is not added again.
  So is feedback that was given meanwhile, or taken back.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import polars as pl

from assent_analytics.episodes import RAN, Weights, episodes
from assent_analytics.lessons import lessons
from assent_service.analysis.learning.memory import Key, LearningMemory
from assent_service.analysis.learning.tracks import DAYS, RECENT, Day, EndedEpisode
from assent_service.base.background import background_pool
from assent_service.base.clock import DAY, Clock, naive
from assent_service.base.pace import MakeThrottle
from assent_service.base.problem import Refusal
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger

GATHER = 0.5
"""Seconds after the first change, so that many are one."""
PATTERNS_SECONDS = 60.0
SHARE = 50
"""An agent is read anew for its patterns after this many times as long as its last reading took, if that is longer."""
RETRY_SECONDS = 10.0

_AGENTS = f"""
    SELECT DISTINCT org_id, agent_id FROM actions
    WHERE source <> 'simulated' AND {RAN}
        AND coalesce(timestamp_end, updated_at) >= ?
    ORDER BY org_id, agent_id
"""
_ACTIONS = f"""
    SELECT action_id, agent_id, action_type, status, decision, source, risk_score, agent_risk_score, reversible,
           confidence, duration_ms, cost_estimate, tokens_in, tokens_out, timestamp_start, timestamp_end, updated_at,
           session_id
    FROM actions
    WHERE org_id = ? AND agent_id IS NOT DISTINCT FROM ? AND source <> 'simulated'
        AND {RAN} AND coalesce(timestamp_end, updated_at) >= ?
"""
_GROUPS = f"""
    SELECT agent_id, action_type, count(*) AS n, count(*) FILTER (WHERE status = 'completed') AS successes
    FROM actions
    WHERE org_id = ? AND agent_id IS NOT NULL AND source <> 'simulated'
        AND {RAN} AND coalesce(timestamp_end, updated_at) >= ?
    GROUP BY agent_id, action_type
"""
_ASSUMPTIONS = "SELECT action_id, invalidated FROM assumptions WHERE org_id = ? AND agent_id IS NOT DISTINCT FROM ?"
_FEEDBACK = """
    SELECT applied.seq, given.* FROM applied LEFT JOIN (
        SELECT action_type, epoch_us(created_at) // 86400000000,
               count(*) FILTER (WHERE sentiment = 'positive'), count(*) FILTER (WHERE sentiment = 'negative')
        FROM feedback
        WHERE org_id = ? AND agent_id = ? AND created_at >= ? AND deleted_at IS NULL AND action_type IS NOT NULL
            AND sentiment <> 'neutral'
        GROUP BY ALL
    ) AS given ON true
"""
"""With the last event that is in the tables, whether or not there is feedback."""
_LOOPS = "SELECT action_id, status FROM loops WHERE org_id = ? AND agent_id IS NOT DISTINCT FROM ?"

log = logging.getLogger("assent.learning")

Agent = tuple[str, str | None]


class Read(NamedTuple):
    """What the tables have of one agent, by action type."""

    days: dict[str, list[Day]]
    recent: dict[str, list[EndedEpisode]]
    patterns: Mapping[str, Sequence[str]]
    ids: pl.Series


class Keeper:
    """`ready` is set once every track has been read."""

    def __init__(self, ledger: Ledger, clock: Clock, memory: LearningMemory, make_throttle: MakeThrottle) -> None:
        self._ledger, self._clock, self._memory = ledger, clock, memory
        self._make_throttle = make_throttle
        self._pool = background_pool(1, "assent-learning")
        self._due: dict[Agent, float] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.ready = asyncio.Event()

    async def start(self) -> None:
        self._ledger.listen(self._on_batch)
        self._task = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await asyncio.to_thread(self._pool.shutdown)

    def _on_batch(self, batch: Sequence[Event]) -> None:
        if self._memory.stale or self._memory.grown:
            self._wake.set()

    async def _keep(self) -> None:
        waiting: list[Agent] | None = None
        while True:
            try:
                if waiting is None:
                    since = naive((self._clock() // DAY - DAYS) * DAY)
                    rows = await self._ledger.read(_AGENTS, [since])
                    waiting = [(str(org_id), None if agent is None else str(agent)) for org_id, agent in rows]
                await self._read_all(waiting)
                waiting = []
                self.ready.set()
                waiting = await self._next()
            except Refusal as refusal:
                log.warning("outcomes could not be read yet: %s", refusal.detail)
                await asyncio.sleep(RETRY_SECONDS)
            except Exception:
                log.exception("reading outcomes failed; it is tried again")
                await asyncio.sleep(RETRY_SECONDS)

    async def _next(self) -> list[Agent]:
        """Agents to read, once there are some."""
        memory = self._memory
        while True:
            # Not `wait_for`, which until Python 3.12 loses a cancellation that comes together with the wake-up.
            with suppress(TimeoutError):
                async with asyncio.timeout(self._sleep()):
                    await self._wake.wait()
            self._wake.clear()
            await asyncio.sleep(GATHER)
            now = time.monotonic()
            stale, memory.stale = memory.stale, set()
            due = {agent for agent in memory.grown if self._due.get(agent, 0.0) <= now}
            memory.grown -= due
            if found := stale | due:
                return sorted(found, key=str)

    def _sleep(self) -> float | None:
        """Seconds until an agent is due, None when none will be by time alone."""
        waiting = [self._due.get(agent, 0.0) for agent in self._memory.grown]
        return max(0.0, min(waiting) - time.monotonic()) if waiting else None

    async def _read_all(self, agents: list[Agent]) -> None:
        rests = self._make_throttle(lambda: self._ledger.head)
        while agents:
            began = time.monotonic()
            try:
                await self.read(*agents[-1])
            except Refusal:
                raise
            except Exception:
                log.exception("reading the outcomes of %s of %s failed; it is tried again", *reversed(agents[-1]))
                self._memory.grown.add(agents[-1])
            took = time.monotonic() - began
            self._due[agents.pop()] = began + max(PATTERNS_SECONDS, SHARE * took)
            await asyncio.sleep(rests.rest())
            rests.resume()

    async def read(self, org_id: str, agent_id: str | None) -> None:
        """Put what the tables have of an agent in place of what memory has. Raises `projection_behind`."""
        since = (self._clock() // DAY - DAYS) * DAY
        memory = self._memory
        memory.since, memory.rated = [], []
        try:
            asked = [org_id, agent_id]
            actions = await self._ledger.frame_of_ours(_ACTIONS, [*asked, naive(since)])
            assumptions = await self._ledger.frame_of_ours(_ASSUMPTIONS, asked)
            loops = await self._ledger.frame_of_ours(_LOOPS, asked)
            loop = asyncio.get_running_loop()
            groups = await self._ledger.frame_of_ours(_GROUPS, [org_id, naive(since)])
            found = await loop.run_in_executor(self._pool, summed, actions, assumptions, loops, groups, memory.weights)
            feedback = await self._ledger.read(_FEEDBACK, [*asked, naive(since)])
        finally:
            added, memory.since = memory.since, None
            rated, memory.rated = memory.rated, []
        seq, opinions = _opinions(feedback)
        kinds = {*memory.action_types(org_id, agent_id), *found.days, *opinions}
        for kind in kinds:
            days = [*found.days.get(kind, ()), *opinions.get(kind, ())]
            with memory.changing(Key(org_id, agent_id, kind)) as track:
                track.replace(since, days, found.recent.get(kind, ()))
                track.patterns = tuple(found.patterns.get(kind, ()))
        for each in rated:
            if each.key[:2] == (org_id, agent_id) and each.at >= since and each.seq > seq:
                memory.rate(each)
        late = [(key, episode) for key, episode in added if key[:2] == (org_id, agent_id) and episode.at >= since]
        known = _known(found.ids, [episode.action_id for _, episode in late])
        for key, episode in late:
            if episode.action_id not in known:
                with memory.changing(key) as track:
                    track.add(episode)


def summed(
    actions: pl.DataFrame, assumptions: pl.DataFrame, loops: pl.DataFrame, groups: pl.DataFrame, weights: Weights
) -> Read:
    """One agent's episodes, added up by day, the newest of each action type, and what they teach. `groups` are the
    counts of everybody (`lessons.group_counts`)."""
    frame = episodes(actions, assumptions, loops, weights).collect()
    ended = pl.col("ended_at").dt.epoch("us")
    by_day = (
        frame.group_by("action_type", (ended // DAY).alias("day"))
        .agg(pl.len().alias("n"), pl.col("score").sum().alias("total"))
        .sort("day")
    )
    newest = (
        frame.sort("ended_at", "action_id")
        .group_by("action_type")
        .tail(RECENT)
        .select("action_type", ended.alias("at"), "action_id", "score")
    )
    days: dict[str, list[Day]] = {}
    for kind, number, n, total in by_day.iter_rows():
        days.setdefault(kind, []).append(Day(number, n, total))
    recent: dict[str, list[EndedEpisode]] = {}
    for kind, at, action_id, score in newest.iter_rows():
        recent.setdefault(kind, []).append(EndedEpisode(at, action_id, score))
    taught = lessons(frame, groups=groups).select("action_type", "guidance")
    return Read(days, recent, dict(taught.iter_rows()), frame["action_id"])


def _opinions(rows: Sequence[Sequence[object]]) -> tuple[int, dict[str, list[Day]]]:
    """The last event in the tables, and the feedback of each day by action type."""
    days: dict[str, list[Day]] = {}
    for _, kind, *numbers in rows:
        if kind is not None:
            number, positive, negative = (int(str(each)) for each in numbers)
            days.setdefault(str(kind), []).append(Day(number, positive=positive, negative=negative))
    return int(str(rows[0][0])), days


def _known(ids: pl.Series, asked: Iterable[str]) -> set[str]:
    wanted = list(asked)
    return set(ids.filter(ids.is_in(wanted))) if wanted else set()
