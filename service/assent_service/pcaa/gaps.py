"""PCAA gaps of a window, by the rules of `assent_analytics.pcaa_gaps`; `queries` gathers by agent and type."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
import polars as pl

from assent.contract.pcaa import CheckpointCounts
from assent.contract.pcaa_gaps import MOST_GAPS, MOST_GROUPS, PcaaGap, PcaaGaps, PcaaGapsQuery, PcaaGroup
from assent.contract.prepared import prepared
from assent_analytics import pcaa, pcaa_gaps
from assent_service.core.principal import Principal
from assent_service.core.window import Window, window_of
from assent_service.pcaa.queries import gather
from assent_service.store.ledger import Ledger

GROUPED = {"by_agent": "agent_id", "by_type": "action_type", "by_runtime": "runtime"}


async def gaps(ledger: Ledger, principal: Principal, query: PcaaGapsQuery, now: int) -> PcaaGaps:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    gathered = await gather(
        ledger, principal, window, query.agent_id, query.action_type, by=("agent_id", "action_type")
    )
    # Polars works in threads of its own; the event loop must not wait for them.
    return await asyncio.to_thread(_fold, gathered, window)


def _fold(gathered: pl.DataFrame, window: Window) -> PcaaGaps:
    states = pcaa.judge(gathered, window.until).collect()
    everything, counts, found, *grouped = pl.collect_all(
        [
            pcaa_gaps.groups(states),
            pcaa.checkpoint_counts(states),
            pcaa_gaps.gaps(states),
            *(pcaa_gaps.groups(states, column) for column in GROUPED.values()),
        ]
    )
    by = dict(zip(GROUPED, grouped, strict=True))
    return PcaaGaps(
        window=window.text,
        since=window.since,
        until=window.until,
        all=_group(everything.row(0, named=True)),
        checkpoints=msgspec.convert(counts.to_dicts(), prepared(list[CheckpointCounts])),
        by_agent=[_group(row) for row in by["by_agent"].head(MOST_GROUPS).iter_rows(named=True)],
        by_type=[_group(row) for row in by["by_type"].head(MOST_GROUPS).iter_rows(named=True)],
        by_runtime=[_group(row) for row in by["by_runtime"].head(MOST_GROUPS).iter_rows(named=True)],
        gaps=msgspec.convert(found.head(MOST_GAPS).to_dicts(), prepared(list[PcaaGap])),
        not_shown={
            **{name: max(0, frame.height - MOST_GROUPS) for name, frame in by.items()},
            "gaps": max(0, found.height - MOST_GAPS),
        },
    )


def _group(row: Mapping[str, Any]) -> PcaaGroup:
    estimates = {
        name: {"value": row[name], "low": row[f"{name}_low"], "high": row[f"{name}_high"]}
        for name in ("coverage", "approval", "evidence")
    }
    return msgspec.convert(dict(row) | estimates, prepared(PcaaGroup))
