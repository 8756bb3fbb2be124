"""Three small pictures over the list: how guard decided by day, how long people took, how many waited.

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
from assent.contract.insight import ApprovalInsight, DecisionMix
from assent_analytics import charts
from assent_analytics.approvals import backlog, times_to_decide
from assent_analytics.charts.canvas import Chart
from assent_dashboard.sessions import Session
from assent_dashboard.views.kept import asked, is_known
from assent_dashboard.views.ledger import overview_words
from assent_dashboard.views.ledger.filters import Filters
from assent_dashboard.views.picture import ROWS, picture
from assent_dashboard.views.side_by_side import both

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


def begin(session: Session, filters: Filters) -> Callable[[], Overview]:
    """Ask for it, unless it is known; calling what is given back waits for it."""
    coming = asked(NAME, lambda: _load(session.client, filters.window, filters.agent_id), _question(filters))
    return lambda: coming().answer


def is_here(filters: Filters) -> bool:
    """Whether it need not be waited for."""
    return is_known(NAME, _question(filters))


def keep_place() -> None:
    """So that the list below does not move under somebody's hand when the pictures come."""
    st.html(f"<style>.st-key-ledger_above {{ min-height: {HEIGHT + 70}px; }}</style>")


def draw(overview: Overview, filters: Filters) -> None:
    if not overview.mix.n:
        return
    st.html(STYLE)
    with st.container(key="ledger_overview"):
        for place, each in zip(st.columns(len(overview.pictures), wrap=False), overview.pictures, strict=True):
            with place:
                picture(each.chart, each.says, each.numbers, key=f"ledger_{each.name}")
    if filters.action_type or filters.status or filters.decision:
        st.caption("The pictures show every type, status and decision; the list below is filtered.")


def _question(filters: Filters) -> tuple[str, str | None]:
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
            overview_words.decisions(mix),
            days,
        ),
        Drawn(
            "latency",
            charts.approval_latency(times, height=HEIGHT),
            overview_words.latency(insight),
            times.sort("seconds").head(ROWS),
        ),
        Drawn(
            "backlog",
            charts.approval_backlog(waiting, asked=approvals.height, simulated=insight.simulated, height=HEIGHT),
            overview_words.waiting(waiting, insight),
            waiting,
        ),
    )
