"""What actions left open, until somebody says how it ended. Keys: `loop-<id>`, `messages_close-<id>`."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from assent import Source
from assent.contract.control.loops import Loops, LoopStatus, OpenLoop
from assent_dashboard.views import words
from assent_dashboard.views.addresses import MessagesAddress
from assent_dashboard.views.blocks import empty
from assent_dashboard.views.links import to_ledger
from assent_dashboard.views.messages import words as message_words
from assent_dashboard.views.messages.compose import begin
from assent_dashboard.views.messages.inbox import older

SNIPPET = """from assent import Client

with Client(agent_id="payer") as client:
    action = client.create_action("pay", "Pay invoice 7")
    client.register_open_loop(action.action_id, "followup", "Tell the supplier", priority="high")
"""


def draw(filters: MessagesAddress, page: Loops, now: datetime) -> None:
    if not page.loops:
        if filters.narrowed or filters.cursor:
            empty("No loop fits what you chose.", "Take a choice out above to see all of them.")
        else:
            empty("Nothing was left open.", "An action that cannot finish alone registers what is missing.", SNIPPET)
        return
    stats = page.stats
    st.markdown(
        f"**{words.amount(stats.open_count)} open** · {words.amount(stats.critical_open)} critical · "
        f"{words.amount(stats.high_open)} high · {words.amount(stats.resolved_count)} resolved · "
        f"{words.amount(stats.cancelled_count)} cancelled"
    )
    for loop in page.loops:
        with st.container(key=f"loop-{loop.loop_id}", border=True, gap="xsmall"):
            _one(loop, now)
    older(filters, page.next_cursor)


def _one(loop: OpenLoop, now: datetime) -> None:
    simulated = " :violet-badge[simulated]" if loop.source is Source.SIMULATED else ""
    st.markdown(message_words.loop_badges(loop) + simulated)
    st.text(message_words.lines(loop.description))
    owner = f" · for {words.plain(loop.owner)}" if loop.owner else ""
    st.caption(
        f"{words.code(loop.agent_id)} · {words.code(loop.action_type)} · registered {words.ago(loop.created_at, now)}"
        f"{owner}"
    )
    if loop.status is not LoopStatus.OPEN:
        by = f" by {words.code(loop.resolved_by)}" if loop.resolved_by else ""
        at = f" {words.moment(loop.resolved_at)}" if loop.resolved_at else ""
        st.caption(f"{loop.status.value.capitalize()}{by}{at}")
        if loop.resolution:
            st.text(message_words.lines(loop.resolution))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if loop.status is LoopStatus.OPEN:
            key = f"messages_close-{loop.loop_id}"
            st.button("Close…", key=key, icon=":material/check:", on_click=begin, args=(loop,))
        to_ledger(loop.action_id, "Its action")
