"""The approvals page: what waits for a person, live, and what was decided lately.

Selectors that stay the same, as CSS classes `st-key-<key>`: `approval-<action_id>` is a card, `allow-<action_id>` and
`deny-<action_id>` hold its buttons; in the dialog `reasoning` holds the text, `confirm` and `cancel` the buttons (the
loser of a race has `cancel` alone, to close it); `order`, `agents` and `types` choose what is shown, `more` shows the
next ones; `decided-<action_id>` is a line of what was decided.
"""

from __future__ import annotations

import streamlit as st

from assent import Verdict
from assent_dashboard.feed import APPROVALS
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.approvals.card import draw_card
from assent_dashboard.views.approvals.deciding import Deciding
from assent_dashboard.views.approvals.dialog import begin, open_dialog, present
from assent_dashboard.views.approvals.history import draw_history
from assent_dashboard.views.approvals.inbox import MOST, Inbox, Item, Order, arrange, named
from assent_dashboard.views.live import beat
from assent_dashboard.views.look import calm

STATE, SHOWN, SAID = "assent_inbox", "assent_inbox_shown", "assent_said"
STEP = 20
MANY = 5
"""From so many waiting actions on, one may choose among them."""


def show(session: Session) -> None:
    calm()
    inbox = load(session)
    st.set_page_config(page_title=f"({inbox.total}) Approvals" if inbox.total else "Approvals")
    st.title(f"Approvals · {words.amount(inbox.total)} waiting" if inbox.total else "Approvals")
    if inbox.problem is not None:
        st.warning(
            f"The service does not answer just now. This is what it said at {words.clock(inbox.now())}; "
            "the page goes on by itself.",
            icon=":material/hourglass_empty:",
        )
    draw_waiting(session, inbox)
    draw_history(inbox, session.client)
    deciding = present()
    if deciding is not None:
        open_dialog(deciding, session.client, inbox.now(), sent=lambda made: _sent(inbox, made))
    _say()
    beat(lambda: inbox.due(session.feed.version(APPROVALS), session.feed.live), paused=deciding is not None)


def load(session: Session) -> Inbox:
    """What to show; asks the service only when there is a reason to."""
    inbox = st.session_state.get(STATE)
    if not isinstance(inbox, Inbox):
        inbox = st.session_state[STATE] = Inbox()
    version = session.feed.version(APPROVALS)
    if inbox.due(version, session.feed.live):
        inbox.refresh(session.client, version)
    return inbox


def draw_waiting(session: Session, inbox: Inbox) -> None:
    chosen = arrange(inbox.waiting, *_choice(inbox))
    shown = int(st.session_state.get(SHOWN, STEP))
    items = inbox.items(session.client, chosen[:shown])
    now = inbox.now()

    def choose(action_id: str, verdict: Verdict) -> None:
        for item in items:
            if item.action.action_id == action_id:
                begin(_deciding(item, verdict))

    for item in items:
        draw_card(item, now, choose, asleep=inbox.problem is not None)
    if not inbox.total:
        st.markdown("**Nothing waits.** When a policy stops an agent, its question appears here by itself.")
    elif not chosen:
        st.info("Nothing that waits fits your choice.")
    if len(chosen) > shown:
        st.button(f"Show {min(STEP, len(chosen) - shown)} more", key="more", on_click=_more)
    if inbox.total > MOST:
        st.caption(f"These are the newest {MOST} of {words.amount(inbox.total)}; the others follow as you decide.")


def _choice(inbox: Inbox) -> tuple[Order, list[str], list[str]]:
    """Order, agents and types. Little to choose from is no choice."""
    if len(inbox.waiting) < MANY:
        return Order.NEWEST, [], []
    with st.container(horizontal=True, vertical_alignment="bottom", key="choice"):
        order = st.segmented_control("Order", list(Order), default=Order.NEWEST, required=True, key="order")
        agents = _among("Agents", "agents", [named(action) for action in inbox.waiting])
        types = _among("Types", "types", [action.action_type for action in inbox.waiting])
    return Order(order or Order.NEWEST), agents, types


def _among(label: str, key: str, values: list[str]) -> list[str]:
    # What was chosen stays on the list while nobody waits with it, or the choice would be lost.
    options = sorted({*values, *st.session_state.get(key, [])})
    return st.multiselect(label, options, format_func=words.clean, key=key, placeholder="All", width=220)


def _more() -> None:
    st.session_state[SHOWN] = int(st.session_state.get(SHOWN, STEP)) + STEP


def _deciding(item: Item, verdict: Verdict) -> Deciding:
    return Deciding(action=item.action, approval=item.approval, verdict=verdict)


def _sent(inbox: Inbox, made: Deciding) -> None:
    inbox.outdate()
    did = "Allowed" if made.verdict is Verdict.ALLOW else "Denied"
    goal = words.shorten(words.clean(made.action.declared_goal or made.action.action_type), 80)
    st.session_state[SAID] = f"{did}: {words.plain(goal)}"


def _say() -> None:
    said = st.session_state.pop(SAID, None)
    if isinstance(said, str):
        st.toast(said, icon=":material/check_circle:")
