"""Three small pictures over the list of actions, and the same in words: how guard decided by day, how long people took,
how many waited.

They are of the window and the agent, whatever else is filtered: a picture of failures only would hide what they are a
part of. Kept for a minute, and drawn after the list when they take longer, so that nobody waits for them.

Keys: `ledger_above`, `ledger_overview`, `ledger_decisions_picture`, `ledger_latency_picture`, `ledger_backlog_picture`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

import polars as pl
import streamlit as st

from assent import Client
from assent.contract.analysis.insight import ApprovalInsight, DecisionMix
from assent_analytics import charts
from assent_analytics.approvals import backlog, times_to_decide
from assent_analytics.charts.canvas import Chart
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import LedgerAddress
from assent_dashboard.views.answers import asked, both, is_known
from assent_dashboard.views.blocks import ROWS, picture

HEIGHT = 280
STEPS = 200
"""Moments that the backlog is told at."""
NAME = "ledger_overview"
COLUMNS = ("state", "requested_at", "decided_at")

STYLE = """<style>
@media (max-width: 640px) {
  .st-key-ledger_overview [data-testid="stHorizontalBlock"] { overflow-x: auto; flex-wrap: nowrap; }
  .st-key-ledger_overview [data-testid="stColumn"] { min-width: 88%; }
}
</style>"""


@dataclass(frozen=True)
class Drawn:
    """A picture, what it says, and the numbers it was drawn from."""

    name: str
    chart: Chart
    says: str
    numbers: pl.DataFrame


@dataclass
class Overview:
    """What the service said of a window; `approvals` holds those asked in it, with `COLUMNS`."""

    mix: DecisionMix
    insight: ApprovalInsight
    approvals: pl.DataFrame

    @cached_property
    def pictures(self) -> tuple[Drawn, ...]:
        """Made once, and not in the thread that asks: what draws is imported by the page's own."""
        return pictures(self.mix, self.insight, self.approvals)


def begin(session: Session, filters: LedgerAddress) -> Callable[[], Overview]:
    """Ask for it, unless it is known; calling what is given back waits for it."""
    coming = asked(NAME, lambda: _load(session.client, filters.window, filters.agent_id), _question(filters))
    return lambda: coming().answer


def is_here(filters: LedgerAddress) -> bool:
    """Whether it need not be waited for."""
    return is_known(NAME, _question(filters))


def keep_place() -> None:
    """So that the list below does not move under somebody's hand when the pictures come."""
    st.html(f"<style>.st-key-ledger_above {{ min-height: {HEIGHT + 70}px; }}</style>")


def draw(overview: Overview, filters: LedgerAddress) -> None:
    if not overview.mix.n:
        return
    st.html(STYLE)
    with st.container(key="ledger_overview"):
        for place, each in zip(st.columns(len(overview.pictures), wrap=False), overview.pictures, strict=True):
            with place:
                picture(each.chart, each.says, each.numbers, key=f"ledger_{each.name}")
    if filters.action_type or filters.status or filters.decision:
        st.caption("The pictures show every type, status and decision; the list below is filtered.")


def _question(filters: LedgerAddress) -> tuple[str, str | None]:
    return filters.window, filters.agent_id


def _load(client: Client, window: str, agent_id: str | None) -> Overview:
    mix, (insight, approvals) = both(
        lambda: client.get_decision_mix(window, agent_id),
        lambda: both(
            lambda: client.get_approval_insight(window, agent_id),
            lambda: client.frame("approvals", window, COLUMNS, agent_id=agent_id),
        ),
    )
    return Overview(mix, insight, approvals)


def pictures(mix: DecisionMix, insight: ApprovalInsight, approvals: pl.DataFrame) -> tuple[Drawn, ...]:
    """`approvals` holds the approvals of the same window, with `COLUMNS`."""
    days = pl.DataFrame(
        [(day.day, day.allow, day.warn, day.require_approval, day.block) for day in mix.days],
        schema={"day": pl.Date, "allow": pl.Int64, "warn": pl.Int64, "require_approval": pl.Int64, "block": pl.Int64},
        orient="row",
    )
    times = times_to_decide(approvals).with_columns(simulated=pl.lit(0 < insight.asked <= insight.simulated)).collect()
    every = max((insight.until - insight.since) / STEPS, timedelta(seconds=1))
    waiting = backlog(approvals, every, since=insight.since, until=insight.until).collect()
    return (
        Drawn(
            "decisions",
            charts.decision_mix(days, simulated=mix.simulated, height=HEIGHT),
            decisions_in_words(mix),
            days,
        ),
        Drawn(
            "latency",
            charts.approval_latency(times, height=HEIGHT),
            latency_in_words(insight),
            times.sort("seconds").head(ROWS),
        ),
        Drawn(
            "backlog",
            charts.approval_backlog(waiting, asked=approvals.height, simulated=insight.simulated, height=HEIGHT),
            waiting_in_words(waiting, insight),
            waiting,
        ),
    )


# What the three pictures over the list show, in words, for whoever cannot see them. Pure.


def decisions_in_words(mix: DecisionMix) -> str:
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


def latency_in_words(insight: ApprovalInsight) -> str:
    """How long operators took."""
    if insight.p50_seconds is None or insight.p95_seconds is None:
        return "Time to decide: no operator has decided anything in this window."
    return (
        f"Time to decide of {words.several(insight.decided, 'approval')}: half within "
        f"{words.exact(insight.p50_seconds)}, 95 of 100 within {words.exact(insight.p95_seconds)}"
        f"{_simulated(insight.simulated, insight.asked)}."
    )


def waiting_in_words(backlog: pl.DataFrame, insight: ApprovalInsight) -> str:
    """How many waited: the most, and how many of them now."""
    most = backlog["most"].max()
    if backlog.is_empty() or not isinstance(most, int):
        return "Approvals that waited: nobody was asked in this window."
    at = backlog.filter(pl.col("most") == most)["at"][0]
    return (
        f"Approvals that waited at a time: {words.amount(most)} at most, first at {words.moment(at)}; "
        f"{words.amount(insight.awaiting)} of those asked in this window wait now"
        f"{_simulated(insight.simulated, insight.asked)}."
    )


def _simulated(simulated: int, of: int) -> str:
    if not simulated:
        return ""
    return "; all of it simulated" if simulated >= of else f"; {words.amount(simulated)} of them simulated"
