"""What scores add up to, by the rules of `assent_analytics.scores`.

The database gives alike scores once, with their number.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import polars as pl

from assent.contract.evaluations import (
    EvalRun,
    EvalStats,
    EvalStatsQuery,
    OverallStats,
    ScoreBucket,
    ScoreDay,
    ScorerStats,
    ScoreSummary,
)
from assent.contract.prepared import prepared
from assent_analytics import scores
from assent_service.core.clock import DAY, moment, naive
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, of_caller
from assent_service.store.ledger import Ledger

_SCORES = """
    SELECT CAST(CAST(created_at AS DATE) AS TIMESTAMP) AS created_at, scorer_name, score, source, count(*) AS n
    FROM scores WHERE {chosen} GROUP BY 1, 2, 3, 4
"""


async def of_run(ledger: Ledger, run: EvalRun) -> tuple[ScoreSummary, list[ScoreBucket]]:
    """What the scores of a run, as far as they are recorded, add up to. Raises `projection_behind`."""
    chosen = Filter(run.org_id)
    chosen.add("run_id = ?", run.id)
    # Never earlier than the run; it spares the tables a search from end to end.
    chosen.add("created_at >= ?", run.created_at.replace(tzinfo=None))
    frame = await ledger.frame(_SCORES.format(chosen=chosen.where), chosen.parameters)
    summary, buckets = await asyncio.to_thread(_collect, [scores.summary(frame), scores.distribution(frame)])
    return msgspec.convert(summary[0], prepared(ScoreSummary)), msgspec.convert(buckets, prepared(list[ScoreBucket]))


async def stats(ledger: Ledger, principal: Principal, query: EvalStatsQuery, now: int) -> EvalStats:
    """Raises `projection_behind`."""
    since = now - query.days * DAY
    chosen = of_caller(principal)
    chosen.add("agent_id = ?", query.agent_id)
    chosen.add("scorer_name = ?", query.scorer_name)
    chosen.add("scorer_id = ?", query.scorer_id)
    chosen.add("run_id = ?", query.run_id)
    chosen.add_all("created_at >= ? AND created_at <= ?", [naive(since), naive(now)])
    frame = await ledger.frame(_SCORES.format(chosen=chosen.where), chosen.parameters)
    wanted = [scores.summary(frame), scores.by_scorer(frame), scores.by_day(frame), scores.distribution(frame)]
    (overall,), by_scorer, days, buckets = await asyncio.to_thread(_collect, wanted)
    today = moment(now).date()
    return EvalStats(
        overall=OverallStats(
            **_published(overall),
            unique_scorers=len(by_scorer),
            today_count=sum(day["n"] for day in days if day["date"] == today),
        ),
        by_scorer=[ScorerStats(**_published(each)) for each in by_scorer],
        trends=[ScoreDay(**day, count=day["n"], avg_score=day["mean"]) for day in days],
        distribution=msgspec.convert(buckets, prepared(list[ScoreBucket])),
        days=query.days,
        since=moment(since),
        until=moment(now),
    )


def _published(numbers: dict[str, Any]) -> dict[str, Any]:
    return {**numbers, "total_scores": numbers["n"], "avg_score": numbers["mean"]}


def _collect(wanted: list[pl.LazyFrame]) -> list[list[dict[str, Any]]]:
    return [frame.to_dicts() for frame in pl.collect_all(wanted)]
