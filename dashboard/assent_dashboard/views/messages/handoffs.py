"""What one session of an agent left for the next: the latest of each agent, and those before. Keys: `handoff-<id>`,
`messages_earlier`."""

from __future__ import annotations

from datetime import datetime

import msgspec
import streamlit as st

from assent.contract.exchange.handoffs import Handoff, Handoffs
from assent_dashboard.views import words
from assent_dashboard.views.addresses import MessagesAddress
from assent_dashboard.views.blocks import empty
from assent_dashboard.views.messages import words as message_words
from assent_dashboard.views.messages.data import latest

SNIPPET = """from assent import Client

with Client(agent_id="payer") as client:
    client.create_handoff("Invoices 1 to 6 are paid.", open_tasks=["Ask about invoice 7"])
"""


def draw(filters: MessagesAddress, page: Handoffs, now: datetime) -> None:
    if not page.handoffs:
        if filters.agent_id:
            empty(f"{words.code(filters.agent_id)} has handed nothing over.", "Take the agent out above to see all.")
        else:
            empty("Nothing was handed over yet.", "An agent leaves a handoff for its own next session.", SNIPPET)
        return
    newest = latest(page.handoffs)
    shown = {each.id for each in newest}
    earlier = [each for each in page.handoffs if each.id not in shown]
    st.markdown(f"**{words.several(page.total, 'handoff')}**; the latest of {words.several(len(newest), 'agent')}:")
    for each in newest:
        with st.container(key=f"handoff-{each.id}", border=True):
            _one(each, now)
    if earlier:
        with st.expander(f"Earlier ones ({len(earlier)})", key="messages_earlier"):
            for each in earlier:
                _one(each, now)
                st.divider()
    if page.total > len(page.handoffs):
        st.caption(f"These are the newest {len(page.handoffs)}; choose an agent to look further back.")


def _one(handoff: Handoff, now: datetime) -> None:
    who = words.code(handoff.agent_id) if handoff.agent_id else "an agent without a name"
    tags = " ".join(f":gray-badge[{words.plain(each)}]" for each in handoff.tags)
    st.markdown(f"**{who}** {tags}")
    st.text(message_words.lines(handoff.summary))
    for title, value in (
        ("Decided", handoff.key_decisions),
        ("Still open", handoff.open_tasks),
        ("Next", handoff.next_priorities),
        ("Mood", handoff.mood_notes),
    ):
        if value:
            st.caption(title)
            st.text(message_words.notes(value))
    if handoff.context:
        st.caption("Context")
        st.code(msgspec.json.format(msgspec.json.encode(handoff.context), indent=2).decode(), language="json")
    st.caption(f"Session of {words.plain(handoff.session_date)} · left {words.ago(handoff.created_at, now)}")
