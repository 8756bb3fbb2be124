"""One waiting action as a card: what the agent wants first, then who, why it was stopped, what it touches."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal

import streamlit as st

from assent import Action, Approval, Source, Verdict
from assent_dashboard.views import words
from assent_dashboard.views.approvals.inbox import Item
from assent_dashboard.views.links import to_ledger

LONGEST_GOAL = 320
SOON = timedelta(minutes=10)
HIGH_RISK, RAISED_RISK = 70, 40
NO_GOAL = "No goal was given"

Choose = Callable[[str, Verdict], None]


def draw_card(item: Item, now: datetime, choose: Choose, *, asleep: bool) -> None:
    """`choose` is called with the action's id when one of the two buttons is pressed; `asleep` switches them off."""
    action = item.action
    with st.container(border=True, key=f"approval-{action.action_id}"):
        with st.container(key=f"goal-{action.action_id}"):
            st.text(words.shorten(words.clean(action.declared_goal) or NO_GOAL, LONGEST_GOAL))
        draw_badges(item, now)
        draw_facts(item, now)
        with st.container(horizontal=True, vertical_alignment="center"):
            _button(action, Verdict.ALLOW, choose, asleep)
            _button(action, Verdict.DENY, choose, asleep)
            to_ledger(action.action_id)


def draw_badges(item: Item, now: datetime) -> None:
    """What should be seen at one glance: risk, whether it can be undone, whether it is real, whether time runs out."""
    action = item.action
    with st.container(horizontal=True, gap="small"):
        st.badge(risk(action), color=risk_color(action.risk_score))
        if action.reversible:
            st.badge("Can be undone", color="gray")
        else:
            st.badge("Cannot be undone", icon=":material/warning:", color="orange")
        if action.source is Source.SIMULATED:
            st.badge("Simulated", icon=":material/science:", color="violet")
        if item.approval is not None and item.approval.expires_at - now < SOON:
            st.badge(f"Expires {words.left(item.approval.expires_at, now)}", icon=":material/timer:", color="red")


def draw_facts(item: Item, now: datetime) -> None:
    action = item.action
    st.markdown(f"{who(action)} wants to run {words.code(action.action_type)}{touches(action)}")
    for reason in stopped(item.approval):
        st.markdown(f":material/front_hand: Stopped: {words.plain(reason)}")
    st.caption(f"{waits(item, now)} · {words.code(action.action_id)}")


def who(action: Action) -> str:
    if action.agent_name and action.agent_id:
        return f"**{words.plain(action.agent_name)}** ({words.code(action.agent_id)})"
    return f"**{words.plain(action.agent_name or action.agent_id or 'An agent without a name')}**"


def touches(action: Action) -> str:
    systems = ", ".join(words.code(system) for system in action.systems_touched)
    return f", which touches {systems}." if systems else "; it names no system that it touches."


def stopped(approval: Approval | None) -> list[str]:
    """Why the action waits, a line for each reason."""
    if approval is None or not approval.reasons:
        return ["the agent itself asked for a person's decision"]
    return approval.reasons


def waits(item: Item, now: datetime) -> str:
    """How long it has waited, and how long it still may."""
    asked = item.approval.requested_at if item.approval is not None else item.action.created_at
    since = f"Asked {words.ago(asked, now)}"
    if item.approval is None:
        return f"{since} · no expiry known"
    return f"{since} · expires {words.left(item.approval.expires_at, now)}"


def risk(action: Action) -> str:
    """The service's risk; the agent's own where the two differ."""
    own = action.agent_risk_score
    said = "" if own is None or own == action.risk_score else f" · the agent said {own:g}"
    return f"Risk {action.risk_score:g} of 100{said}"


def risk_color(risk: float) -> Literal["red", "orange", "green"]:
    return "red" if risk >= HIGH_RISK else "orange" if risk >= RAISED_RISK else "green"


def _button(action: Action, verdict: Verdict, choose: Choose, asleep: bool) -> None:
    allows = verdict is Verdict.ALLOW
    st.button(
        "Allow…" if allows else "Deny…",
        key=f"{verdict}-{action.action_id}",
        icon=":material/check:" if allows else ":material/block:",
        on_click=choose,
        args=(action.action_id, verdict),
        disabled=asleep,
    )
