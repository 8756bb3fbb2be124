"""What the three pictures over the list show, in words, for whoever cannot see them. Pure."""

from __future__ import annotations

import polars as pl

from assent.contract.insight import ApprovalInsight, DecisionMix
from assent_dashboard.views import words


def decisions(mix: DecisionMix) -> str:
    """How guard decided, and on which day it blocked most."""
    said = (
        f"Guard's decisions by day: {words.amount(mix.allow)} allowed, {words.amount(mix.warn)} with a warning, "
        f"{words.amount(mix.require_approval)} sent to an operator, {words.amount(mix.block)} blocked"
    )
    worst = max(mix.days, key=lambda day: day.block, default=None)
    if worst is None or not worst.block:
        return f"{said}{_simulated(mix.simulated, mix.n)}."
    at = f"{worst.day.day} {worst.day:%b %Y}"
    return f"{said}; most blocks on {at}, {words.amount(worst.block)}{_simulated(mix.simulated, mix.n)}."


def latency(insight: ApprovalInsight) -> str:
    """How long operators took."""
    if insight.p50_seconds is None or insight.p95_seconds is None:
        return "Time to decide: no operator has decided anything in this window."
    return (
        f"Time to decide of {words.several(insight.decided, 'approval')}: half within "
        f"{words.exact(insight.p50_seconds)}, 95 of 100 within {words.exact(insight.p95_seconds)}"
        f"{_simulated(insight.simulated, insight.asked)}."
    )


def waiting(backlog: pl.DataFrame, insight: ApprovalInsight) -> str:
    """How many waited: the most, and how many of them now."""
    most = backlog["waiting"].max()
    if backlog.is_empty() or not isinstance(most, int):
        return "Approvals that waited: nobody was asked in this window."
    at = backlog.filter(pl.col("waiting") == most)["at"][0]
    return (
        f"Approvals that waited at a time: {words.amount(most)} at most, first at {words.moment(at)}; "
        f"{words.amount(insight.awaiting)} of those asked in this window wait now"
        f"{_simulated(insight.simulated, insight.asked)}."
    )


def _simulated(simulated: int, of: int) -> str:
    if not simulated:
        return ""
    return "; all of it simulated" if simulated >= of else f"; {words.amount(simulated)} of them simulated"
