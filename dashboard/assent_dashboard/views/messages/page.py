"""Messages and handoffs: what agents tell each other, hand over, remember and leave open; live.

`/messages?view=inbox|threads|handoffs|context|loops&agent_id=...`, of the inbox `direction`, `message_type`, `unread`,
`message_id`; of threads and context `thread_id`; of the loops `status`. There is no window: a message waits until it is
read, however old it is.

Keys: `messages_head`, `messages_body`, `messages_again`, `messages_write`; the parts name theirs where they draw them.
"""

from __future__ import annotations

import time
from datetime import datetime

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from assent.contract.handoffs import Handoffs
from assent.contract.loops import Loops
from assent.contract.message_threads import MessageThreads
from assent.contract.messages import Messages
from assent.errors import InvalidRequest
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.checked import draw_checked
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.kept import FRESH_SECONDS, asked, checked_at
from assent_dashboard.views.live import beat
from assent_dashboard.views.messages import context, controls, handoffs, inbox, letter, loops, threads
from assent_dashboard.views.messages.data import EVENTS, Answer, Context, Mail, OpenThread, Remembered, load
from assent_dashboard.views.messages.dialog import SAID, begin, open_dialog, present
from assent_dashboard.views.messages.filters import Filters, read
from assent_dashboard.views.messages.tables import tables
from assent_dashboard.views.messages.writing import sender_name
from assent_dashboard.views.names import names

FALLBACK_SECONDS = 4.0
"""How old an answer becomes while the stream is down."""
STYLE = """<style>
.st-key-messages_body [data-testid="stText"] { white-space: pre-wrap; overflow-wrap: anywhere; }
.st-key-messages_body code { white-space: normal; overflow-wrap: anywhere; }
.st-key-messages_body [data-testid="stPageLink-NavLink"] { background: transparent; }
</style>"""


def show(session: Session) -> None:
    st.html(STYLE)
    st.set_page_config(page_title="Messages · Assent")
    address = st.query_params.to_dict()
    # A link from this page to this page reaches the script and not the browser's address; saying it again does.
    st.query_params.from_dict(address)
    filters, problems = read(address)
    question = _question(session, filters)
    coming = asked("messages", lambda: _load(session, filters), question)
    export = _head(filters)
    known = tuple(sorted({*names(session).agents, session.key.agent_id or sender_name(session.name)}))
    controls.draw(filters, known)
    for problem in problems:
        st.warning(words.plain(problem), icon=":material/warning:")
    last = st.container()
    with st.spinner("Asking the service", show_time=True):
        kept = coming()
    now = session.clock.now()
    answer, lost = kept.answer
    if lost:
        st.warning("The address names a page that is none; this is the first one.", icon=":material/warning:")
    with last:
        draw_checked("messages", checked_at(session, kept), now)
    with export:
        draw_export("messages", tables(answer), filters.view.value)
    with st.container(key="messages_body"):
        _draw(session, filters, answer, now)
    writing = present()
    if writing is not None:
        open_dialog(writing, session, known)
    _say()
    beat(
        lambda: kept.age >= FRESH_SECONDS or _question(session, filters) != question,
        paused=writing is not None,
    )


def _question(session: Session, filters: Filters) -> tuple[Filters, int, int]:
    """It becomes another one with every event; while the stream is down, every few seconds."""
    pulse = 0 if session.feed.live else int(time.monotonic() / FALLBACK_SECONDS)
    return filters, session.feed.version(EVENTS), pulse


def _head(filters: Filters) -> DeltaGenerator:
    """The title, which list, and where the export goes."""
    with st.container(
        key="messages_head", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title("Messages", width="content")
        with st.container(horizontal=True, width="content", gap="small"):
            st.button("Write", key="messages_write", icon=":material/edit:", on_click=begin, args=(None,))
            export = st.container(width="content")
    controls.draw_view(filters)
    return export


def _load(session: Session, filters: Filters) -> tuple[Answer, bool]:
    """What is asked for; its first page, and True, where the address names a page that is none."""
    try:
        return load(session.client, filters), False
    except InvalidRequest:
        if filters.cursor is None:
            raise
        return load(session.client, filters.at(None)), True


def _draw(session: Session, filters: Filters, answer: Answer, now: datetime) -> None:
    match answer:
        case Messages():
            inbox.draw(session, filters, answer, now)
        case Mail():
            letter.draw(session, filters, answer, now)
        case MessageThreads():
            threads.draw_list(filters, answer, now)
        case OpenThread():
            threads.draw_open(filters, answer, now)
        case Handoffs():
            handoffs.draw(filters, answer, now)
        case Context():
            context.draw_list(filters, answer, now)
        case Remembered():
            context.draw_open(filters, answer, now)
        case Loops():
            loops.draw(filters, answer, now)


def _say() -> None:
    said = st.session_state.pop(SAID, None)
    if isinstance(said, str):
        st.toast(words.plain(said), icon=":material/info:")
