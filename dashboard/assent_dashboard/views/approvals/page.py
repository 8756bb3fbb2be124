"""The approvals page: what waits for a person, live, what was decided in the window, and both as tables to take away.

Keyboard: `j` and `k` move the cursor, `a` and `d` open the dialog of the card that it is on; in the dialog Ctrl+Enter
(Cmd+Enter) decides and Escape leaves.

Selectors that stay the same, as CSS classes `st-key-<key>`: `approval-<action_id>` is a card, `current` is around the
one that the cursor is on, `next` and `previous` move it; `allow-<action_id>` and `deny-<action_id>` hold a card's
buttons, `allow-all-<action_id>` and `deny-all-<action_id>` those of identical requests, named by the first of them,
`one-<action_id>` is a line of those; `open-<action_id>` puts the cursor on a card. In the dialog `reasoning`,
`conditions` and `valid_minutes` are what is said, `confirm` and `cancel` the buttons (the loser of a race has `cancel`
alone, to close it). `behind` is what stands behind the current card (`views/approvals/evidence.py`). `approvals_head`,
`approvals_scope` and `approvals_again` are the frame, `order` the order, `more` shows the next ones, `everybody` takes
agent and type out of the address; `decided-<action_id>` is a line of what was decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import polars as pl
import streamlit as st

from assent import Verdict
from assent.deciding import Deciding
from assent_dashboard.feed import APPROVALS
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import ApprovalsAddress, Order, Scope
from assent_dashboard.views.approvals.dialog import Bulk, open_bulk_dialog, open_dialog, present
from assent_dashboard.views.approvals.history import draw_history
from assent_dashboard.views.approvals.inbox import FALLBACK_SECONDS, Inbox, Item
from assent_dashboard.views.approvals.waiting import draw_waiting
from assent_dashboard.views.controls import draw_problems, draw_scope, here, names, put
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.frame import beat

STATE, SAID = "assent_inbox", "assent_said"


def show(session: Session) -> None:
    address, problems = here(ApprovalsAddress)
    inbox = load(session, address.scope)
    waiting = f"{words.amount(inbox.total)} waiting"
    st.set_page_config(page_title=f"({inbox.total}) Approvals" if inbox.total else "Approvals")
    with st.container(
        key="approvals_head", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title(f"Approvals · {waiting}" if inbox.total else "Approvals", width="content")
        with st.container(width="content"):
            draw_export("approvals", tables(inbox), address.window)
    draw_controls(session, address)
    draw_problems(problems)
    draw_checked(inbox, session.feed.live)
    deciding = present()
    draw_waiting(session, inbox, address, keys=deciding is None)
    draw_history(inbox)
    if isinstance(deciding, Deciding):
        open_dialog(deciding, session.client, inbox.now(), sent=lambda made: _sent(inbox, made))
    elif isinstance(deciding, Bulk):
        open_bulk_dialog(deciding, session.client, inbox.now(), left=lambda bulk: _left(inbox, bulk))
    _say()
    beat(lambda: inbox.due(session.feed.version(APPROVALS), session.feed.live), paused=deciding is not None)


def load(session: Session, scope: Scope) -> Inbox:
    """What to show; asks the service only when there is a reason to."""
    inbox = st.session_state.get(STATE)
    if not isinstance(inbox, Inbox) or inbox.scope != scope:
        inbox = Inbox(scope=scope)
    version = session.feed.version(APPROVALS)
    if inbox.due(version, session.feed.live):
        inbox.refresh(session.client, version)
    st.session_state[STATE] = inbox
    return inbox


def _sent(inbox: Inbox, made: Deciding[Item]) -> None:
    inbox.outdate()
    action = made.item.action
    did = "Allowed" if made.verdict is Verdict.ALLOW else "Denied"
    goal = words.shorten(words.clean(action.declared_goal or action.action_type), 80)
    st.session_state[SAID] = f"{did}: {words.plain(goal)}"


def _left(inbox: Inbox, bulk: Bulk) -> None:
    inbox.outdate()
    if bulk.begun:
        did = "Allowed" if bulk.verdict is Verdict.ALLOW else "Denied"
        st.session_state[SAID] = f"{did} {len(bulk.held)} of {len(bulk.decisions)} identical requests"


def _say() -> None:
    said = st.session_state.pop(SAID, None)
    if isinstance(said, str):
        st.toast(said, icon=":material/check_circle:")


# What stands above the queue: what the page is asked to look at, its order, and when the service was asked.


ORDER = "order"
LABELS = {Order.NEWEST: "Newest", Order.EXPIRES: "Expires first", Order.RISK: "Highest risk"}


def draw_controls(session: Session, address: ApprovalsAddress) -> None:
    def chosen() -> None:
        picked = Order(st.session_state[ORDER] or Order.NEWEST)
        put(address, order=None if picked is Order.NEWEST else str(picked))

    with st.container(key="approvals_scope", horizontal=True, vertical_alignment="bottom", gap="small"):
        draw_scope(address, names(session))
        st.session_state[ORDER] = address.order
        st.segmented_control(
            "Order", list(Order), format_func=LABELS.__getitem__, key=ORDER, required=True, on_change=chosen
        )


def draw_checked(inbox: Inbox, live: bool) -> None:
    """When the service was asked, how the page stays true, and what the service's silence means."""
    now = inbox.now()
    asked = inbox.server_time
    assert asked is not None, "the page is drawn once something was read"
    how = "live" if live else f"asks every {FALLBACK_SECONDS:g} s"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            f"Last checked, by the service's clock: {words.moment(asked)} ({words.ago(asked, now)}; {how}). "
            "Whatever waits is shown; the window is for what was decided.",
            width="content",
        )
        st.button(
            "Check again", key="approvals_again", icon=":material/refresh:", on_click=inbox.outdate, type="tertiary"
        )
    if inbox.problem is not None:
        st.warning(
            f"The service does not answer just now. This is what it said at {words.clock(now)}; "
            "the page goes on by itself.",
            icon=":material/hourglass_empty:",
        )


