"""The second press: a dialog that repeats what is about to happen, takes the reason, and tells what came of it.

Enter does not decide: in the text it makes a new line, and no button has the focus when the dialog opens. The text
reaches the service's side together with the press, so that nothing is drawn anew while somebody types.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import streamlit as st

from assent import Approval, ApprovalState, Client, Verdict
from assent_dashboard.views import words
from assent_dashboard.views.approvals.card import NO_GOAL, draw_badges, stopped, touches, who
from assent_dashboard.views.approvals.deciding import Deciding, Stage, expired
from assent_dashboard.views.approvals.inbox import Item

STATE = "assent_deciding"
REASONING, CONDITIONS, CONFIRM, CANCEL = "reasoning", "conditions", "confirm", "cancel"
LONGEST_REASONING = 4000


def present() -> Deciding | None:
    """The decision that is open on this page."""
    deciding = st.session_state.get(STATE)
    return deciding if isinstance(deciding, Deciding) else None


def begin(deciding: Deciding) -> None:
    st.session_state[STATE] = deciding
    st.session_state[REASONING] = st.session_state[CONDITIONS] = ""


def end() -> None:
    st.session_state.pop(STATE, None)


def open_dialog(deciding: Deciding, client: Client, now: datetime, sent: Callable[[Deciding], None]) -> None:
    """Show the decision. `sent` is called once it counts; then the page is drawn again without the dialog."""
    title = "Allow this action?" if deciding.verdict is Verdict.ALLOW else "Deny this action?"

    @st.dialog(title, width="medium", on_dismiss=end)
    def dialog() -> None:
        item = Item(action=deciding.action, approval=deciding.approval)
        with st.container(key="deciding"):
            _repeat(item, now)
            if deciding.stage is Stage.OVER:
                _tell(deciding, now)
            else:
                _ask(deciding, client)
        if deciding.stage is Stage.SENT:
            end()
            sent(deciding)
            st.rerun(scope="app")

    dialog()


def _repeat(item: Item, now: datetime) -> None:
    action = item.action
    with st.container(border=True):
        with st.container(key="goal-deciding"):
            st.text(words.clean(action.declared_goal) or NO_GOAL)
        draw_badges(item, now)
        st.markdown(f"{who(action)} wants to run {words.code(action.action_type)}{touches(action)}")
        for reason in stopped(item.approval):
            st.markdown(f":material/front_hand: Stopped: {words.plain(reason)}")


def _ask(deciding: Deciding, client: Client) -> None:
    allows = deciding.verdict is Verdict.ALLOW
    st.markdown(
        "The waiting agent goes on at once, and your name stands under it."
        if allows
        else "The agent is told not to do it, and why. Your name stands under it."
    )
    reasoning = st.text_area(
        "Reason (optional)" if allows else "Reason",
        key=REASONING,
        max_chars=LONGEST_REASONING,
        placeholder="Recorded with the decision" if allows else "Recorded, and shown to the agent",
        on_change="ignore",
    )
    conditions = _conditions() if allows else ""
    problem = st.empty()
    with st.container(horizontal=True):
        pressed = st.button(
            "Allow" if allows else "Deny",
            key=CONFIRM,
            type="primary",
            icon=":material/check:" if allows else ":material/block:",
        )
        left = st.button("Cancel", key=CANCEL)
    if pressed:
        deciding.send(client, reasoning or "", (conditions or "").splitlines())
    if left:
        end()
    if left or deciding.stage is Stage.OVER:
        st.rerun()
    if deciding.problem is not None:
        problem.error(words.plain(deciding.problem))


def _conditions() -> str | None:
    """What the agent is to keep to, one condition on each line."""
    return st.text_area(
        "Conditions (optional)",
        key=CONDITIONS,
        height=68,
        placeholder="One on each line; recorded in the receipt, for the agent to keep to",
        on_change="ignore",
    )


def _tell(deciding: Deciding, now: datetime) -> None:
    """Why the decision came too late, and what stands."""
    standing = deciding.settled
    if expired(standing):
        st.warning(
            "**Too late: it expired.** Nobody decided in time; the agent has to ask again.", icon=":material/timer_off:"
        )
    elif standing is not None:
        st.info(
            f"**Already decided.** {verdict_line(standing, now)} That decision stands.", icon=":material/how_to_reg:"
        )
        if standing.reasoning:
            st.caption("The reason given:")
            st.text(words.clean(standing.reasoning))
    else:
        st.warning(words.plain(deciding.problem))
    if st.button("Close", key=CANCEL, type="primary"):
        end()
        st.rerun()


def verdict_line(approval: Approval, now: datetime) -> str:
    """`**ana** denied it 3 min ago (20 Nov 2026, 14:02:07 UTC).`"""
    did = {ApprovalState.APPROVED: "allowed", ApprovalState.DENIED: "denied"}.get(approval.state, str(approval.state))
    by = words.plain(approval.decided_by or "somebody")
    if approval.decided_at is None:
        return f"**{by}** {did} it."
    return f"**{by}** {did} it {words.ago(approval.decided_at, now)} ({words.moment(approval.decided_at)})."
