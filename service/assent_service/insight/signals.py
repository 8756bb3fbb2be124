"""Signals of a window, by the rules of `assent_analytics.signals`. Actions come from the database counted by agent."""

from __future__ import annotations

import asyncio

import msgspec
import polars as pl

from assent.contract.insight import InsightQuery, SignalDay, SignalHistory, SignalRate
from assent.contract.prepared import prepared
from assent_analytics import signals
from assent_service.core.principal import Principal
from assent_service.core.window import Window, rows_within, window_of
from assent_service.store.ledger import Ledger

MOST_GROUPS = 100
MOST_DAYS = 5000

_SIGNALS = "SELECT type, severity, agent_id, created_at FROM signals WHERE {chosen}"
_ACTIONS = "SELECT agent_id, source, count(*) AS n FROM actions WHERE {chosen} GROUP BY 1, 2"


async def signal_history(ledger: Ledger, principal: Principal, query: InsightQuery, now: int) -> SignalHistory:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    chosen = rows_within(window, "created_at", principal, query.agent_id)
    detected = await ledger.frame(_SIGNALS.format(chosen=chosen.where), chosen.parameters)
    chosen = rows_within(window, "timestamp_start", principal, query.agent_id)
    acted = await ledger.frame(_ACTIONS.format(chosen=chosen.where), chosen.parameters)
    return await asyncio.to_thread(_fold, window, detected, acted)


def _fold(window: Window, detected: pl.DataFrame, acted: pl.DataFrame) -> SignalHistory:
    kinds = ((), ("type",), ("agent_id",), ("type", "agent_id"))
    wanted = [signals.rates(detected, acted, by) for by in kinds]
    *rates, days = pl.collect_all([*wanted, signals.by_day(detected)])
    whole, by_type, by_agent, by_both = (_rates(each) for each in rates)
    lists = {"by_agent": by_agent, "by_type_and_agent": by_both}
    not_shown = {name: len(each) - MOST_GROUPS for name, each in lists.items() if len(each) > MOST_GROUPS}
    if days.height > MOST_DAYS:
        not_shown["days"] = days.height - MOST_DAYS
    return SignalHistory(
        window=window.text,
        since=window.since,
        until=window.until,
        all=whole[0],
        by_type=by_type,
        by_agent=by_agent[:MOST_GROUPS],
        by_type_and_agent=by_both[:MOST_GROUPS],
        days=msgspec.convert(days.tail(MOST_DAYS).to_dicts(), prepared(list[SignalDay])),
        not_shown=not_shown,
    )


def _rates(frame: pl.DataFrame) -> list[SignalRate]:
    nobody = {"type": None, "agent_id": None}
    return msgspec.convert([nobody | row for row in frame.to_dicts()], prepared(list[SignalRate]))
