"""What was decided in the window: what, by whom, how fast."""

from __future__ import annotations

import streamlit as st

from assent import Approval, ApprovalState, Source
from assent_dashboard.inbox.rows import NO_GOAL
from assent_dashboard.views import words
from assent_dashboard.views.addresses import in_words
from assent_dashboard.views.approvals.decided import Decided, Item
from assent_dashboard.views.links import to_ledger

LONGEST_GOAL = 140
FEW = 12
SELF_DECIDED = ":orange-badge[:material/person_alert: decided by the key that asked]"
_MARKS = {
    ApprovalState.APPROVED: (":green[:material/check_circle:]", "allowed"),
    ApprovalState.DENIED: (":red[:material/block:]", "denied"),
    ApprovalState.EXPIRED: (":gray[:material/timer_off:]", "expired"),
    ApprovalState.WITHDRAWN: (":gray[:material/undo:]", "withdrawn"),
}


def draw_history(past: Decided) -> None:
    """The latest, and the others that were read when somebody wants them."""
    st.header(f"Decided in {in_words(past.scope.window)}", anchor=False)
    if not past.items:
        st.caption("Nothing was decided in this window.")
        return
    with st.container(border=True, key="decided"):
        for item in past.items[:FEW]:
            _line(past, item)
        rest = past.items[FEW:]
        if rest:
            with st.expander(f"{len(rest)} more", key="decided_more"):
                for item in rest:
                    _line(past, item)
    if past.total > len(past.items):
        st.caption(
            f"These are the {len(past.items)} that were asked for last, of {words.amount(past.total)}; "
            "the ledger has them all."
        )


def _line(past: Decided, item: Item) -> None:
    action, approval = item.action, item.approval
    mark, _ = _MARKS.get(approval.state, (":gray[:material/help:]", ""))
    goal = words.shorten(words.clean(action.declared_goal) or NO_GOAL, LONGEST_GOAL)
    simulated = " :violet-badge[Simulated]" if action.source is Source.SIMULATED else ""
    own = f" {SELF_DECIDED}" if approval.self_decided else ""
    with st.container(key=f"decided-{action.action_id}", gap="xxsmall"):
        with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
            st.markdown(f"{mark} {words.plain(goal)}{simulated}{own}", width="stretch")
            to_ledger(action.action_id)
        when = "" if approval.decided_at is None else f" · {words.ago(approval.decided_at, past.now())}"
        st.caption(f"{words.code(action.action_type)} · {end_in_words(approval)}{when}")
        if approval.reasoning:
            st.caption(f"“{words.plain(words.shorten(words.clean(approval.reasoning), LONGEST_GOAL))}”")


def end_in_words(approval: Approval, *, mark: bool = False) -> str:
    """`denied by ana after 12 s`, `expired after 24 h`; with a mark before it if wanted."""
    sign, did = _MARKS.get(approval.state, ("", str(approval.state)))
    if approval.grant_id is not None:
        did = "approved in advance"
    by = f" by **{words.plain(approval.decided_by)}**" if approval.decided_by else ""
    said = f"{sign} {did}{by}" if mark else f"{did}{by}"
    if approval.grant_id is not None:
        return f"{said}, by a standing grant"
    if approval.decided_at is None:
        return said
    seconds = (approval.decided_at - approval.requested_at).total_seconds()
    return f"{said} after {words.exact(seconds)}"
