"""One metric of one agent in pictures: day by day with the moment of the change marked, and how all its values lay
before and since.

Keys: `drift_metric` chooses the metric, `drift_away` leaves the alert; `drift_series` is the picture.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import polars as pl
import streamlit as st

from assent.contract.analysis.drift import DriftMetric, DriftSnapshots
from assent.contract.window import days_of
from assent_analytics.charts import MeanLevel, daily, ecdf_comparison
from assent_analytics.charts.canvas import Chart
from assent_analytics.charts.metrics import axis, named
from assent_analytics.ecdf import BASELINE, RECENT
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import SERIES, DriftAddress, in_words
from assent_dashboard.views.answers import CachedAnswer
from assent_dashboard.views.answers import asked as ask
from assent_dashboard.views.blocks import empty, picture
from assent_dashboard.views.controls import put
from assent_dashboard.views.drift import words as drift_words
from assent_dashboard.views.drift.data import (
    COLUMNS,
    MOST_DAYS,
    DriftData,
    Focus,
    load_series,
    load_steps,
    recent_of,
    series_frame,
)
from assent_dashboard.views.export import draw_export

Coming = Callable[[], CachedAnswer[DriftSnapshots]]


def begin_series(session: Session, address: DriftAddress, focus: Focus) -> Coming | None:
    """Ask for it before it is drawn; None where no agent is chosen."""
    if focus.agent_id is None:
        return None
    question = (focus.agent_id, focus.action_type, focus.metric, focus.alert and focus.alert.id, address.window)
    return ask("drift_series", lambda: load_series(session.client, focus, address.window), question)


def draw_series(address: DriftAddress, found: DriftData, focus: Focus, coming: Coming | None) -> None:
    st.header("Day by day", anchor=False)
    _choose(address, focus)
    metric = found.metric(focus.metric)
    if metric is not None:
        st.caption(drift_words.explained(metric))
    if coming is None:
        empty(
            "No agent is chosen.",
            "Choose an agent at the top, or look closer at an alert: a mean over all agents would hide who changed.",
            key="drift_no_agent",
        )
        return
    st.markdown(
        f"**{words.plain(drift_words.title(focus.metric))}** of {words.code(focus.agent_id)} "
        f"on {words.code(focus.action_type) if focus.action_type else drift_words.ALL_TYPES}, "
        f"{in_words(address.window)}"
    )
    with st.spinner("Counting day by day", show_time=True):
        snapshots = coming().answer
    frame = series_frame([each for each in snapshots.snapshots if each.agent_id == focus.agent_id])
    if frame.is_empty():
        empty(
            "No value in this window.",
            "Choose a longer window, another metric, or look whether actions are finished: only those count.",
            key="drift_no_value",
        )
        return
    unit = metric.unit if metric else None
    picture(_drawn(focus, metric, frame), _says(focus, frame, unit), frame, key="drift_series")
    if frame.height >= MOST_DAYS:
        st.caption(f"The newest {MOST_DAYS} days with values.")
    if focus.alert is not None and focus.alert.change_estimated_at < snapshots.since:
        st.caption("The change lies before this window; a longer one shows it.")
    draw_export("drift_series", {"days": frame}, address.window)


def _choose(address: DriftAddress, focus: Focus) -> None:
    key = "drift_metric"
    st.session_state[key] = focus.metric

    def chosen() -> None:
        # The agent and the type of the alert stay what is looked at.
        members = {"metric": st.session_state[key], "alert_id": None}
        if focus.alert is not None:
            members |= {"agent_id": focus.agent_id, "action_type": focus.action_type}
        put(address, **members)

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox("Metric", SERIES, format_func=drift_words.title, key=key, on_change=chosen, width=220)
        if address.alert_id is not None or address.metric is not None:
            st.button(
                "First alert",
                key="drift_away",
                icon=":material/arrow_back:",
                type="tertiary",
                on_click=put,
                args=(address,),
                kwargs={"metric": None, "alert_id": None},
            )


def _drawn(focus: Focus, metric: DriftMetric | None, frame: pl.DataFrame) -> Chart:
    share = metric is not None and metric.unit == "share"
    how = {"format": ".0%", "tickCount": 5} if share else axis(focus.metric)
    alert = focus.alert
    marks = {}
    levels: list[MeanLevel] = []
    if alert is not None:
        marks = {"changed": alert.change_estimated_at, "certain": alert.detected_at}
        for name, value, since, until in (
            ("mean before", alert.baseline_mean, None, alert.change_estimated_at),
            ("mean since, until it was certain", alert.recent_mean, alert.change_estimated_at, alert.detected_at),
        ):
            if value is not None:
                levels.append(MeanLevel(name, value, since, until))
    return daily(
        frame,
        title=f"{drift_words.title(focus.metric)} by day",
        axis=how,
        words=named(focus.metric),
        marks=marks,
        levels=tuple(levels),
    )


def _says(focus: Focus, frame: pl.DataFrame, unit: str | None) -> str:
    first, last = frame.row(0, named=True), frame.row(-1, named=True)
    alert = focus.alert
    change = f" It {drift_words.moved(alert, unit)} about {words.moment(alert.change_estimated_at)}." if alert else ""
    n = words.several(int(frame["n"].sum()), "value")
    return (
        f"{drift_words.titled(focus.metric, focus.agent_id, focus.action_type)}, the mean of each of "
        f"{words.several(frame.height, 'day')} with its 95% interval: {drift_words.value(unit, first['mean'])} on "
        f"{first['day']}, {drift_words.value(unit, last['mean'])} on {last['day']}; {n}.{change}"
    )


# How all values of one metric lay before and since: what a mean alone does not tell.
#
# It reads the values of one stream, and only when somebody asks for it. Keys: `drift_values` asks, `drift_ecdf` is the
# picture.


LOGARITHMIC = ("duration_ms", "cost_estimate", "tokens")


def draw_distribution(session: Session, address: DriftAddress, focus: Focus) -> None:
    if focus.agent_id is None or focus.metric not in COLUMNS:
        return
    at = _split(session, address, focus)
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
        address.window,
        focus.alert and focus.alert.id,
        address.recent,
    )
    with st.spinner("Reading the values", show_time=True):
        steps = ask("drift_values", lambda: load_steps(session.client, focus, address.window, split), question)().answer
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
        f"{drift_words.titled(focus.metric, focus.agent_id, focus.action_type)}: the distribution of "
        f"{words.several(counts.get(BASELINE, 0), 'value')} {before} and {words.amount(counts.get(RECENT, 0))} "
        f"{since}, each with a 95% band",
        steps,
        key="drift_ecdf",
    )


def _split(session: Session, address: DriftAddress, focus: Focus) -> tuple[datetime, str, str] | None:
    """The moment between the two, and what they are called."""
    if focus.alert is not None:
        moment = focus.alert.change_estimated_at
        return moment, f"before {words.moment(moment)}", "since then"
    recent = recent_of(address)
    if recent is None:
        return None
    now = session.clock.now()
    return now - timedelta(days=days_of(recent)), "the days before", in_words(recent)
