"""One agent, drawn: whether it is there, what it did in the window, what is wrong, and where to look further.

Keys: `agent_state` is its presence, `agent_links` the ways to other pages, `agent_counts` the numbers,
`agent_decisions` the picture, `agent_signals`, `agent_connections` and `agent_actions` the lists.
"""

from __future__ import annotations

from datetime import datetime

import msgspec
import streamlit as st

from assent import Action, Agent, Signal, Source
from assent.contract.signals import Severity
from assent_analytics import charts
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.agents.opened import Opened, connections, counts, days, said_of
from assent_dashboard.views.agents.presence import LOOKS, badge, doing, heard, presence
from assent_dashboard.views.links import to_ledger, to_page
from assent_dashboard.views.picture import picture
from assent_dashboard.views.scope import Scope, in_words

LONGEST_GOAL, LONGEST_METADATA = 100, 2000
COLUMNS = {
    "provider": "Provider",
    "auth_type": "Let in by",
    "plan_name": "Plan",
    "status": "Status",
    "updated_at": "Last reported",
}
FURTHER = (
    ("ledger", "Its actions", ":material/receipt_long:"),
    ("learning", "What it learns", ":material/school:"),
    ("drift", "Whether it drifts", ":material/trending_up:"),
    ("messages", "Its messages", ":material/mail:"),
)


def draw(session: Session, scope: Scope, opened: Opened) -> None:
    now = session.clock.now()
    to_page("agents", "All agents", {"window": scope.window}, icon=":material/arrow_back:")
    if opened.unknown:
        st.info(
            f"Nothing is known of the agent {words.code(opened.agent_id)} in {in_words(scope.window)}. "
            "Check the name, or choose a longer window.",
            icon=":material/search_off:",
        )
        return
    _state(opened, now)
    with st.container(key="agent_links", horizontal=True, gap="medium"):
        for path, label, icon in FURTHER:
            to_page(path, label, {"agent_id": opened.agent_id, "window": scope.window}, icon=icon)
    st.subheader(f"In {in_words(scope.window)}", anchor=False)
    with st.container(key="agent_counts"):
        for column, (label, number, of) in zip(st.columns(4), counts(opened), strict=True):
            with column.container(border=True, height="stretch"):
                st.metric(label, number)
                st.caption(of)
    simulated = (
        (opened.mix.simulated, opened.mix.n, "decision"),
        (opened.approvals.simulated, opened.approvals.asked, "approval"),
    )
    told = [f"{words.amount(some)} of the {words.several(of, what)}" for some, of, what in simulated if some]
    if told:
        st.caption(f":violet-badge[simulated] Made by a simulator, and never happened: {' and '.join(told)}.")
    if opened.mix.n:
        by_day = days(opened.mix)
        picture(
            charts.decision_mix(by_day, simulated=opened.mix.simulated, height=220),
            said_of(opened.mix, scope),
            by_day,
            key="agent_decisions",
        )
    _signals(opened.signals, now)
    _connections(opened)
    _actions(opened, scope, now)


def _state(opened: Opened, now: datetime) -> None:
    agent, there = opened.agent, presence(opened.agent)
    with st.container(border=True, key="agent_state"):
        name = f" {words.plain(agent.agent_name)}" if agent is not None and agent.agent_name else ""
        st.header(f"{words.plain(opened.agent_id)}", anchor=False)
        st.markdown(f"{badge(there)}{name}")
        st.markdown(LOOKS[there].means)
        if agent is not None:
            st.markdown("  \n".join(_facts(agent, now)))
            if agent.metadata:
                with st.expander("What it says of itself", key="agent_metadata"):
                    said = msgspec.json.format(msgspec.json.encode(agent.metadata), indent=2).decode()
                    st.code(words.shorten(said, LONGEST_METADATA), language=None, wrap_lines=True)


def _facts(agent: Agent, now: datetime) -> list[str]:
    told = doing(agent)
    beat = "never" if agent.last_heartbeat is None else words.ago(agent.last_heartbeat, now)
    actions = "" if agent.actions is None else f" · {words.several(agent.actions, 'action')} in all"
    return [
        f"Last {heard(agent, now)} ({words.moment(agent.last_seen)})" + (f"; it {told}" if told else ""),
        f"Last heartbeat: {beat} · known since {words.moment(agent.first_seen)}{actions}",
    ]


def _signals(signals: list[Signal], now: datetime) -> None:
    st.subheader("Open signals", anchor=False)
    if not signals:
        st.markdown(":green[:material/check_circle:] None is on.")
        return
    with st.container(border=True, key="agent_signals"):
        for signal in signals:
            red = signal.severity is Severity.RED
            mark = ":red[:material/error:] **Red:**" if red else ":orange[:material/warning:] **Amber:**"
            st.markdown(
                f"{mark} {words.plain(signal.label)} · {words.ago(signal.since, now)}  \n"
                f"{words.plain(signal.detail)} {words.plain(signal.help)}"
            )
            if signal.action_id is not None:
                to_ledger(signal.action_id, "The action")


def _connections(opened: Opened) -> None:
    st.subheader("Connections", anchor=False)
    if not opened.connections:
        st.caption("It has reported none (`client.report_connections`).")
        return
    shown = connections(opened).rename(COLUMNS)
    with st.container(key="agent_connections"):
        said = f"The providers that the agent reports: {', '.join(words.clean(each) for each in shown['Provider'])}"
        st.dataframe(shown, hide_index=True, alt=said)


def _actions(opened: Opened, scope: Scope, now: datetime) -> None:
    st.subheader("Newest actions", anchor=False)
    if not opened.actions:
        st.caption(f"None was recorded in {in_words(scope.window)}.")
        return
    with st.container(border=True, key="agent_actions"):
        for action in opened.actions:
            _action(action, now)
    if opened.total > len(opened.actions):
        st.caption(f"{words.amount(opened.total - len(opened.actions))} more are in the ledger.")


def _action(action: Action, now: datetime) -> None:
    goal = words.shorten(words.clean(action.declared_goal) or "No goal was given", LONGEST_GOAL)
    simulated = " :violet-badge[Simulated]" if action.source is Source.SIMULATED else ""
    with st.container(gap="xxsmall"):
        with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
            st.markdown(f"{words.plain(goal)}{simulated}", width="stretch")
            to_ledger(action.action_id)
        st.caption(" · ".join(_facts_of(action, now)))


def _facts_of(action: Action, now: datetime) -> list[str]:
    guarded, status = (str(word).replace("_", " ") for word in (action.decision, action.status))
    when = words.ago(action.timestamp_start, now)
    return [words.code(action.action_type), f"guard said {guarded}", status, when]
