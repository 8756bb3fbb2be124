"""Decisions of a window, by the rules of `assent_analytics.decisions`.

The database gives each day's decisions of a kind once, with their number.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import polars as pl

from assent.contract.insight import DecisionDay, DecisionMix, InsightQuery
from assent.contract.prepared import prepared
from assent_analytics import decisions
from assent_service.core.principal import Principal
from assent_service.core.window import rows_within, window_of
from assent_service.store.ledger import Ledger

_DECISIONS = """
    SELECT CAST(CAST(occurred_at AS DATE) AS TIMESTAMP) AS occurred_at, decision, source, count(*) AS n
    FROM guard_decisions WHERE {chosen} GROUP BY 1, 2, 3
"""


async def decision_mix(ledger: Ledger, principal: Principal, query: InsightQuery, now: int) -> DecisionMix:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    chosen = rows_within(window, "occurred_at", principal, query.agent_id)
    frame = await ledger.frame(_DECISIONS.format(chosen=chosen.where), chosen.parameters)
    numbers, days = await asyncio.to_thread(_fold, frame)
    return DecisionMix(
        window=window.text,
        since=window.since,
        until=window.until,
        days=msgspec.convert(days, prepared(list[DecisionDay])),
        **numbers,
    )


def _fold(frame: pl.DataFrame) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    numbers, days = pl.collect_all([decisions.mix(frame), decisions.mix_by_day(frame)])
    return numbers.row(0, named=True), days.to_dicts()
