"""The second press: a dialog that repeats what is about to happen, takes the reason, and tells what came of it.

Enter does not decide, Ctrl+Enter (Cmd+Enter) does. The dialog that decides on one request is here, the one that decides
on several identical ones in `bulk_dialog`; one of them at most is open.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import streamlit as st

from assent import Approval, ApprovalState, Client, Verdict
from assent.deciding import Deciding, Stage, expired
from assent_dashboard.views import words
from assent_dashboard.views.approvals.bulk import Bulk
from assent_dashboard.views.approvals.inbox import Item
from assent_dashboard.views.approvals.said import CANCEL, clear, draw_buttons, draw_said
from assent_dashboard.views.approvals.wanted import draw_badges, draw_goal, draw_stopped, sentence

STATE = "assent_deciding"


def present() -> Deciding[Item] | Bulk | None:
    """The decision that is open on this page."""
    deciding = st.session_state.get(STATE)
    return deciding if isinstance(deciding, Deciding | Bulk) else None


def begin(deciding: Deciding[Item] | Bulk) -> None:
    st.session_state[STATE] = deciding
    clear()


def end() -> None:
    st.session_state.pop(STATE, None)


def open_dialog(
    deciding: Deciding[Item], client: Client, now: datetime, sent: Callable[[Deciding[Item]], None]
) -> None:
    """Show the decision. `sent` is called once it counts; then the page is drawn again without the dialog."""
    title = "Allow this action?" if deciding.verdict is Verdict.ALLOW else "Deny this action?"

    @st.dialog(title, width="medium", on_dismiss=end)
    def dialog() -> None:
        with st.container(key="deciding"):
            repeat(deciding.item, now)
            if deciding.stage is Stage.OVER:
                _tell(deciding, now)
            else:
                _ask(deciding, client)
        if deciding.stage is Stage.SENT:
            end()
            sent(deciding)
            st.rerun(scope="app")

    dialog()


def repeat(item: Item, now: datetime, several: int = 1) -> None:
    """What is about to be decided."""
    with st.container(border=True):
        draw_goal(item, "deciding")
        draw_badges(item, now, several)
        st.markdown(sentence(item.action))
        draw_stopped(item.approval)


def _ask(deciding: Deciding[Item], client: Client) -> None:
    allows = deciding.verdict is Verdict.ALLOW
    st.markdown(
        "The waiting agent goes on at once, and your name stands under it."
        if allows
        else "The agent is told not to do it, and why. Your name stands under it."
    )
    said = draw_said(deciding.verdict)
    problem = st.empty()
    confirmed, left = draw_buttons("Allow" if allows else "Deny", deciding.verdict)
    if confirmed:
        deciding.send(client, said)
    if left:
        end()
    if left or deciding.stage is Stage.OVER:
        st.rerun()
    if deciding.problem is not None:
        problem.error(words.plain(deciding.problem))


def _tell(deciding: Deciding[Item], now: datetime) -> None:
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
