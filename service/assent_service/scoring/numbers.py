"""What profile scores add up to, by the rules of `assent_analytics.scoring.stats`.

The database gives alike scores once, with their number; who and what they were about it counts itself.
"""

from __future__ import annotations

import asyncio
from typing import Any

import polars as pl

from assent.contract.profile_scores import BatchSummary, NumbersStatus, ProfileScoreStats
from assent_analytics import scoring
from assent_service.core.rows import Filter
from assent_service.store.ledger import Ledger

_SCORES = """
    SELECT composite_score, source, count(*) AS n FROM profile_scores WHERE {chosen} GROUP BY 1, 2
"""
_AROUND = """
    SELECT count(DISTINCT agent_id) AS unique_agents, count(DISTINCT action_id) AS unique_actions,
        count(*) FILTER (source IS NULL) AS unrecorded, min(scored_at) AS since, max(scored_at) AS until
    FROM profile_scores WHERE {chosen}
"""


async def stats(ledger: Ledger, profile_id: str, chosen: Filter) -> ProfileScoreStats:
    """Raises `projection_behind`."""
    frame = await ledger.frame(_SCORES.format(chosen=chosen.where), chosen.parameters)
    around = await ledger.frame(_AROUND.format(chosen=chosen.where), chosen.parameters)
    numbers = await asyncio.to_thread(_numbers, frame)
    others = around.with_columns(pl.col("since", "until").dt.replace_time_zone("UTC")).row(0, named=True)
    return ProfileScoreStats(
        profile_id=profile_id, total_scores=numbers["n"], n=numbers["n"], **_published(numbers), **others
    )


def summary(scores: pl.DataFrame, total: int) -> BatchSummary:
    """Of the scores of a batch of `total` actions."""
    numbers = _numbers(scores)
    return BatchSummary(total=total, scored=numbers["n"], **_published(numbers))


def _numbers(scores: pl.DataFrame) -> dict[str, Any]:
    return scoring.stats(scores).collect().row(0, named=True)


def _published(numbers: dict[str, Any]) -> dict[str, Any]:
    renamed = {f"{name}_score": numbers[name] for name in ("avg", "min", "max", "stddev")}
    same = ("avg_low", "avg_high", "p10", "p25", "p50", "p75", "p90", "simulated")
    return renamed | {name: numbers[name] for name in same} | {"status": NumbersStatus(numbers["status"])}
