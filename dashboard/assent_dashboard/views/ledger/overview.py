"""Three small pictures over the list: how guard decided by day, how long people took, how many waited.

They are of the window and the agent, whatever else is filtered: a picture of failures only would hide what they are a
part of. Kept for a minute for each key, so that a page is not drawn slower for them. Key: `ledger_overview`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import polars as pl
import streamlit as st

from assent import Client
from assent.contract.insight import ApprovalInsight, DecisionMix
from assent_analytics import charts
from assent_analytics.approvals import backlog, times_to_decide
from assent_analytics.charts.canvas import Chart
from assent_dashboard.sessions import Session
from assent_dashboard.views.ledger.data import KEPT_SECONDS
from assent_dashboard.views.ledger.filters import Filters
from assent_dashboard.views.side_by_side import both

HEIGHT = 280
STEPS = 200
"""Moments that the backlog is told at."""
COLUMNS = ("state", "requested_at", "decided_at")

STYLE = """<style>
@media (max-width: 640px) {
  .st-key-ledger_overview [data-testid="stHorizontalBlock"] { overflow-x: auto; flex-wrap: nowrap; }
  .st-key-ledger_overview [data-testid="stColumn"] { min-width: 88%; }
}
</style>"""


@dataclass(frozen=True)
class Overview:
    """The pictures say themselves what of them is simulated; `decisions` is how many they stand on."""

    pictures: tuple[Chart, ...]
    decisions: int


def load(session: Session, filters: Filters) -> Overview:
    return _load(session.key.key_id, filters.window, filters.agent_id, session.client)


def draw(overview: Overview, filters: Filters) -> None:
    if not overview.decisions:
        return
    st.html(STYLE)
    with st.container(key="ledger_overview"):
        for place, picture in zip(st.columns(len(overview.pictures), wrap=False), overview.pictures, strict=True):
            with place:
                st.altair_chart(picture, width="stretch")
    if filters.action_type or filters.status or filters.decision:
        st.caption("The pictures show every type, status and decision; the list below is filtered.")


# The pictures are read by many runs at a time and changed by none.
@st.cache_resource(ttl=KEPT_SECONDS, max_entries=200, show_spinner=False)
def _load(key_id: str, window: str, agent_id: str | None, _client: Client) -> Overview:
    mix, (insight, asked) = both(
        lambda: _client.get_decision_mix(window, agent_id),
        lambda: both(
            lambda: _client.get_approval_insight(window, agent_id),
            lambda: _client.frame("approvals", window, COLUMNS, agent_id=agent_id),
        ),
    )
    return Overview(pictures(mix, insight, asked), mix.n)


def pictures(mix: DecisionMix, insight: ApprovalInsight, asked: pl.DataFrame) -> tuple[Chart, ...]:
    """`asked` holds the approvals of the same window, with `COLUMNS`."""
    days = pl.DataFrame(
        [(day.day, day.allow, day.warn, day.require_approval, day.block) for day in mix.days],
        schema={"day": pl.Date, "allow": pl.Int64, "warn": pl.Int64, "require_approval": pl.Int64, "block": pl.Int64},
        orient="row",
    )
    times = times_to_decide(asked).with_columns(simulated=pl.lit(0 < insight.asked <= insight.simulated))
    every = max((insight.until - insight.since) / STEPS, timedelta(seconds=1))
    waiting = backlog(asked, every, since=insight.since, until=insight.until)
    return (
        charts.decision_mix(days, simulated=mix.simulated, height=HEIGHT),
        charts.approval_latency(times, height=HEIGHT),
        charts.approval_backlog(waiting, asked=asked.height, simulated=insight.simulated, height=HEIGHT),
    )