# What the page shows as tables, for the export: what waits, and what was decided. Pure.


TIME = pl.Datetime("us", "UTC")
SCHEMA: dict[str, Any] = {
    "action_id": pl.String,
    "approval_id": pl.String,
    "agent_id": pl.String,
    "agent_name": pl.String,
    "action_type": pl.String,
    "declared_goal": pl.String,
    "systems_touched": pl.List(pl.String),
    "reversible": pl.Boolean,
    "risk_score": pl.Float64,
    "agent_risk_score": pl.Float64,
    "source": pl.String,
    "status": pl.String,
    "reasons": pl.List(pl.String),
    "matched_policies": pl.List(pl.String),
    "metadata": pl.String,
    "parameters_digest": pl.String,
    "requested_at": TIME,
    "expires_at": TIME,
    "state": pl.String,
    "decided_at": TIME,
    "decided_by": pl.String,
    "self_decided": pl.Boolean,
    "reasoning": pl.String,
    "conditions": pl.List(pl.String),
    "valid_until": TIME,
    "claimed_at": TIME,
    "context_digest": pl.String,
}
ON_ACTION = frozenset(
    {"agent_name", "reversible", "risk_score", "agent_risk_score", "source", "status", "metadata", "systems_touched"}
)


def tables(inbox: Inbox) -> dict[str, pl.DataFrame]:
    return {"waiting": table(inbox.waiting), "decided": table(inbox.decided)}


def table(items: Sequence[Item]) -> pl.DataFrame:
    return pl.DataFrame([_row(item) for item in items], schema=SCHEMA)


def _row(item: Item) -> dict[str, Any]:
    row = {name: _value(getattr(item.action if name in ON_ACTION else item.approval, name, None)) for name in SCHEMA}
    return row | {"context_digest": item.context_digest}


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return msgspec.json.encode(value).decode()
    return value if isinstance(value, datetime) else msgspec.to_builtins(value)
