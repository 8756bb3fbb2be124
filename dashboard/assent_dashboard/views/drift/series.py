"""One metric of one agent day by day, with the moment of the change marked.

Keys: `drift_metric` chooses the metric, `drift_away` leaves the alert; `drift_series` is the picture.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import streamlit as st

from assent.contract.drift import DriftMetric, DriftSnapshots
from assent_analytics.charts import Level, daily
from assent_analytics.charts.canvas import Chart
from assent_analytics.charts.metrics import axis, named
from assent_dashboard.sessions import Session
from assent_dashboard.views import scope_controls, words
from assent_dashboard.views.drift import words as said
from assent_dashboard.views.drift.asked import SERIES, Asked, Focus
from assent_dashboard.views.drift.data import MOST_DAYS, Found, load_series, series_frame
from assent_dashboard.views.empty import empty
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.kept import Kept
from assent_dashboard.views.kept import asked as ask
from assent_dashboard.views.picture import picture
from assent_dashboard.views.scope import Scope, in_words

Coming = Callable[[], Kept[DriftSnapshots]]


def begin_series(session: Session, scope: Scope, focus: Focus) -> Coming | None:
    """Ask for it before it is drawn; None where no agent is chosen."""
    if focus.agent_id is None:
        return None
    question = (focus.agent_id, focus.action_type, focus.metric, focus.alert and focus.alert.id, scope.window)
    return ask("drift_series", lambda: load_series(session.client, focus, scope.window), question)


def draw_series(scope: Scope, asked: Asked, found: Found, focus: Focus, coming: Coming | None) -> None:
    st.header("Day by day", anchor=False)
    _choose(scope, asked, focus)
    metric = found.metric(focus.metric)
    if metric is not None:
        st.caption(said.explained(metric))
    if coming is None:
        empty(
            "No agent is chosen.",
            "Choose an agent at the top, or look closer at an alert: a mean over all agents would hide who changed.",
            key="drift_no_agent",
        )
        return
    st.markdown(
        f"**{words.plain(said.title(focus.metric))}** of {words.code(focus.agent_id)} "
        f"on {words.code(focus.action_type) if focus.action_type else said.ALL_TYPES}, {in_words(scope.window)}"
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
    draw_export("drift_series", {"days": frame}, scope.window)


def _choose(scope: Scope, asked: Asked, focus: Focus) -> None:
    key = "drift_metric"
    st.session_state[key] = focus.metric

    def chosen() -> None:
        # The agent and the type of the alert stay what is looked at.
        members = {"metric": st.session_state[key], "alert_id": None}
        if focus.alert is not None:
            members |= {"agent_id": focus.agent_id, "action_type": focus.action_type}
        scope_controls.put(scope.window, **members)

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox("Metric", SERIES, format_func=said.title, key=key, on_change=chosen, width=220)
        if asked.alert_id is not None or asked.metric is not None:
            st.button(
                "First alert",
                key="drift_away",
                icon=":material/arrow_back:",
                type="tertiary",
                on_click=scope_controls.put,
                args=(scope.window,),
                kwargs={"metric": None, "alert_id": None},
            )


def _drawn(focus: Focus, metric: DriftMetric | None, frame: pl.DataFrame) -> Chart:
    share = metric is not None and metric.unit == "share"
    how = {"format": ".0%", "tickCount": 5} if share else axis(focus.metric)
    alert = focus.alert
    marks = {}
    levels: list[Level] = []
    if alert is not None:
        marks = {"changed": alert.change_estimated_at, "certain": alert.detected_at}
        for name, value, since, until in (
            ("mean before", alert.baseline_mean, None, alert.change_estimated_at),
            ("mean since, until it was certain", alert.recent_mean, alert.change_estimated_at, alert.detected_at),
        ):
            if value is not None:
                levels.append(Level(name, value, since, until))
    return daily(
        frame,
        title=f"{said.title(focus.metric)} by day",
        axis=how,
        words=named(focus.metric),
        marks=marks,
        levels=tuple(levels),
    )


def _says(focus: Focus, frame: pl.DataFrame, unit: str | None) -> str:
    first, last = frame.row(0, named=True), frame.row(-1, named=True)
    alert = focus.alert
    change = f" It {said.moved(alert, unit)} about {words.moment(alert.change_estimated_at)}." if alert else ""
    n = words.several(int(frame["n"].sum()), "value")
    return (
        f"{said.titled(focus.metric, focus.agent_id, focus.action_type)}, the mean of each of "
        f"{words.several(frame.height, 'day')} with its 95% interval: {said.value(unit, first['mean'])} on "
        f"{first['day']}, {said.value(unit, last['mean'])} on {last['day']}; {n}.{change}"
    )
