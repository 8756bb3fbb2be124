"""Message threads and what agents remember (context threads, key points), as lists and each one opened. Keys:
`thread-<id>`, `messages_resolve_thread`."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from assent.contract.exchange.key_points import KeyPoint
from assent.contract.exchange.message_threads import MessageThread, MessageThreads, MessageThreadStatus
from assent.contract.exchange.threads import Thread, ThreadDetail, ThreadStatus
from assent_dashboard.views import words
from assent_dashboard.views.addresses import MessagesAddress, MessagesView
from assent_dashboard.views.blocks import empty
from assent_dashboard.views.links import to_page
from assent_dashboard.views.messages import words as message_words
from assent_dashboard.views.messages.compose import begin
from assent_dashboard.views.messages.data import ContextData, OpenThread, Remembered
from assent_dashboard.views.messages.inbox import older

SNIPPET = """from assent import Client

with Client(agent_id="payer") as client:
    thread_id = client.create_message_thread("Invoice 7", ["payer", "desk"]).thread_id
    client.send_message("Is it due?", to="desk", thread_id=thread_id)
"""


def draw_list(filters: MessagesAddress, page: MessageThreads, now: datetime) -> None:
    if not page.threads:
        _nothing(filters)
        return
    st.markdown(f"**{words.several(page.total, 'thread')}**, newest first")
    for thread in page.threads:
        with st.container(key=f"thread-{thread.id}", border=True, gap="xxsmall"):
            to_page(filters.entered(thread.id), f"**{words.plain(thread.name)}**")
            st.markdown(message_words.thread_line(thread, now))
            if thread.summary:
                st.text(message_words.lines(thread.summary))
    older(filters, page.next_cursor)


def draw_open(filters: MessagesAddress, found: OpenThread, now: datetime) -> None:
    """Oldest first, as people read."""
    to_page(filters.closed(), "Back to the threads", icon=":material/arrow_back:")
    thread, messages = found.thread, found.messages.messages
    if thread is None and not messages:
        empty(f"There is no thread {words.code(filters.thread_id)} here.", "Check the id, or look at the list.")
        return
    if thread is not None:
        _head(thread, now)
    for message in reversed(messages):
        with st.container(key=f"message-{message.id}", border=True, gap="xxsmall"):
            st.markdown(f"{message_words.state(message)} {message_words.between(message)}")
            st.text(message_words.lines(message.body))
            opened = MessagesAddress(view=MessagesView.INBOX, agent_id=filters.agent_id).opened(message.id)
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                to_page(opened, "Open", icon=":material/mail:")
                st.caption(words.moment(message.created_at), width="content")
    if found.messages.total > len(messages):
        st.caption(f"These are the newest {len(messages)} of {words.amount(found.messages.total)}.")


def _head(thread: MessageThread, now: datetime) -> None:
    st.header(words.plain(thread.name), anchor=False)
    st.markdown(message_words.thread_line(thread, now))
    if thread.status is MessageThreadStatus.RESOLVED:
        st.text(message_words.lines(thread.summary or "It was resolved without a word."))
    else:
        st.button("Resolve…", key="messages_resolve_thread", icon=":material/check:", on_click=begin, args=(thread,))


def _nothing(filters: MessagesAddress) -> None:
    if filters.narrowed or filters.cursor:
        empty("This agent takes part in no thread.", "Take the agent out above to see all threads.")
    else:
        empty("No thread was opened yet.", "A thread keeps messages together until somebody resolves it.", SNIPPET)


# What agents remember: context threads with their entries, and single key points. Keys: `context-<id>`,
# `messages_points`.


CONTEXT_SNIPPET = """from assent import Client

with Client(agent_id="payer") as client:
    thread_id = client.create_thread("Supplier 12").thread_id
    client.add_thread_entry(thread_id, "They send corrections on Mondays.")
    client.capture_key_point("Invoice 7 was paid twice.", importance=8)
"""


def draw_context_list(filters: MessagesAddress, found: ContextData, now: datetime) -> None:
    threads, points = found.threads, found.points
    if not threads.threads and not points.points:
        if filters.narrowed or filters.cursor:
            empty("This agent remembers nothing here.", "Take the agent out above to see all.")
        else:
            empty(
                "No agent has noted anything yet.",
                "Threads and key points are what an agent reads first.",
                CONTEXT_SNIPPET,
            )
        return
    if threads.threads:
        st.markdown(f"**{words.several(threads.total, 'context thread')}**, newest first")
        for thread in threads.threads:
            with st.container(key=f"context-{thread.id}", border=True, gap="xxsmall"):
                to_page(filters.entered(thread.id), f"**{words.plain(thread.name)}**")
                st.markdown(_stands(thread, now))
                if thread.summary:
                    st.text(message_words.lines(thread.summary))
        older(filters, threads.next_cursor)
    if points.points:
        with st.container(key="messages_points"):
            st.subheader("Key points", anchor=False)
            for point in points.points:
                _point(point, now)
            if points.total > len(points.points):
                st.caption(f"These are the newest {len(points.points)} of {words.amount(points.total)}.")


def draw_context_open(filters: MessagesAddress, found: Remembered, now: datetime) -> None:
    to_page(filters.closed(), "Back to the context", icon=":material/arrow_back:")
    if found.detail is None:
        empty(f"There is no context thread {words.code(filters.thread_id)} here.", "Check the id, or look at the list.")
        return
    _entries(found.detail, now)


def _entries(detail: ThreadDetail, now: datetime) -> None:
    st.header(words.plain(detail.thread.name), anchor=False)
    st.markdown(_stands(detail.thread, now))
    if detail.thread.summary:
        st.text(message_words.lines(detail.thread.summary))
    for entry in detail.entries:
        with st.container(key=f"entry-{entry.id}", border=True, gap="xxsmall"):
            st.text(message_words.lines(entry.content))
            st.caption(
                f"{words.plain(entry.entry_type)} · {words.code(entry.agent_id)} · {words.moment(entry.created_at)}"
            )
    if not detail.entries:
        st.caption("Nothing was written into it yet.")
    elif detail.total > len(detail.entries):
        st.caption(f"These are the newest {len(detail.entries)} of {words.amount(detail.total)}.")


def _stands(thread: Thread, now: datetime) -> str:
    active = thread.status is ThreadStatus.ACTIVE
    badge = ":blue-badge[:material/edit_note: active]" if active else ":gray-badge[:material/lock: closed]"
    return f"{badge} {words.code(thread.agent_id)} · changed {words.ago(thread.updated_at, now)}"


def _point(point: KeyPoint, now: datetime) -> None:
    with st.container(key=f"point-{point.id}", border=True, gap="xxsmall"):
        st.text(message_words.lines(point.content))
        st.caption(
            f"{words.plain(point.category)} · importance {point.importance} of 10 · {words.code(point.agent_id)} · "
            f"{words.ago(point.created_at, now)}"
        )
