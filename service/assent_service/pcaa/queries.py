"""PCAA health of a window, by the rules of `assent_analytics.pcaa`.

The rules look at few things of an action, so the database gives each combination of them once, with its number: a
million actions become a few hundred rows. What only has to be there is given as a mark, a risk as 0 or the threshold,
and the time at which an action began as one that stands for its age: fresh, overdue or lost.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import msgspec
import polars as pl

from assent.contract.pcaa import EXPECTED, LOST, RISK, CheckpointCounts, PcaaCounts, PcaaHealth, PcaaHealthQuery
from assent_analytics import pcaa
from assent_service.core.principal import Principal
from assent_service.core.window import Window, rows_within, window_of
from assent_service.store.ledger import Ledger

# An assumption or an approval is recorded after its action happened; the day allows for clocks that were set.
CLOCKS = timedelta(days=1)
INSTANT = timedelta(microseconds=1)

_GATHERED = """
    SELECT
        'x' AS action_id,
        a.decision,
        CASE WHEN a.decision_id <> '' THEN 'x' END AS decision_id,
        a.status,
        CASE WHEN a.risk_score >= ? THEN ? ELSE 0 END AS risk_score,
        a.runtime,
        a.source,
        CASE WHEN a.declared_goal <> '' THEN 'x' END AS declared_goal,
        CASE WHEN a.began < ? THEN ? WHEN a.began < ? THEN ? ELSE ? END AS timestamp_start,
        CAST(NULL AS TIMESTAMP) AS approved_at,
        CASE WHEN a.output_summary <> '' THEN 'x' END AS output_summary,
        CASE WHEN a.error_message <> '' THEN 'x' END AS error_message,
        b.action_id IS NOT NULL AS assumed,
        coalesce(b.named = 1, FALSE) AS based,
        p.state AS approval_state,
        CASE WHEN p.decided_by <> '' THEN 'x' END AS approval_decided_by,
        count(*) AS n
    FROM (
        SELECT
            *,
            CASE WHEN approved_at > timestamp_start THEN approved_at ELSE timestamp_start END AS began,
            CASE WHEN risk_score >= ? OR approval_id IS NOT NULL OR decision = 'require_approval' THEN action_id END
                AS matters
        FROM actions WHERE {chosen}
    ) AS a
    LEFT JOIN (
        SELECT action_id, max(CASE WHEN basis <> '' THEN 1 ELSE 0 END) AS named
        FROM assumptions WHERE org_id = ? AND created_at >= ? GROUP BY action_id
    ) AS b ON b.action_id = a.matters
    LEFT JOIN (
        SELECT approval_id, state, decided_by FROM approvals WHERE org_id = ? AND created_at >= ?
    ) AS p ON p.approval_id = a.approval_id
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
"""


async def health(ledger: Ledger, principal: Principal, query: PcaaHealthQuery, now: int) -> PcaaHealth:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    gathered = await gather(ledger, principal, window, query.agent_id)
    # Polars works in threads of its own; the event loop must not wait for them.
    numbers, counts = await asyncio.to_thread(_fold, gathered, window.until)
    n = numbers["n"]
    return PcaaHealth(
        window=window.text,
        since=window.since,
        until=window.until,
        checkpointCoverage=numbers["checkpoint_coverage"],
        approvalRate=numbers["approval_rate"],
        evidenceCompletion=numbers["evidence_completion"],
        n=PcaaCounts(checkpointCoverage=n, approvalRate=n, evidenceCompletion=n),
        checkpoints=msgspec.convert(counts, list[CheckpointCounts]),
        simulated=numbers["simulated"],
    )


async def gather(ledger: Ledger, principal: Principal, window: Window, agent_id: str | None) -> pl.DataFrame:
    """What `pcaa.judge` asks of the window's actions that the caller may see, alike ones together as `n`."""
    chosen = rows_within(window, "timestamp_start", principal, agent_id)
    since, now = (at.replace(tzinfo=None) for at in (window.since - CLOCKS, window.until))
    lost, overdue = now - LOST, now - EXPECTED
    return await ledger.frame(
        _GATHERED.format(chosen=chosen.where),
        [
            *(RISK, RISK),
            *(lost, lost - INSTANT, overdue, overdue - INSTANT, now),
            RISK,
            *chosen.parameters,
            *(principal.org_id, since),
            *(principal.org_id, since),
        ],
    )


def _fold(gathered: pl.DataFrame, now: datetime) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    states = pcaa.judge(gathered, now).collect()
    numbers, counts = pl.collect_all([pcaa.health(states), pcaa.checkpoint_counts(states)])
    return numbers.row(0, named=True), counts.to_dicts()
