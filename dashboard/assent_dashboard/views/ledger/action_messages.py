"""The messages that agents wrote about an action, on its page. What they wrote is shown letter by letter."""

from __future__ import annotations

import streamlit as st

from assent.contract.messages import Message
from assent.contract.traces import MessageTrace
from assent_dashboard.views import words


def draw(said: MessageTrace) -> None:
    st.header("What agents wrote", anchor=False)
    for message in said.items:
        _one(message)
    if said.total > len(said.items):
        st.caption(f"These are the first {len(said.items)} of {said.total}.")


def _one(message: Message) -> None:
    to = "all" if message.to_agent_id is None else words.code(message.to_agent_id)
    urgent = ":red-badge[urgent] " if message.urgent else ""
    subject = f" **{words.plain(message.subject)}**" if message.subject else ""
    st.markdown(f"{urgent}{words.code(message.from_agent_id)} to {to}{subject}")
    st.markdown(words.plain(message.body))
    more = [f"Attached: {', '.join(words.plain(each.filename) for each in message.attachments)}"]
    more = more if message.attachments else []
    more += [f"Read by {', '.join(words.code(reader) for reader in message.read_by)}"] if message.read_by else []
    st.caption(" · ".join([message.message_type, words.moment(message.created_at), *more]))
