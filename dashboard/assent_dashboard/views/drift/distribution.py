"""How all values of one metric lay before and since: what a mean alone does not tell.

It reads the values of one stream, and only when somebody asks for it. Keys: `drift_values` asks, `drift_ecdf` is the
picture.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import polars as pl
import streamlit as st

from assent.contract.window import days_of
from assent_analytics.charts import ecdf_comparison
from assent_analytics.ecdf import BASELINE, RECENT
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.drift import words as said
from assent_dashboard.views.drift.asked import Asked, Focus, recent_of
from assent_dashboard.views.drift.data import COLUMNS, load_steps
from assent_dashboard.views.kept import asked as ask
from assent_dashboard.views.picture import picture
from assent_dashboard.views.scope import Scope, in_words

LOGARITHMIC = ("duration_ms", "cost_estimate", "tokens")


def draw_distribution(session: Session, scope: Scope, asked: Asked, focus: Focus) -> None:
    if focus.agent_id is None or focus.metric not in COLUMNS:
        return
    at = _split(session, scope, asked, focus)
    if at is None:
        return
    split, before, since = at
    if not st.toggle(
        "Show how all values lay, not only their mean",
        key="drift_values",
        help=f"Reads every value of this agent{' and type' if focus.action_type else ''} in the window.",
    ):
        return
    question = (
        focus.agent_id,
        focus.action_type,
        focus.metric,
        scope.window,
        focus.alert and focus.alert.id,
        asked.recent,
    )
    with st.spinner("Reading the values", show_time=True):
        steps = ask("drift_values", lambda: load_steps(session.client, focus, scope.window, split), question)().answer
    counts = {
        str(each["window"]): int(each["n"]) for each in steps.group_by("window").agg(pl.col("n").first()).to_dicts()
    }
    if steps.is_empty():
        st.caption("No value in this window.")
        return
    st.caption(
        f"Baseline is {before}, recent is {since}. The line says which share of the values is at most so large; where "
        "the bands part, the two differ beyond doubt."
    )
    picture(
        ecdf_comparison(steps, metric=focus.metric, log=focus.metric in LOGARITHMIC, height=300),
        f"{said.titled(focus.metric, focus.agent_id, focus.action_type)}: the distribution of "
        f"{words.several(counts.get(BASELINE, 0), 'value')} {before} and {words.amount(counts.get(RECENT, 0))} "
        f"{since}, each with a 95% band",
        steps,
        key="drift_ecdf",
    )


def _split(session: Session, scope: Scope, asked: Asked, focus: Focus) -> tuple[datetime, str, str] | None:
    """The moment between the two, and what they are called."""
    if focus.alert is not None:
        moment = focus.alert.change_estimated_at
        return moment, f"before {words.moment(moment)}", "since then"
    recent = recent_of(asked, scope)
    if recent is None:
        return None
    now = session.clock.now()
    return now - timedelta(days=days_of(recent)), "the days before", in_words(recent)
