"""What was decided lately: what, by whom, how fast."""

from __future__ import annotations

import streamlit as st

from assent import Approval, ApprovalState, Client, Source
from assent_dashboard.views import words
from assent_dashboard.views.approvals.card import NO_GOAL
from assent_dashboard.views.approvals.inbox import Inbox, Item, latest
from assent_dashboard.views.links import to_ledger

LONGEST_GOAL = 140
_MARKS = {
    ApprovalState.APPROVED: (":green[:material/check_circle:]", "allowed"),
    ApprovalState.DENIED: (":red[:material/block:]", "denied"),
    ApprovalState.EXPIRED: (":gray[:material/timer_off:]", "expired"),
}


def draw_history(inbox: Inbox, client: Client) -> None:
    """Nothing when nothing was decided."""
    items = latest(inbox.items(client, inbox.decided))
    if not items:
        return
    st.subheader("Decided in the last 24 hours")
    with st.container(border=True, key="decided"):
        for item in items:
            _line(inbox, item)


def _line(inbox: Inbox, item: Item) -> None:
    action, approval = item.action, item.approval
    if approval is None:
        return
    mark, _ = _MARKS.get(approval.state, (":gray[:material/help:]", ""))
    goal = words.shorten(words.clean(action.declared_goal) or NO_GOAL, LONGEST_GOAL)
    simulated = " :violet-badge[Simulated]" if action.source is Source.SIMULATED else ""
    with st.container(key=f"decided-{action.action_id}", gap="xxsmall"):
        with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
            st.markdown(f"{mark} {words.plain(goal)}{simulated}", width="stretch")
            to_ledger(action.action_id)
        when = "" if approval.decided_at is None else f" · {words.ago(approval.decided_at, inbox.now())}"
        st.caption(f"{words.code(action.action_type)} · {told(approval)}{when}")
        if approval.reasoning:
            st.caption(f"“{words.plain(words.shorten(words.clean(approval.reasoning), LONGEST_GOAL))}”")


def told(approval: Approval) -> str:
    """`denied by ana after 12 s`, `expired after 24 h`."""
    _, did = _MARKS.get(approval.state, ("", str(approval.state)))
    by = f" by **{words.plain(approval.decided_by)}**" if approval.decided_by else ""
    if approval.decided_at is None:
        return f"{did}{by}"
    seconds = (approval.decided_at - approval.requested_at).total_seconds()
    return f"{did}{by} after {words.span(seconds)}"
