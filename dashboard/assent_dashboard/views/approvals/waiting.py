"""The queue on the page: the cursor and its keys, the card that it is on, the others in short."""

from __future__ import annotations

import time
from collections.abc import Sequence

import streamlit as st

from assent import Verdict
from assent.deciding import Deciding
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import ApprovalsAddress
from assent_dashboard.views.approvals.card import Press, draw_current, draw_short
from assent_dashboard.views.approvals.dialog import Bulk, begin, present
from assent_dashboard.views.approvals.evidence import Backgrounds, draw_behind
from assent_dashboard.views.approvals.inbox import MOST, Inbox, Item
from assent_dashboard.views.approvals.queue import Cursor, arrange, entries, moved, put_on, settle
from assent_dashboard.views.blocks import empty
from assent_dashboard.views.controls import put
from assent_dashboard.views.ledger.data import policy_names
from assent_dashboard.views.links import to_ledger

CURSOR, SHOWN, BACKGROUNDS, SCROLL, BEGUN = (
    "assent_inbox_cursor",
    "assent_inbox_shown",
    "assent_inbox_backgrounds",
    "assent_inbox_scroll",
    "assent_inbox_begun",
)
STEPPED, SAME_PRESS_SECONDS = "assent_inbox_stepped", 0.1
STEP = 20
ASKS = """from assent import Client

with Client() as client:
    asked = client.create_action(
        "refund",
        "Refund order 1042: the parcel never came",
        agent_id="my-agent",
        systems_touched=["payments"],
        status="pending_approval",
    )
    client.wait_for_approval(asked.action_id)
"""
_SCROLL = """<style>.st-key-current {{ scroll-margin: 4rem 0 1rem; }}</style>
<script>/* {count} */
document.querySelector(".st-key-current")?.scrollIntoView({{block: "nearest", behavior: "smooth"}});
</script>"""


def draw_waiting(session: Session, inbox: Inbox, address: ApprovalsAddress, *, keys: bool) -> None:
    """Without `keys` no key moves or decides."""
    begin_at = address.action_id
    queue = entries(arrange(inbox.waiting, address.order))
    cursor = settle(queue, _before())
    if cursor is not None and begin_at is not None and st.session_state.get(BEGUN) != begin_at:
        cursor = put_on(cursor, begin_at)
    if begin_at is not None:
        _say_if_gone(inbox, begin_at)
    st.session_state[CURSOR], st.session_state[BEGUN] = cursor, begin_at
    _hidden(inbox, address)
    if cursor is None:
        _nothing(inbox)
        return
    now = inbox.now()
    press = Press(_decide, _open, asleep=inbox.problem is not None, keys=keys)
    coming = _backgrounds().asked(session.client, queue[cursor.place].first, inbox.read_at)
    names = policy_names(session)
    _steps(cursor, keys)
    shown = max(int(st.session_state.get(SHOWN, STEP)), cursor.place + 1)
    behind = None
    for place, entry in enumerate(queue[:shown]):
        if place == cursor.place:
            behind = draw_current(entry, now, press)
        else:
            draw_short(entry, now, press)
    if len(queue) > shown:
        st.button(f"Show {min(STEP, len(queue) - shown)} more", key="more", on_click=_more, args=(shown,))
    if inbox.total > MOST:
        st.caption(f"These are the newest {MOST} of {words.amount(inbox.total)}; the others follow as you decide.")
    if behind is not None:
        with behind:
            draw_behind(queue[cursor.place].first, coming, names, now)
    _scroll()


def _steps(cursor: Cursor, keys: bool) -> None:
    with st.container(key="steps", horizontal=True, vertical_alignment="center", gap="small"):
        last = len(cursor.queue) - 1
        for name, label, key, step, end in (("next", "Next", "j", 1, last), ("previous", "Previous", "k", -1, 0)):
            st.button(
                label,
                key=name,
                on_click=_step,
                args=(step,),
                disabled=cursor.place == end,
                shortcut=key if keys else None,
            )
        st.caption(f"{cursor.place + 1} of {len(cursor.queue)} · keys: j k move, a allows, d denies", width="content")


def _hidden(inbox: Inbox, address: ApprovalsAddress) -> None:
    """What the page was asked to leave out still waits."""
    hidden = inbox.everywhere - inbox.total
    if not inbox.narrowed or hidden <= 0:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.info(f"{words.several(hidden, 'other request')} of other agents or types also wait.", width="stretch")
        st.button("Show all", key="everybody", on_click=_widen, args=(address,))


def _nothing(inbox: Inbox) -> None:
    if inbox.narrowed:
        st.info("Nothing that waits fits your choice.")
        return
    empty(
        "Nothing waits.",
        "When a policy stops an agent, or an agent asks by itself, its request appears here by itself. This makes one "
        "ask, and wait for you:",
        ASKS,
        key="approvals_empty",
    )


def _say_if_gone(inbox: Inbox, action_id: str) -> None:
    if not any(item.action.action_id == action_id for item in inbox.waiting):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="gone"):
            st.info(f"{words.code(action_id)} does not wait here any more.", width="stretch")
            to_ledger(action_id)


def _scroll() -> None:
    """Bring the current card into sight after the cursor was moved, and not when the list changes by itself."""
    count = st.session_state.get(SCROLL)
    if count:
        st.html(_SCROLL.format(count=int(count)), unsafe_allow_javascript=True)


def _backgrounds() -> Backgrounds:
    known = st.session_state.get(BACKGROUNDS)
    if not isinstance(known, Backgrounds):
        known = st.session_state[BACKGROUNDS] = Backgrounds()
    return known


def _before() -> Cursor | None:
    known = st.session_state.get(CURSOR)
    return known if isinstance(known, Cursor) else None


def _step(step: int) -> None:
    """One press of a key can arrive as two or three, a few milliseconds apart: the browser has the button as it was
    drawn before, too. What comes that soon is the same press."""
    now = time.monotonic()
    again = now - float(st.session_state.get(STEPPED, -SAME_PRESS_SECONDS)) < SAME_PRESS_SECONDS
    cursor = _before()
    if cursor is None or again:
        return
    st.session_state[CURSOR], st.session_state[STEPPED] = moved(cursor, step), now
    st.session_state[SCROLL] = int(st.session_state.get(SCROLL, 0)) + 1


def _open(action_id: str) -> None:
    cursor = _before()
    if cursor is not None:
        st.session_state[CURSOR] = put_on(cursor, action_id)


def _decide(items: Sequence[Item], verdict: Verdict) -> None:
    """Opens the dialog, unless one is open: a second press would take its words away."""
    if present() is None:
        begin(Deciding(items[0], verdict) if len(items) == 1 else Bulk.on(items, verdict))


def _more(shown: int) -> None:
    st.session_state[SHOWN] = shown + STEP


def _widen(address: ApprovalsAddress) -> None:
    put(address, agent_id=None, action_type=None)
