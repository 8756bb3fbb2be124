"""Approvals of a window, by the rules of `assent_analytics.approvals`."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import polars as pl

from assent.contract.insight import ApprovalInsight, InsightQuery, OperatorInsight
from assent.contract.prepared import prepared
from assent_analytics import approvals
from assent_service.core.principal import Principal
from assent_service.core.window import rows_within, window_of
from assent_service.store.ledger import Ledger

# Whether an approval is simulated stands with the action that it is about.
_APPROVALS = """
    SELECT p.state, p.requested_at, p.decided_at, p.decided_by, a.source
    FROM (SELECT * FROM approvals WHERE {chosen}) AS p
    LEFT JOIN (SELECT approval_id, source FROM actions WHERE org_id = ? AND approval_id IS NOT NULL) AS a
        ON a.approval_id = p.approval_id
"""


async def approval_insight(ledger: Ledger, principal: Principal, query: InsightQuery, now: int) -> ApprovalInsight:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    chosen = rows_within(window, "requested_at", principal, query.agent_id)
    frame = await ledger.frame(_APPROVALS.format(chosen=chosen.where), [*chosen.parameters, principal.org_id])
    numbers, operators = await asyncio.to_thread(_fold, frame)
    return ApprovalInsight(
        window=window.text,
        since=window.since,
        until=window.until,
        by_operator=msgspec.convert(operators, prepared(list[OperatorInsight])),
        **numbers,
    )


def _fold(frame: pl.DataFrame) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    numbers, operators = pl.collect_all([approvals.insight(frame), approvals.by_operator(frame)])
    return numbers.row(0, named=True), operators.to_dicts()
