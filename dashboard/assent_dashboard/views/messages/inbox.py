"""The list of messages, newest first; each is a link that opens it. Keys: `messages_list`, `messages_mark_all`."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from assent.contract.messages import Direction, Mark, Message, Messages, MessageStatus
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.empty import empty
from assent_dashboard.views.kept import forget
from assent_dashboard.views.links import to_page
from assent_dashboard.views.messages import told
from assent_dashboard.views.messages.dialog import SAID
from assent_dashboard.views.messages.filters import Filters
from assent_dashboard.views.messages.writing import marked

SNIPPET = """from assent import Client

with Client(agent_id="payer") as client:
    client.send_message("Is invoice 7 due?", to="desk", subject="Due?", message_type="question")
    for message in client.get_inbox(unread=True).messages:
        print(message.from_agent_id, message.body)
"""


def draw(session: Session, filters: Filters, page: Messages, now: datetime) -> None:
    if not page.messages:
        _nothing(filters)
        return
    counts = f"**{words.several(page.total, 'message')}**"
    if filters.agent_id:
        counts += f" · {words.amount(page.unread_count)} unread in the inbox of {words.code(filters.agent_id)}"
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(counts, width="content")
        _mark_all(session, filters, page.messages)
    with st.container(key="messages_list", gap="small"):
        for message in page.messages:
            line(message, filters, now)
    older(filters, page.next_cursor)


def line(message: Message, filters: Filters, now: datetime) -> None:
    """One message of a list. Key: `message-<id>`."""
    with st.container(key=f"message-{message.id}", border=True, gap="xxsmall"):
        to_page("messages", f"**{words.plain(told.subject(message))}**", filters.opened(message.id).address())
        files = f" · :material/attach_file: {len(message.attachments)}" if message.attachments else ""
        st.markdown(f"{told.state(message)} {told.between(message)}")
        st.caption(f"{words.ago(message.created_at, now)}, {words.moment(message.created_at)}{files}")


def older(filters: Filters, cursor: str | None) -> None:
    """The way to the next page of a list, and to the first one."""
    if cursor is None and filters.cursor is None:
        return
    with st.container(key="messages_paging", horizontal=True, horizontal_alignment="center"):
        if filters.cursor is not None:
            to_page("messages", "Newest", filters.at(None).address(), icon=":material/first_page:")
        if cursor is not None:
            to_page("messages", "Older", filters.at(cursor).address(), icon=":material/chevron_right:")


def _mark_all(session: Session, filters: Filters, messages: list[Message]) -> None:
    agent_id = session.key.agent_id or filters.agent_id
    if agent_id is None or filters.direction is Direction.SENT:
        return
    unread = [each.id for each in messages if each.status is MessageStatus.SENT and each.from_agent_id != agent_id]
    if unread:
        st.button(
            f"Mark these {len(unread)} as read",
            key="messages_mark_all",
            icon=":material/done_all:",
            help=f"For {words.plain(agent_id)}, who then finds them among what was read.",
            on_click=_mark,
            args=(session, unread, agent_id),
        )


def _mark(session: Session, ids: list[str], agent_id: str) -> None:
    st.session_state[SAID] = marked(session.client, ids, Mark.READ, agent_id)
    forget("messages")


def _nothing(filters: Filters) -> None:
    if filters.narrowed or filters.cursor:
        empty("No message fits what you chose.", "Take a choice out above, or look at all agents.")
    else:
        empty(
            "No agent has written anything yet.",
            "Agents write to each other with their own keys; you can write to them with **Write**.",
            SNIPPET,
        )
