"""Windows of actions and decisions, compared or summed up by the rules of `assent_analytics`.

The database gives the rows of the window with the columns that those rules ask for; nothing is kept.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
import polars as pl

from assent.contract.analysis.drift import ComparedMetric, DriftComparison, DriftSnapshot
from assent.contract.control.guard import Source
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent_analytics.drift import METRICS, OK, PUBLISHED, compare
from assent_analytics.episodes import RAN, Weights, episodes
from assent_analytics.snapshots import snapshots
from assent_service.base.problem import refuse
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, of_caller
from assent_service.store.ledger import Ledger

FDR = 0.05
"""The share of false findings among all, at most, that a comparison allows for."""

_ENDED = "coalesce(timestamp_end, updated_at, timestamp_start)"
_ACTIONS = """
    SELECT action_id, agent_id, action_type, status, source, timestamp_start, timestamp_end, updated_at, reversible,
        risk_score, confidence, duration_ms, cost_estimate, tokens_in, tokens_out,
        session_id
    FROM actions WHERE {chosen}
"""
_DECISIONS = (
    "SELECT agent_id, action_type, decision, source, occurred_at, session_id FROM guard_decisions WHERE {chosen}"
)
_ASSUMPTIONS = "SELECT action_id, invalidated FROM assumptions WHERE org_id = ? AND invalidated"
_LOOPS = "SELECT action_id, status FROM loops WHERE org_id = ? AND status = 'open'"


@dataclass(frozen=True)
class RowScope:
    """Which rows: of the agents that the caller may see, from `since` on and before `until`."""

    principal: Principal
    since: datetime
    until: datetime
    agent_id: str | None = None
    action_type: str | None = None
    source: Source | None = None

    def filter(self, time: str) -> Filter:
        chosen = of_caller(self.principal)
        chosen.add("agent_id = ?", self.agent_id)
        chosen.add("action_type = ?", self.action_type)
        chosen.add("source = ?", None if self.source is None else self.source.value)
        bounds = [at.replace(tzinfo=None) for at in (self.since, self.until)]
        chosen.add_all(f"{time} >= ? AND {time} < ?", bounds)
        return chosen


def metric_of(name: str | None, *, mean: bool = False) -> tuple[str, ...] | None:
    """Our name of a metric, ours or published; None for all. `mean` asks for one that has a mean. Raises
    `invalid_query` that names what there is."""
    if name is None:
        return None
    ours = PUBLISHED.get(name, name)
    known = [each.name for each in METRICS.values() if not mean or each.kind != "category"]
    if ours not in known:
        raise refuse(
            Code.INVALID_QUERY,
            f"metric is {name!r}; there are {', '.join(known)}.",
            FieldError(place="metric", message="not one of them"),
        )
    return (ours,)


class WindowReader:
    """Reads what happened in a window. `weights` are those of an episode's score.

    One question at a time: each takes all rows of its window into memory and every core there is, so that several at
    once would answer none of them sooner, and need the memory of all.
    """

    def __init__(self, ledger: Ledger, weights: Weights) -> None:
        self._ledger, self._weights = ledger, weights
        self._turn = asyncio.Lock()

    async def compare(
        self, asked: RowScope, recent: datetime, metrics: tuple[str, ...] | None, limit: int
    ) -> DriftComparison:
        """The rows from `recent` on against those before. Raises `projection_behind`."""
        async with self._turn:
            ended, decided = await self._frames(asked)
            found = await asyncio.to_thread(_compared, ended, decided, asked, recent, metrics)
        rows = found.sort(
            pl.col("drifted").not_(), "p_adjusted", "agent_id", "action_type", nulls_last=True, maintain_order=True
        )
        names = ComparedMetric.__struct_fields__
        return DriftComparison(
            baseline_since=asked.since,
            recent_since=recent,
            until=asked.until,
            fdr=FDR,
            total=found.height,
            drifted=int(found["drifted"].sum()),
            insufficient_data=int((found["status"] != OK).sum()),
            comparisons=[
                msgspec.convert(row, prepared(ComparedMetric)) for row in rows.head(limit).select(names).to_dicts()
            ],
        )

    async def snapshots(
        self, asked: RowScope, metrics: tuple[str, ...] | None, *, daily: bool, limit: int
    ) -> list[DriftSnapshot]:
        """At most `limit` days of each agent and metric. Raises `projection_behind`."""

        def fold() -> list[dict[str, Any]]:
            found = snapshots(ended, decided, metrics=metrics, daily=daily).collect()
            return found.group_by("agent_id", "metric", maintain_order=True).head(limit).to_dicts()

        async with self._turn:
            ended, decided = await self._frames(asked)
            rows = await asyncio.to_thread(fold)
        return [msgspec.convert(row, prepared(DriftSnapshot)) for row in rows]

    async def _frames(self, asked: RowScope) -> tuple[pl.LazyFrame, pl.DataFrame]:
        finished = asked.filter(_ENDED)
        finished.add_all(RAN, [])
        actions = await self._ledger.frame(_ACTIONS.format(chosen=finished.where), finished.parameters)
        decisions = asked.filter("occurred_at")
        decided = await self._ledger.frame(_DECISIONS.format(chosen=decisions.where), decisions.parameters)
        org_id = asked.principal.org_id
        wrong = await self._ledger.frame(_ASSUMPTIONS, [org_id])
        open_loops = await self._ledger.frame(_LOOPS, [org_id])
        return episodes(actions, wrong, open_loops, self._weights), decided


def _compared(
    ended: pl.LazyFrame, decided: pl.DataFrame, asked: RowScope, recent: datetime, metrics: tuple[str, ...] | None
) -> pl.DataFrame:
    return compare(
        ended,
        decided,
        baseline=(asked.since, recent),
        recent=(recent, asked.until),
        by=("agent_id", "action_type"),
        metrics=metrics,
        fdr=FDR,
    )


def back(until: datetime, days: int) -> datetime:
    return until - timedelta(days=days)
