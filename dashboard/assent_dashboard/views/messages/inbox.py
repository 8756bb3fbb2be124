"""The inbox: the list of messages, newest first, and one message that is open. Keys: `messages_list`,
`messages_mark_all`."""

from __future__ import annotations

from datetime import datetime
from functools import partial

import streamlit as st

from assent import Client
from assent.contract.exchange.attachments import Attachment
from assent.contract.exchange.messages import Direction, Mark, Message, Messages, MessageStatus
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import MessagesAddress, MessagesView
from assent_dashboard.views.answers import forget
from assent_dashboard.views.blocks import empty
from assent_dashboard.views.links import to_ledger, to_page
from assent_dashboard.views.messages import words as message_words
from assent_dashboard.views.messages.compose import SAID, begin, marked
from assent_dashboard.views.messages.data import Mail, reader

SNIPPET = """from assent import Client

with Client(agent_id="payer") as client:
    client.send_message("Is invoice 7 due?", to="desk", subject="Due?", message_type="question")
    for message in client.get_inbox(unread=True).messages:
        print(message.from_agent_id, message.body)
"""


def draw_inbox(session: Session, filters: MessagesAddress, page: Messages, now: datetime) -> None:
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


def line(message: Message, filters: MessagesAddress, now: datetime) -> None:
    """One message of a list. Key: `message-<id>`."""
    with st.container(key=f"message-{message.id}", border=True, gap="xxsmall"):
        to_page(filters.opened(message.id), f"**{words.plain(message_words.subject(message))}**")
        files = f" · :material/attach_file: {len(message.attachments)}" if message.attachments else ""
        st.markdown(f"{message_words.state(message)} {message_words.between(message)}")
        st.caption(f"{words.ago(message.created_at, now)}, {words.moment(message.created_at)}{files}")


def older(filters: MessagesAddress, cursor: str | None) -> None:
    """The way to the next page of a list, and to the first one."""
    if cursor is None and filters.cursor is None:
        return
    with st.container(key="messages_paging", horizontal=True, horizontal_alignment="center"):
        if filters.cursor is not None:
            to_page(filters.at(None), "Newest", icon=":material/first_page:")
        if cursor is not None:
            to_page(filters.at(cursor), "Older", icon=":material/chevron_right:")


def _mark_all(session: Session, filters: MessagesAddress, messages: list[Message]) -> None:
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
            on_click=_mark_read,
            args=(session, unread, agent_id),
        )


def _mark_read(session: Session, ids: list[str], agent_id: str) -> None:
    st.session_state[SAID] = marked(session.client, ids, Mark.READ, agent_id)
    forget("messages")


def _nothing(filters: MessagesAddress) -> None:
    if filters.narrowed or filters.cursor:
        empty("No message fits what you chose.", "Take a choice out above, or look at all agents.")
    else:
        empty(
            "No agent has written anything yet.",
            "Agents write to each other with their own keys; you can write to them with **Write**.",
            SNIPPET,
        )


# One message that is open: what was written, letter by letter, its files to take away, and what can be done with it.
#
# Nothing a stranger sent is rendered: the body is plain text, and files are only ever saved. Looking marks nothing as
# read. Keys: `messages_letter`, `messages_reply`, `messages_read`, `messages_archive`, `attachment-<id>`.


SAVED = "application/octet-stream"
"""Whatever the sender calls a file, the browser saves it and opens nothing."""


def draw_letter(session: Session, filters: MessagesAddress, mail: Mail, now: datetime) -> None:
    to_page(filters.closed(), "Back to the list", icon=":material/arrow_back:")
    message = mail.message
    if message is None:
        empty(
            f"There is no message {words.code(filters.message_id)} in this organization.",
            "Check the id; a link from another organization needs a key of that one.",
        )
        return
    with st.container(key="messages_letter", border=True):
        st.header(words.plain(message_words.subject(message)), anchor=False)
        st.markdown(f"{message_words.state(message)} {message_words.between(message)}")
        st.text(message_words.lines(message.body))
        if message.doc_ref:
            st.markdown(f"More in {words.code(message.doc_ref)}")
        if message.attachments:
            _files(session.client, message.attachments)
        sent = f"{words.moment(message.created_at)} ({words.ago(message.created_at, now)})"
        st.caption(f"Sent {sent} · {words.code(message.id)}")
        st.caption(message_words.read_by(message))
    with st.container(horizontal=True, gap="small"):
        if message.thread_id:
            thread = MessagesAddress(view=MessagesView.THREADS, agent_id=filters.agent_id).entered(message.thread_id)
            to_page(thread, "Its thread", icon=":material/forum:")
        if message.action_id:
            to_ledger(message.action_id, "The action it is about")
    _buttons(session, filters, message)


def _files(client: Client, files: list[Attachment]) -> None:
    st.caption(
        f"{words.several(len(files), 'file')}. An agent sent them and nobody has looked inside: save, then check."
    )
    for each in files:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.download_button(
                "Save",
                data=partial(_bytes, client, each.id),
                file_name=message_words.file_name(each),
                mime=SAVED,
                key=f"attachment-{each.id}",
                icon=":material/download:",
                on_click="ignore",
                help=f"Save {words.plain(each.filename)}",
            )
            st.markdown(message_words.about(each), width="stretch")


def _bytes(client: Client, attachment_id: str) -> bytes:
    return client.get_attachment(attachment_id).data


def _buttons(session: Session, filters: MessagesAddress, message: Message) -> None:
    agent_id = reader(filters, message, session.key.agent_id)
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Reply", key="messages_reply", icon=":material/reply:", type="primary", on_click=begin, args=(message,)
        )
        for mark, label, icon in (
            (Mark.READ, "Mark read", ":material/drafts:"),
            (Mark.ARCHIVE, "Archive", ":material/archive:"),
        ):
            done = message.status is MessageStatus.ARCHIVED or (mark is Mark.READ and message.is_read)
            st.button(
                label,
                key=f"messages_{mark.value}",
                icon=icon,
                disabled=agent_id is None or done,
                on_click=_mark_letter,
                args=(session, message.id, mark, agent_id or ""),
            )
    if agent_id is None:
        st.caption("It went to all agents: choose one above to mark it for that agent.")
    else:
        who = words.code(agent_id)
        st.caption(f"Marks count for {who}: what is archived leaves the inbox of {who}. Looking marks nothing.")


def _mark_letter(session: Session, message_id: str, mark: Mark, agent_id: str) -> None:
    st.session_state[SAID] = marked(session.client, [message_id], mark, agent_id)
    forget("messages")
