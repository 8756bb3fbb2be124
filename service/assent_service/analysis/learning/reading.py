"""The episodes of a window, read from the tables, only the columns that a score needs; and the ids of what is computed
when it is asked for.

An id is fetched only for the few actions that an invalidated assumption or an open loop is about, unless all are asked
for: ids are most of the bytes, and nothing else needs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

import polars as pl

from assent_analytics.episodes import CANCELLED, RAN, STOPPED, WEIGHTS, Weights, episodes
from assent_service.base.clock import Clock, moment
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, of_caller
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_is

# Ids of what is computed when it is asked for: the same row has the same id, whoever asks and however often.


_LENGTH = 24


def name(prefix: str, *parts: str) -> str:
    """`prefix` and 24 hex digits of SHA-256 over the parts, which cannot run into each other."""
    said = "".join(f"{len(part)}:{part}" for part in parts)
    return prefix + sha256(said.encode()).hexdigest()[:_LENGTH]


def recommendation_id(org_id: str, agent_id: str, action_type: str) -> str:
    return name("rec_", org_id, agent_id, action_type)


ENDED = "coalesce(timestamp_end, updated_at, timestamp_start)"

_ACTIONS = f"""
    SELECT {{action_id}} AS action_id, agent_id, action_type, status, source, timestamp_start, timestamp_end,
        updated_at, risk_score, agent_risk_score, reversible, confidence, duration_ms, cost_estimate{{session}}
    FROM actions WHERE {{chosen}} AND {RAN}
"""
_WRONG = "SELECT action_id, invalidated FROM assumptions WHERE org_id = ? AND invalidated"
_OPEN = "SELECT action_id, status FROM loops WHERE org_id = ? AND status = 'open'"
_COUNTED = f"""CASE WHEN action_id IN (
        SELECT action_id FROM ({_WRONG}) UNION ALL SELECT action_id FROM ({_OPEN})) THEN action_id END"""
_GROUPS = f"""
    SELECT agent_id, action_type, count(*) AS n, count(*) FILTER (WHERE status = 'completed') AS successes
    FROM actions WHERE {{chosen}} AND {RAN}
        AND agent_id IS NOT NULL
    GROUP BY agent_id, action_type
"""


_UNTOLD = f"""
    SELECT agent_id, action_type, count(*) FILTER (WHERE {STOPPED}) AS stopped,
        count(*) FILTER (WHERE {CANCELLED}) AS cancelled
    FROM actions WHERE {{chosen}} AND ({STOPPED} OR {CANCELLED}) AND agent_id IS NOT NULL GROUP BY agent_id, action_type
"""


class Untold(NamedTuple):
    """How many actions have no outcome: blocked, denied or expired ones, and those that were cancelled while they
    ran."""

    stopped: int = 0
    cancelled: int = 0


@dataclass(frozen=True)
class TimeSpan:
    """Both moments are aware and belong to it."""

    since: datetime
    until: datetime

    def choose(self, chosen: Filter) -> Filter:
        """Adds that an episode ended within it."""
        moments = [at.replace(tzinfo=None) for at in (self.since, self.until)]
        chosen.add_all(f"{ENDED} >= ? AND {ENDED} <= ?", moments)
        return chosen


class Episodes:
    """Reads what the caller may see, and scores it by the weights of the settings."""

    def __init__(self, ledger: Ledger, clock: Clock, weights: Weights | None = None) -> None:
        self._ledger, self._clock, self._weights = ledger, clock, weights or WEIGHTS

    def now(self) -> int:
        return self._clock()

    def span(self, lookback_days: int) -> TimeSpan:
        until = moment(self._clock())
        return TimeSpan(until - timedelta(days=lookback_days), until)

    async def read(
        self,
        principal: Principal,
        span: TimeSpan,
        agent_id: str | None,
        action_type: str | None = None,
        *,
        every_id: bool = False,
        sessions: bool = False,
    ) -> pl.LazyFrame:
        """The episodes that ended within the span, as `assent_analytics.episodes` gives them, with their
        `sessions` where these are asked for. Raises `projection_behind`."""
        org = principal.org_id
        chosen = of_caller(principal)
        chosen.add(name_is("agent_id"), agent_id)
        chosen.add("action_type = ?", action_type)
        span.choose(chosen)
        id_ = "action_id" if every_id else _COUNTED
        before = [] if every_id else [org, org]
        session = ", session_id" if sessions else ""
        sql = _ACTIONS.format(action_id=id_, chosen=chosen.where, session=session)
        actions = await self._ledger.frame(sql, [*before, *chosen.parameters])
        wrong = await self._ledger.frame(_WRONG, [org])
        still = await self._ledger.frame(_OPEN, [org])
        return episodes(actions, wrong, still, self._weights)

    async def untold(
        self, principal: Principal, span: TimeSpan, agent_id: str | None, action_type: str | None = None
    ) -> dict[tuple[str, str], Untold]:
        """How many actions of an agent and type ended within the span without an outcome, of those that the caller may
        see."""
        chosen = of_caller(principal)
        chosen.add("agent_id = ?", agent_id)
        chosen.add("action_type = ?", action_type)
        span.choose(chosen)
        rows = await self._ledger.frame(_UNTOLD.format(chosen=chosen.where), chosen.parameters)
        return {(str(agent), str(kind)): Untold(*map(int, numbers)) for agent, kind, *numbers in rows.iter_rows()}

    async def groups(self, org_id: str, span: TimeSpan, action_type: str | None) -> pl.DataFrame:
        """How many episodes each agent of the organization has of each action type, and how many succeeded: all that
        shrinkage needs to know of others, and no agent is told whose they are."""
        chosen = Filter(org_id)
        chosen.add("action_type = ?", action_type)
        span.choose(chosen)
        return await self._ledger.frame(_GROUPS.format(chosen=chosen.where), chosen.parameters)
