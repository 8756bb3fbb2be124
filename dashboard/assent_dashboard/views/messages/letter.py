"""One message that is open: what was written, letter by letter, its files to take away, and what can be done with it.

Nothing a stranger sent is rendered: the body is plain text, and files are only ever saved. Looking marks nothing as
read. Keys: `messages_letter`, `messages_reply`, `messages_read`, `messages_archive`, `attachment-<id>`.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial

import streamlit as st

from assent import Client
from assent.contract.attachments import Attachment
from assent.contract.messages import Mark, Message, MessageStatus
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.empty import empty
from assent_dashboard.views.kept import forget
from assent_dashboard.views.links import to_ledger, to_page
from assent_dashboard.views.messages import told
from assent_dashboard.views.messages.data import Mail, reader
from assent_dashboard.views.messages.dialog import SAID, begin
from assent_dashboard.views.messages.filters import Filters, View
from assent_dashboard.views.messages.writing import marked

SAVED = "application/octet-stream"
"""Whatever the sender calls a file, the browser saves it and opens nothing."""


def draw(session: Session, filters: Filters, mail: Mail, now: datetime) -> None:
    to_page("messages", "Back to the list", filters.closed().address(), icon=":material/arrow_back:")
    message = mail.message
    if message is None:
        empty(
            f"There is no message {words.code(filters.message_id)} in this organization.",
            "Check the id; a link from another organization needs a key of that one.",
        )
        return
    with st.container(key="messages_letter", border=True):
        st.header(words.plain(told.subject(message)), anchor=False)
        st.markdown(f"{told.state(message)} {told.between(message)}")
        st.text(told.lines(message.body))
        if message.doc_ref:
            st.markdown(f"More in {words.code(message.doc_ref)}")
        if message.attachments:
            _files(session.client, message.attachments)
        sent = f"{words.moment(message.created_at)} ({words.ago(message.created_at, now)})"
        st.caption(f"Sent {sent} · {words.code(message.id)}")
        st.caption(told.read_by(message))
    with st.container(horizontal=True, gap="small"):
        if message.thread_id:
            thread = Filters(view=View.THREADS, agent_id=filters.agent_id).entered(message.thread_id)
            to_page("messages", "Its thread", thread.address(), icon=":material/forum:")
        if message.action_id:
            to_ledger(message.action_id, "The action it is about")
    _deeds(session, filters, message)


def _files(client: Client, files: list[Attachment]) -> None:
    st.caption(
        f"{words.several(len(files), 'file')}. An agent sent them and nobody has looked inside: save, then check."
    )
    for each in files:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.download_button(
                "Save",
                data=partial(_bytes, client, each.id),
                file_name=told.file_name(each),
                mime=SAVED,
                key=f"attachment-{each.id}",
                icon=":material/download:",
                on_click="ignore",
                help=f"Save {words.plain(each.filename)}",
            )
            st.markdown(told.about(each), width="stretch")


def _bytes(client: Client, attachment_id: str) -> bytes:
    return client.get_attachment(attachment_id).data


def _deeds(session: Session, filters: Filters, message: Message) -> None:
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
                on_click=_mark,
                args=(session, message.id, mark, agent_id or ""),
            )
    if agent_id is None:
        st.caption("It went to all agents: choose one above to mark it for that agent.")
    else:
        who = words.code(agent_id)
        st.caption(f"Marks count for {who}: what is archived leaves the inbox of {who}. Looking marks nothing.")


def _mark(session: Session, message_id: str, mark: Mark, agent_id: str) -> None:
    st.session_state[SAID] = marked(session.client, [message_id], mark, agent_id)
    forget("messages")
