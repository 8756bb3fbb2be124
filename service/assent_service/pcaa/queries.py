"""PCAA health of a window, by the rules of `assent_analytics.pcaa`.

The rules look at few things of an action, so the database gives each combination of them once, with its number: a
million actions become a few hundred rows. What only has to be there is given as a mark, a risk as 0 or the threshold,
and the time at which an action began as one that stands for its age: fresh, overdue or lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import polars as pl

from assent.contract.pcaa import EXPECTED, LOST, RISK, CheckpointCounts, PcaaCounts, PcaaHealth, PcaaHealthQuery
from assent.contract.prepared import prepared
from assent_analytics import pcaa
from assent_service.core.principal import Principal
from assent_service.core.window import Window, rows_within, window_of
from assent_service.store.ledger import Ledger

# An assumption or an approval is recorded after its action happened; the day allows for clocks that were set.
CLOCKS = timedelta(days=1)
INSTANT = timedelta(microseconds=1)

# What it is by comes first; then the newest recorded action of the group, where that is asked for.
_GATHERED = """
    SELECT
        {by}
        {action} AS action_id,
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
    GROUP BY {groups}
"""
_COLUMNS = 15
"""How many of the columns are grouped by, beside what it is by."""


async def health(ledger: Ledger, principal: Principal, query: PcaaHealthQuery, now: int) -> PcaaHealth:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    gathered = await gather(ledger, principal, window, query.agent_id, query.action_type)
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
        checkpoints=msgspec.convert(counts, prepared(list[CheckpointCounts])),
        simulated=numbers["simulated"],
    )


async def gather(
    ledger: Ledger,
    principal: Principal,
    window: Window,
    agent_id: str | None,
    action_type: str | None = None,
    by: Sequence[str] = (),
) -> pl.DataFrame:
    """What `pcaa.judge` asks of the window's actions that the caller may see, alike ones together as `n`; with `by`,
    those that have these columns in common, too. The action that stands for a group is its newest recorded one."""
    chosen = rows_within(window, "timestamp_start", principal, agent_id)
    chosen.add("action_type = ?", action_type)
    since, now = (at.replace(tzinfo=None) for at in (window.since - CLOCKS, window.until))
    lost, overdue = now - LOST, now - EXPECTED
    # All but the action's id, which follows on those that it is by.
    places = [*range(1, len(by) + 1), *range(len(by) + 2, len(by) + 2 + _COLUMNS)]
    return await ledger.frame(
        _GATHERED.format(
            chosen=chosen.where,
            by="".join(f"a.{column}, " for column in by),
            action="max(a.action_id)" if by else "'x'",
            groups=", ".join(str(place) for place in places),
        ),
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
