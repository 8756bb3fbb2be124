"""A request for approval as a card in the queue: what it wants, in a few lines, and what its risk score is made of.

The card that the cursor is on is open: what the agent wants first, then who, why it was stopped, what it touches, the
buttons, and a place for what stands behind it. The others say the same in short.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from assent import Action, Approval, GuardResult, Source, Verdict
from assent.contract.conditions import in_words
from assent_dashboard.views import words
from assent_dashboard.views.approvals.inbox import Item
from assent_dashboard.views.approvals.queue import QueueEntry
from assent_dashboard.views.links import to_ledger

LONGEST_GOAL, SHORT_GOAL, SHORT_REASON = 320, 110, 140
LISTED = 8
"""So many of identical requests can be decided one by one; the dialog for all of them has them all."""
KEYS = {Verdict.ALLOW: "a", Verdict.DENY: "d"}


@dataclass(frozen=True)
class Press:
    """What the buttons of a card do: `decide` on some of its requests, or `open` the card. `asleep` switches the
    deciding ones off, `keys` gives those of the current card their keys."""

    decide: Callable[[Sequence[Item], Verdict], None]
    open: Callable[[str], None]
    asleep: bool
    keys: bool


def draw_current(entry: QueueEntry, now: datetime, press: Press) -> DeltaGenerator:
    """The open card; what is given back is the place for what stands behind it."""
    item, several = entry.first, len(entry.items)
    action = item.action
    with st.container(key="current"), st.container(border=True, key=f"approval-{action.action_id}"):
        draw_goal(item, action.action_id, LONGEST_GOAL)
        draw_badges(item, now, several)
        st.markdown(sentence(action))
        draw_stopped(item.approval)
        if several == 1:
            st.caption(f"{waits(item.approval, now)} · {words.code(action.action_id)}")
        with st.container(horizontal=True, vertical_alignment="center"):
            for verdict in Verdict:
                _button(entry.items, verdict, press, key=_key(entry, verdict), shortcut=KEYS[verdict])
            to_ledger(action.action_id, "Details and replay")
        if several > 1:
            _each(entry.items, now, press)
        return st.container(key="behind")


def draw_short(entry: QueueEntry, now: datetime, press: Press) -> None:
    """A card that the cursor is not on."""
    item, several = entry.first, len(entry.items)
    action = item.action
    with st.container(border=True, key=f"approval-{action.action_id}", gap="xsmall"):
        draw_goal(item, action.action_id, SHORT_GOAL)
        draw_badges(item, now, several)
        why = words.shorten("; ".join(words.clean(reason) for reason in stopped(item.approval)), SHORT_REASON)
        st.caption(f"{who(action)} · {words.code(action.action_type)} · stopped: {words.plain(why)}")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button(
                "Open",
                key=f"open-{action.action_id}",
                icon=":material/unfold_more:",
                on_click=press.open,
                args=(action.action_id,),
            )
            for verdict in Verdict:
                _button(entry.items, verdict, press, key=_key(entry, verdict), kind="tertiary")
            st.caption(waits(item.approval, now), width="content")


def _each(items: Sequence[Item], now: datetime, press: Press) -> None:
    """The first of several identical requests, each to be decided by itself if need be."""
    with st.container(key="identical", gap="xxsmall"):
        for item in items[:LISTED]:
            action = item.action
            with st.container(horizontal=True, vertical_alignment="center", key=f"one-{action.action_id}", gap="small"):
                st.caption(f"{words.code(action.action_id)} · {waits(item.approval, now)}", width="content")
                for verdict in Verdict:
                    _button([item], verdict, press, key=f"{verdict}-{action.action_id}", kind="tertiary")
        if len(items) > LISTED:
            st.caption(f"And {words.amount(len(items) - LISTED)} more; “all” decides on every one of them.")


def _key(entry: QueueEntry, verdict: Verdict) -> str:
    first = entry.first.action.action_id
    return f"{verdict}-{first}" if len(entry.items) == 1 else f"{verdict}-all-{first}"


def _button(
    items: Sequence[Item],
    verdict: Verdict,
    press: Press,
    *,
    key: str,
    shortcut: str | None = None,
    kind: str = "secondary",
) -> None:
    allows = verdict is Verdict.ALLOW
    label = "Allow" if allows else "Deny"
    st.button(
        f"{label}…" if len(items) == 1 else f"{label} all {len(items)}…",
        key=key,
        icon=":material/check:" if allows else ":material/block:",
        on_click=press.decide,
        args=(items, verdict),
        disabled=press.asleep,
        shortcut=shortcut if press.keys else None,
        type="tertiary" if kind == "tertiary" else "secondary",
    )


# What a request wants, in a few lines: what should be seen at one glance, who asks, what it touches, why it was
# stopped, and how long it may still wait.


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
        st.badge(score(action), color=color(action.risk_score))
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
    return [in_words(reason) for reason in approval.reasons] or ["the agent itself asked for a person's decision"]


def waits(approval: Approval, now: datetime) -> str:
    """How long it has waited, and how long it still may."""
    return f"Asked {words.ago(approval.requested_at, now)} · expires {words.left(approval.expires_at, now)}"


def score(action: Action) -> str:
    """The service's risk; the agent's own where the two differ."""
    own = action.agent_risk_score
    said = "" if own is None or own == action.risk_score else f" · the agent said {own:g}"
    return f"Risk {action.risk_score:g} of 100{said}"


# What a risk score is made of, in words: each addition that guard recorded, and how they became the score. Pure.
#
# The additions are guard's own (`risk_breakdown`); nothing is worked out here. Where they do not add up to the score it
# is because the agent's own estimate was higher and counts instead, or because no risk exceeds 100; a sentence says so.


HIGH, RAISED = 70, 40
MOST = 100
HISTORY = "history"
MEANINGS = {
    "base": "what this type of action starts with",
    "irreversible": "it cannot be undone",
    "production_system": "it touches production, a database or the like",
    "local_system": "it touches the file system or a shell",
    "destructive_goal": "its goal speaks of deleting or wiping",
    "deployment_goal": "its goal speaks of deploying or releasing",
    "secrets_goal": "its goal speaks of secrets or keys",
    "simulated": "a simulator made it up",
    "template": "your risk template rates it higher",
}


@dataclass(frozen=True)
class RiskPart:
    """An addition: its points, and in our words (or as plain Markdown) what it is for."""

    points: float
    meaning: str


def parts(decision: GuardResult) -> list[RiskPart]:
    """Every addition, in the order in which guard made them."""
    return [RiskPart(points, _meaning(name, decision)) for name, points in decision.risk_breakdown.items()]


def notes(decision: GuardResult) -> list[str]:
    """How the additions became the score, in sentences; none where they simply add up to it. Markdown."""
    said: list[str] = []
    template, own = decision.risk_template_id, decision.agent_risk_score
    if isinstance(template, str):
        rated = f" rates it {decision.risk_template_score:g}" if isinstance(decision.risk_template_score, float) else ""
        said.append(f"The risk template {words.code(template)}, version {decision.risk_template_version},{rated}.")
    formula = sum(points for name, points in decision.risk_breakdown.items() if name != HISTORY)
    if own is not None and own > min(formula, MOST):
        said.append(f"The agent's own estimate of {own:g} is higher than this before history; it counts instead.")
    elif sum(decision.risk_breakdown.values()) > decision.risk_score:
        said.append(f"No risk is higher than {MOST}.")
    return said


def color(score: float) -> Literal["red", "orange", "green"]:
    return "red" if score >= HIGH else "orange" if score >= RAISED else "green"


def _meaning(name: str, decision: GuardResult) -> str:
    if name == HISTORY:
        past = decision.predictive_risk.statistical
        if not past.total_actions:
            return "this agent has no history of this type in 30 days"
        seen = words.several(past.total_actions, "action")
        return f"of {seen} of this type in 30 days, {words.percent(100 * past.failure_rate)} failed"
    return MEANINGS.get(name) or words.plain(name.replace("_", " "))
