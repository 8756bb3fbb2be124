"""Message threads, and one that is open with all that was written in it. Keys: `thread-<id>`,
`messages_resolve_thread`."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from assent.contract.message_threads import MessageThread, MessageThreads, MessageThreadStatus
from assent_dashboard.views import words
from assent_dashboard.views.empty import empty
from assent_dashboard.views.links import to_page
from assent_dashboard.views.messages import told
from assent_dashboard.views.messages.data import OpenThread
from assent_dashboard.views.messages.dialog import begin
from assent_dashboard.views.messages.filters import Filters, View
from assent_dashboard.views.messages.inbox import older

SNIPPET = """from assent import Client

with Client(agent_id="payer") as client:
    thread_id = client.create_message_thread("Invoice 7", ["payer", "desk"]).thread_id
    client.send_message("Is it due?", to="desk", thread_id=thread_id)
"""


def draw_list(filters: Filters, page: MessageThreads, now: datetime) -> None:
    if not page.threads:
        _nothing(filters)
        return
    st.markdown(f"**{words.several(page.total, 'thread')}**, newest first")
    for thread in page.threads:
        with st.container(key=f"thread-{thread.id}", border=True, gap="xxsmall"):
            to_page("messages", f"**{words.plain(thread.name)}**", filters.entered(thread.id).address())
            st.markdown(told.thread_line(thread, now))
            if thread.summary:
                st.text(told.lines(thread.summary))
    older(filters, page.next_cursor)


def draw_open(filters: Filters, found: OpenThread, now: datetime) -> None:
    """Oldest first, as people read."""
    to_page("messages", "Back to the threads", filters.closed().address(), icon=":material/arrow_back:")
    thread, messages = found.thread, found.messages.messages
    if thread is None and not messages:
        empty(f"There is no thread {words.code(filters.thread_id)} here.", "Check the id, or look at the list.")
        return
    if thread is not None:
        _head(thread, now)
    for message in reversed(messages):
        with st.container(key=f"message-{message.id}", border=True, gap="xxsmall"):
            st.markdown(f"{told.state(message)} {told.between(message)}")
            st.text(told.lines(message.body))
            opened = Filters(view=View.INBOX, agent_id=filters.agent_id).opened(message.id)
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                to_page("messages", "Open", opened.address(), icon=":material/mail:")
                st.caption(words.moment(message.created_at), width="content")
    if found.messages.total > len(messages):
        st.caption(f"These are the newest {len(messages)} of {words.amount(found.messages.total)}.")


def _head(thread: MessageThread, now: datetime) -> None:
    st.header(words.plain(thread.name), anchor=False)
    st.markdown(told.thread_line(thread, now))
    if thread.status is MessageThreadStatus.RESOLVED:
        st.text(told.lines(thread.summary or "It was resolved without a word."))
    else:
        st.button("Resolve…", key="messages_resolve_thread", icon=":material/check:", on_click=begin, args=(thread,))


def _nothing(filters: Filters) -> None:
    if filters.narrowed or filters.cursor:
        empty("This agent takes part in no thread.", "Take the agent out above to see all threads.")
    else:
        empty("No thread was opened yet.", "A thread keeps messages together until somebody resolves it.", SNIPPET)
