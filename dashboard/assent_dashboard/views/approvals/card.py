"""An entry of the queue as a card. The one that the cursor is on is open: what the agent wants first, then who, why it
was stopped, what it touches, the buttons, and a place for what stands behind it. The others say the same in short.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from assent import Verdict
from assent_dashboard.views import words
from assent_dashboard.views.approvals.inbox import Item
from assent_dashboard.views.approvals.queue import Entry
from assent_dashboard.views.approvals.wanted import (
    draw_badges,
    draw_goal,
    draw_stopped,
    sentence,
    stopped,
    waits,
    who,
)
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


def draw_current(entry: Entry, now: datetime, press: Press) -> DeltaGenerator:
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


def draw_short(entry: Entry, now: datetime, press: Press) -> None:
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


def _key(entry: Entry, verdict: Verdict) -> str:
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
