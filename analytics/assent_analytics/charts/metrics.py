"""What metrics are called on axes, and how their values are written there."""

from __future__ import annotations

from typing import Any

from assent_analytics.charts.canvas import CLOSE
from assent_analytics.charts.palette import spoken

NAMES = {
    "score": "episode score",
    "risk_score": "risk",
    "duration_ms": "duration",
    "cost_estimate": "cost",
    "approval_rate": "approvals asked",
    "block_rate": "blocks",
    "action_mix": "mix of actions",
}
"""Others are called what they are called."""
SECONDS = (
    "{0} < 1 ? format({0} * 1000, '.3~g') + ' ms' : {0} < 60 ? format({0}, '.3~g') + ' s'"
    " : {0} < 3600 ? format({0} / 60, '.3~g') + ' min' : {0} < 86400 ? format({0} / 3600, '.3~g') + ' h'"
    " : format({0} / 86400, '.3~g') + ' d'"
)
"""A number of seconds in words, as an expression of Vega."""
TIMES = [1, 10, 100, 1000, 10_000, 60_000, 300_000, 1_800_000, 7_200_000, 28_800_000, 86_400_000, 604_800_000]
"""Ticks of a log axis in milliseconds."""


def named(metric: str) -> str:
    return NAMES.get(metric, spoken(metric))


def axis(metric: str, *, log: bool = False) -> dict[str, Any]:
    """Members of `alt.Axis` for values of a metric."""
    how: dict[str, Any] = {"labelOverlap": True, "tickCount": 6, "grid": False, **CLOSE}
    if metric == "duration_ms":
        return {**how, "labelExpr": SECONDS.format("(datum.value / 1000)"), **({"values": TIMES} if log else {})}
    return {**how, "format": "$~s" if metric == "cost_estimate" else "~s"}
