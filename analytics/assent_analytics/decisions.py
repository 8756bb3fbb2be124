"""How guard decided: the mix of allow, warn, require_approval and block, in all, by day, by agent, by action type."""

from __future__ import annotations

from typing import Literal

import polars as pl

from assent.contract.control.guard import Decision
from assent_analytics.frames import Frame, count, need, one_of, simulated, utc, weight


def mix(decisions: Frame) -> pl.LazyFrame:
    """One row: `n` decisions, how many were `allow`, `warn`, `require_approval` and `block` (they add up to n), and
    how many of the n are `simulated`."""
    return need(decisions, ("decision",), "decisions").select(*_counts(decisions))


def mix_by_day(decisions: Frame) -> pl.LazyFrame:
    """The mix of each day (UTC, by `occurred_at`) that has decisions, in order; the column is `day`."""
    frame = need(decisions, ("decision", "occurred_at"), "decisions")
    return frame.group_by(utc("occurred_at").dt.date().alias("day")).agg(*_counts(decisions)).sort("day")


def mix_by(decisions: Frame, group: Literal["agent_id", "action_type"]) -> pl.LazyFrame:
    """The mix of each agent or action type, the one with most decisions first, then by name."""
    frame = need(decisions, ("decision", group), "decisions")
    return frame.group_by(group).agg(*_counts(decisions)).sort("n", group, descending=[True, False])


def _counts(decisions: Frame) -> list[pl.Expr]:
    times = weight(decisions)
    known = one_of("decision", *Decision)
    return [
        count(known, times).alias("n"),
        *(count(one_of("decision", each), times).alias(each.value) for each in Decision),
        count(known & simulated(decisions), times).alias("simulated"),
    ]
