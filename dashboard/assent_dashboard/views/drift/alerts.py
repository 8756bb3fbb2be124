"""The alerts: what changed, since when, from what to what, how sure that is, and what one can do about it.

Keys: `drift_alerts` holds the choice of the list, `drift_alert_<id>` an alert, `drift_look_<id>` the button that looks
at it below, `drift_more` shows more of them; those of `acting`.
"""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from assent.contract.drift import DriftAlert, DriftMetric, DriftStats
from assent.contract.guard import Source
from assent_dashboard.sessions import Session
from assent_dashboard.views import scope_controls, words
from assent_dashboard.views.drift import words as said
from assent_dashboard.views.drift.acting import draw_acting
from assent_dashboard.views.drift.asked import Asked, Focus, Shown
from assent_dashboard.views.drift.data import Found, days_after
from assent_dashboard.views.empty import empty
from assent_dashboard.views.links import to_page
from assent_dashboard.views.scope import Scope

STEP = 5
MORE = "drift_shown"
LABELS = {Shown.OPEN: "Open", Shown.ACKNOWLEDGED: "Acknowledged"}
JUDGED = {"worse": ("worse", "red"), "better": ("better", "green"), "different": ("different", "gray")}


def draw_alerts(session: Session, scope: Scope, asked: Asked, found: Found, focus: Focus) -> None:
    st.header(f"Alerts · {words.amount(found.stats.unacknowledged)} open", anchor=False)
    _choose(scope, asked)
    _watched(found.stats)
    if not found.alerts:
        _nothing(asked, found.stats)
        return
    shown = int(st.session_state.get(MORE, STEP))
    chosen = [each for each in found.alerts if focus.alert is not None and each.id == focus.alert.id]
    first = found.alerts[:shown]
    for alert in first + [each for each in chosen if each not in first]:
        _alert(session, scope, alert, found.metric(alert.metric), looked_at=alert in chosen)
    left = len(found.alerts) - shown
    if left > 0:
        st.button(f"Show {min(STEP, left)} more of {words.amount(found.total)}", key="drift_more", on_click=_more)
    elif found.total > len(found.alerts):
        st.caption(f"These are {len(found.alerts)} of {words.amount(found.total)}; choose an agent to see the others.")


def _choose(scope: Scope, asked: Asked) -> None:
    key = "drift_alerts"
    st.session_state[key] = asked.shown

    def chosen() -> None:
        shown = st.session_state[key]
        scope_controls.put(scope.window, alerts=None if shown is Shown.OPEN else str(shown), alert_id=None)

    st.segmented_control(
        "Which alerts", list(Shown), format_func=LABELS.__getitem__, key=key, on_change=chosen, required=True
    )


def _watched(stats: DriftStats) -> None:
    chance = f"1 in {words.amount(round(1 / stats.false_alarms))}"
    behind = "" if stats.caught_up else " What was recorded lately is still being read."
    st.caption(
        f"{words.several(stats.streams, 'stream')} of values (an agent, a type of action, a metric) "
        f"{'is' if stats.streams == 1 else 'are'} watched as they come, whatever the window. One that never changes "
        f"raises an alert with a probability of {chance} at most, however long it runs. When a change began is an "
        f"estimate, and no interval is known for it; the change was certain at the moment given after it.{behind}"
    )


def _nothing(asked: Asked, stats: DriftStats) -> None:
    if asked.shown is Shown.ACKNOWLEDGED:
        empty("No alert was acknowledged.", "What somebody acknowledges is listed here.", key="drift_no_alert")
    elif stats.streams:
        empty(
            "Nothing that is watched has changed.",
            "An alert comes here by itself, and a webhook can bring it elsewhere. A slow change may show in the "
            "comparison below before it shows here.",
            key="drift_no_alert",
        )
    else:
        empty(
            "Nothing is watched yet.",
            "Streams begin with the first finished action. Report durations, cost and confidence, too: each is a "
            "stream of its own.",
            'action = client.create_action("deploy", declared_goal="Ship 4.2", agent_id="releaser", confidence=80)\n'
            'client.update_outcome(action.action_id, status="completed", duration_ms=5300, cost_estimate=0.02)',
            key="drift_no_alert",
        )


def _alert(session: Session, scope: Scope, alert: DriftAlert, metric: DriftMetric | None, *, looked_at: bool) -> None:
    size, icon, colour = said.SIZES[alert.severity]
    judged, shade = JUDGED[said.judged(alert.direction, metric)]
    unit = metric.unit if metric else None
    with st.container(border=True, key=f"drift_alert_{alert.id}"):
        name = words.plain(said.title(alert.metric))
        st.markdown(
            f"{said.ARROWS[alert.direction]} **{name} {said.moved(alert, unit)}**  \n"
            f"{words.code(alert.agent_id or said.NO_AGENT)} on {words.code(alert.action_type)}"
        )
        badges = [f":{shade}-badge[{judged}]", f":{colour}-badge[{icon} {size} change]"]
        if alert.source is Source.SIMULATED:
            badges.append(":gray-badge[:material/science: simulated]")
        if looked_at:
            badges.append(":blue-badge[:material/visibility: shown below]")
        st.markdown(" ".join(badges))
        st.caption(f"{said.when(alert)}. {said.sure(alert)}.")
        if alert.acknowledged and alert.acknowledged_at is not None:
            st.caption(f"Acknowledged {words.moment(alert.acknowledged_at)} by {words.code(alert.acknowledged_by)}.")
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.button(
                "Look closer",
                key=f"drift_look_{alert.id}",
                icon=":material/visibility:",
                disabled=looked_at,
                on_click=_look,
                args=(scope, alert),
            )
            draw_acting(session, alert)
            _to_ledger(alert, session.clock.now())


def _to_ledger(alert: DriftAlert, now: datetime) -> None:
    query = {"window": days_after(alert.change_estimated_at, now), "action_type": alert.action_type}
    if alert.agent_id is not None:
        query["agent_id"] = alert.agent_id
    to_page("ledger", "Actions since then", query, icon=":material/receipt_long:")


def _look(scope: Scope, alert: DriftAlert) -> None:
    scope_controls.put(scope.window, alert_id=alert.id, metric=None)


def _more() -> None:
    st.session_state[MORE] = int(st.session_state.get(MORE, STEP)) + STEP
