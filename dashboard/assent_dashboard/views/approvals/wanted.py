"""What a request wants, in a few lines: what should be seen at one glance, who asks, what it touches, why it was
stopped, and how long it may still wait."""

from __future__ import annotations

from datetime import datetime, timedelta

import streamlit as st

from assent import Action, Approval, Source
from assent_dashboard.views import words
from assent_dashboard.views.approvals import risk
from assent_dashboard.views.approvals.inbox import Item

SOON = timedelta(minutes=10)
NO_GOAL = "No goal was given"


def draw_goal(item: Item, name: str, longest: int | None = None) -> None:
    """`name` makes the container's key `goal-<name>`."""
    goal = words.clean(item.action.declared_goal) or NO_GOAL
    with st.container(key=f"goal-{name}"):
        st.text(goal if longest is None else words.shorten(goal, longest))


def draw_badges(item: Item, now: datetime, several: int = 1) -> None:
    """Risk, whether it can be undone, whether it is real, whether time runs out; and of how many it is one."""
    action = item.action
    with st.container(horizontal=True, gap="small"):
        if several > 1:
            st.badge(f"{several} identical requests", icon=":material/stacks:", color="blue")
        st.badge(score(action), color=risk.color(action.risk_score))
        if action.reversible:
            st.badge("Can be undone", color="gray")
        else:
            st.badge("Cannot be undone", icon=":material/warning:", color="orange")
        if action.source is Source.SIMULATED:
            st.badge("Simulated", icon=":material/science:", color="violet")
        if item.approval.expires_at - now < SOON:
            st.badge(f"Expires {words.left(item.approval.expires_at, now)}", icon=":material/timer:", color="red")


def draw_stopped(approval: Approval) -> None:
    for reason in stopped(approval):
        st.markdown(f":material/front_hand: Stopped: {words.plain(reason)}")


def sentence(action: Action) -> str:
    """`**payer** wants to run `pay`, which touches `bank`.`"""
    return f"{who(action)} wants to run {words.code(action.action_type)}{touches(action)}"


def who(action: Action) -> str:
    if action.agent_name and action.agent_id:
        return f"**{words.plain(action.agent_name)}** ({words.code(action.agent_id)})"
    return f"**{words.plain(action.agent_name or action.agent_id or 'An agent without a name')}**"


def touches(action: Action) -> str:
    systems = ", ".join(words.code(system) for system in action.systems_touched)
    return f", which touches {systems}." if systems else "; it names no system that it touches."


def stopped(approval: Approval) -> list[str]:
    """Why the action waits, a line for each reason."""
    return approval.reasons or ["the agent itself asked for a person's decision"]


def waits(approval: Approval, now: datetime) -> str:
    """How long it has waited, and how long it still may."""
    return f"Asked {words.ago(approval.requested_at, now)} · expires {words.left(approval.expires_at, now)}"


def score(action: Action) -> str:
    """The service's risk; the agent's own where the two differ."""
    own = action.agent_risk_score
    said = "" if own is None or own == action.risk_score else f" · the agent said {own:g}"
    return f"Risk {action.risk_score:g} of 100{said}"
