"""What agents remember: context threads with their entries, and single key points. Keys: `context-<id>`,
`messages_points`."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from assent.contract.key_points import KeyPoint
from assent.contract.threads import Thread, ThreadDetail, ThreadStatus
from assent_dashboard.views import words
from assent_dashboard.views.empty import empty
from assent_dashboard.views.links import to_page
from assent_dashboard.views.messages import told
from assent_dashboard.views.messages.data import Context, Remembered
from assent_dashboard.views.messages.filters import Filters
from assent_dashboard.views.messages.inbox import older

SNIPPET = """from assent import Client

with Client(agent_id="payer") as client:
    thread_id = client.create_thread("Supplier 12").thread_id
    client.add_thread_entry(thread_id, "They send corrections on Mondays.")
    client.capture_key_point("Invoice 7 was paid twice.", importance=8)
"""


def draw_list(filters: Filters, found: Context, now: datetime) -> None:
    threads, points = found.threads, found.points
    if not threads.threads and not points.points:
        if filters.narrowed or filters.cursor:
            empty("This agent remembers nothing here.", "Take the agent out above to see all.")
        else:
            empty("No agent has noted anything yet.", "Threads and key points are what an agent reads first.", SNIPPET)
        return
    if threads.threads:
        st.markdown(f"**{words.several(threads.total, 'context thread')}**, newest first")
        for thread in threads.threads:
            with st.container(key=f"context-{thread.id}", border=True, gap="xxsmall"):
                to_page("messages", f"**{words.plain(thread.name)}**", filters.entered(thread.id).address())
                st.markdown(_stands(thread, now))
                if thread.summary:
                    st.text(told.lines(thread.summary))
        older(filters, threads.next_cursor)
    if points.points:
        with st.container(key="messages_points"):
            st.subheader("Key points", anchor=False)
            for point in points.points:
                _point(point, now)
            if points.total > len(points.points):
                st.caption(f"These are the newest {len(points.points)} of {words.amount(points.total)}.")


def draw_open(filters: Filters, found: Remembered, now: datetime) -> None:
    to_page("messages", "Back to the context", filters.closed().address(), icon=":material/arrow_back:")
    if found.detail is None:
        empty(f"There is no context thread {words.code(filters.thread_id)} here.", "Check the id, or look at the list.")
        return
    _entries(found.detail, now)


def _entries(detail: ThreadDetail, now: datetime) -> None:
    st.header(words.plain(detail.thread.name), anchor=False)
    st.markdown(_stands(detail.thread, now))
    if detail.thread.summary:
        st.text(told.lines(detail.thread.summary))
    for entry in detail.entries:
        with st.container(key=f"entry-{entry.id}", border=True, gap="xxsmall"):
            st.text(told.lines(entry.content))
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
        st.text(told.lines(point.content))
        st.caption(
            f"{words.plain(point.category)} · importance {point.importance} of 10 · {words.code(point.agent_id)} · "
            f"{words.ago(point.created_at, now)}"
        )
