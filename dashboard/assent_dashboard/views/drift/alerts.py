"""The list of drift alerts: what changed, since when, from what to what, how sure that is; and taking note of an alert
or taking it off the list.

Keys: `drift_alerts` holds the choice of the list, `drift_alert_<id>` an alert, `drift_look_<id>` the button that looks
at it below, `drift_more` shows more of them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum

import streamlit as st

from assent import Role
from assent.contract.analysis.drift import DriftAlert, DriftMetric, DriftStats
from assent.contract.control.guard import Source
from assent.errors import NotFound
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import AlertList, DriftAddress, LedgerAddress
from assent_dashboard.views.answers import forget
from assent_dashboard.views.blocks import empty
from assent_dashboard.views.controls import choose_part, put
from assent_dashboard.views.drift import words as drift_words
from assent_dashboard.views.drift.data import DriftData, Focus, days_after
from assent_dashboard.views.links import to_page
from assent_dashboard.views.press import attempt, report

STEP = 5
MORE = "drift_shown"
LABELS = {AlertList.OPEN: "Open", AlertList.ACKNOWLEDGED: "Acknowledged"}
JUDGED = {"worse": ("worse", "red"), "better": ("better", "green"), "different": ("different", "gray")}


def draw_alerts(session: Session, address: DriftAddress, found: DriftData, focus: Focus) -> None:
    if address.alerts is AlertList.OPEN and found.alerts:
        foremost = found.alerts[0]
        metric = found.metric(foremost.metric)
        st.markdown(f"**{words.plain(drift_words.headline(foremost, metric.unit if metric else None))}**")
    sure = f", {words.amount(found.stats.established)} of them established" if found.stats.unacknowledged else ""
    st.header(f"Alerts · {words.amount(found.stats.unacknowledged)} open{sure}", anchor=False)
    _choose(address)
    _watched(found.stats)
    if found.alerts:
        st.caption(
            "The day on which a change was certain counts, the newest first; of one day what is established, then the "
            "largest change."
        )
    if not found.alerts:
        _nothing(address, found.stats)
        return
    shown = int(st.session_state.get(MORE, STEP))
    chosen = [each for each in found.alerts if focus.alert is not None and each.id == focus.alert.id]
    first = found.alerts[:shown]
    for alert in first + [each for each in chosen if each not in first]:
        _alert(session, address, alert, found.metric(alert.metric), looked_at=alert in chosen)
    left = len(found.alerts) - shown
    if left > 0:
        st.button(f"Show {min(STEP, left)} more of {words.amount(found.total)}", key="drift_more", on_click=_more)
    elif found.total > len(found.alerts):
        st.caption(f"These are {len(found.alerts)} of {words.amount(found.total)}; choose an agent to see the others.")


def _choose(address: DriftAddress) -> None:
    def open_list(chosen: StrEnum) -> None:
        put(address, alerts=None if chosen is AlertList.OPEN else str(chosen), alert_id=None)

    choose_part(address, "alerts", "Which alerts", LABELS, open_list, labelled=True)


def _watched(stats: DriftStats) -> None:
    chance = f"1 in {words.amount(round(1 / stats.false_alarms))}"
    behind = "" if stats.caught_up else " What was recorded lately is still being read."
    st.caption(
        f"{words.several(stats.streams, 'stream')} of values (an agent, a type of action, a metric) "
        f"{'is' if stats.streams == 1 else 'are'} watched as they come, whatever the window. One that never changes "
        f"raises a hint with a probability of {chance} at most, however long it runs, if its values are independent of "
        "each other. Where values of one session are alike, follow each other or have a rhythm of days or weeks, many "
        "hints are false. What is **established** allows for these: sessions count once and are taken to be "
        "independent, and values count less the more they depend on those before. It comes later, and not of every "
        f"change.{behind}"
    )


def _nothing(address: DriftAddress, stats: DriftStats) -> None:
    if address.alerts is AlertList.ACKNOWLEDGED:
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


def _alert(
    session: Session, address: DriftAddress, alert: DriftAlert, metric: DriftMetric | None, *, looked_at: bool
) -> None:
    size, icon, colour = drift_words.SIZES[alert.severity]
    judged, shade = JUDGED[drift_words.judged(alert.direction, metric)]
    unit = metric.unit if metric else None
    with st.container(border=True, key=f"drift_alert_{alert.id}"):
        name = words.plain(drift_words.title(alert.metric))
        st.markdown(
            f"{drift_words.ARROWS[alert.direction]} **{name} {drift_words.moved(alert, unit)}**  \n"
            f"{words.code(alert.agent_id or drift_words.NO_AGENT)} on {words.code(alert.action_type)}"
        )
        badges = [
            ":violet-badge[:material/verified: established]" if alert.established else ":gray-badge[hint]",
            f":{shade}-badge[{judged}]",
            f":{colour}-badge[{icon} {size} change]",
        ]
        if alert.source is Source.SIMULATED:
            badges.append(":gray-badge[:material/science: simulated]")
        if looked_at:
            badges.append(":blue-badge[:material/visibility: shown below]")
        st.markdown(" ".join(badges))
        told = (
            drift_words.when(alert),
            drift_words.between(alert),
            drift_words.sure(alert),
            drift_words.counted(alert),
        )
        st.caption(" ".join(f"{sentence}." for sentence in told if sentence))
        if alert.acknowledged and alert.acknowledged_at is not None:
            st.caption(f"Acknowledged {words.moment(alert.acknowledged_at)} by {words.code(alert.acknowledged_by)}.")
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.button(
                "Look closer",
                key=f"drift_look_{alert.id}",
                icon=":material/visibility:",
                disabled=looked_at,
                on_click=_look,
                args=(address, alert),
            )
            draw_acting(session, alert)
            _to_ledger(alert, session.clock.now())


def _to_ledger(alert: DriftAlert, now: datetime) -> None:
    to_page(
        LedgerAddress,
        "Actions since then",
        icon=":material/receipt_long:",
        window=days_after(alert.change_estimated_at, now),
        action_type=alert.action_type,
        agent_id=alert.agent_id,
    )


def _look(address: DriftAddress, alert: DriftAlert) -> None:
    put(address, alert_id=alert.id, metric=None)


def _more() -> None:
    st.session_state[MORE] = int(st.session_state.get(MORE, STEP)) + STEP


# What a person does with an alert: take note of it, or take it off the list. Both hold at once and cannot be undone, so
# each asks a second time, in a popover beside the alert that says what it does.
#
# Keys: `drift_note_<id>` and `drift_remove_<id>` are the popovers, `drift_noted_<id>` and `drift_removed_<id>` the
# buttons in them.


def draw_acting(session: Session, alert: DriftAlert) -> None:
    if not alert.acknowledged:
        with st.popover("Acknowledge", icon=":material/done:", key=f"drift_note_{alert.id}"):
            st.markdown(
                "You have seen it. Guard and lessons no longer warn of it; the alert moves to the acknowledged ones, "
                "with your key's name."
            )
            st.button(
                "Acknowledge this alert",
                key=f"drift_noted_{alert.id}",
                type="primary",
                on_click=_do,
                args=(lambda: session.client.acknowledge_drift_alert(alert.id), "Acknowledged"),
            )
    admin = session.key.role is Role.ADMIN
    with st.popover("Remove", icon=":material/delete:", key=f"drift_remove_{alert.id}"):
        st.markdown(
            "It leaves the list and every count. The evidence log keeps it."
            if admin
            else "To take an alert off the list, an admin key is needed. With this key you can acknowledge it."
        )
        st.button(
            "Remove this alert",
            key=f"drift_removed_{alert.id}",
            type="primary",
            disabled=not admin,
            on_click=_do,
            args=(lambda: session.client.delete_drift_alert(alert.id), "Removed"),
        )


def _do(act: Callable[[], object], did: str) -> None:
    def once() -> None:
        try:
            act()
        except NotFound:
            raise ValueError("Somebody else removed this alert before.") from None

    _, problem = attempt(once, "look at the list before you press again")
    report(did, problem)
    forget("drift")
