"""The approvals page: what waits for a person, live, and what was decided in the window.

Keyboard: `j` and `k` move the cursor, `a` and `d` open the dialog of the card that it is on; in the dialog Ctrl+Enter
(Cmd+Enter) decides and Escape leaves.

Address: `agent_id`, `action_type`, `order` (`newest`, `expires`, `risk`), `window` (for what was decided; what waits is
always shown), and `action_id`, on whose card the cursor begins.

Selectors that stay the same, as CSS classes `st-key-<key>`: `approval-<action_id>` is a card, `current` is around the
one that the cursor is on, `next` and `previous` move it; `allow-<action_id>` and `deny-<action_id>` hold a card's
buttons, `allow-all-<action_id>` and `deny-all-<action_id>` those of identical requests, named by the first of them,
`one-<action_id>` is a line of those; `open-<action_id>` puts the cursor on a card. In the dialog `reasoning`,
`conditions` and `valid_minutes` are what is said, `confirm` and `cancel` the buttons (the loser of a race has `cancel`
alone, to close it). `behind` is what stands behind the current card (`views/approvals/behind.py`). `approvals_head`,
`approvals_scope` and `approvals_again` are the frame, `order` the order, `more` shows the next ones, `everybody` takes
agent and type out of the address; `decided-<action_id>` is a line of what was decided.
"""

from __future__ import annotations

import streamlit as st

from assent import Verdict
from assent.deciding import Deciding
from assent_dashboard.feed import APPROVALS
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.approvals import frame
from assent_dashboard.views.approvals.bulk import Bulk
from assent_dashboard.views.approvals.bulk_dialog import open_bulk_dialog
from assent_dashboard.views.approvals.dialog import open_dialog, present
from assent_dashboard.views.approvals.history import draw_history
from assent_dashboard.views.approvals.inbox import DEFAULT_WINDOW, Inbox, Item
from assent_dashboard.views.approvals.tables import tables
from assent_dashboard.views.approvals.waiting import draw_waiting
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.live import beat
from assent_dashboard.views.scope import Scope, read

STATE, SAID = "assent_inbox", "assent_said"


def show(session: Session) -> None:
    address = st.query_params.to_dict()
    scope, problems = read(address, DEFAULT_WINDOW)
    order = frame.read_order(address, problems)
    inbox = load(session, scope)
    waiting = f"{words.amount(inbox.total)} waiting"
    st.set_page_config(page_title=f"({inbox.total}) Approvals" if inbox.total else "Approvals")
    with st.container(
        key="approvals_head", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title(f"Approvals · {waiting}" if inbox.total else "Approvals", width="content")
        with st.container(width="content"):
            draw_export("approvals", tables(inbox), scope.window)
    frame.draw_scope(session, scope, order)
    for problem in problems:
        st.warning(words.plain(problem), icon=":material/warning:")
    frame.draw_checked(inbox, session.feed.live)
    deciding = present()
    draw_waiting(session, inbox, order, address.get("action_id"), keys=deciding is None)
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
