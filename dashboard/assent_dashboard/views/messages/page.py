"""The page Messages: what agents tell each other, hand over, remember and leave open, live; with its filters and its
tables.

Keys: `messages_head`, `messages_body`, `messages_again`, `messages_write`; the parts name theirs where they draw them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

import msgspec
import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from assent.contract.control.loops import Loops, LoopStatus
from assent.contract.exchange.handoffs import Handoffs
from assent.contract.exchange.message_threads import MessageThreads
from assent.contract.exchange.messages import Direction, Messages, MessageType
from assent.contract.record import Record
from assent.errors import InvalidRequest
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.address import Flag
from assent_dashboard.views.addresses import MessagesAddress, MessagesView
from assent_dashboard.views.answers import FRESH_SECONDS, asked, checked_at
from assent_dashboard.views.controls import choose, choose_part, draw_problems, go, here, names, put
from assent_dashboard.views.export import Tables, draw_export
from assent_dashboard.views.frame import beat, draw_checked
from assent_dashboard.views.messages import handoffs, inbox, loops, threads
from assent_dashboard.views.messages.compose import SAID, begin, open_dialog, present, sender_name
from assent_dashboard.views.messages.data import EVENTS, Answer, ContextData, Mail, OpenThread, Remembered, load

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
    filters, problems = here(MessagesAddress)
    question = _question(session, filters)
    coming = asked("messages", lambda: _load(session, filters), question)
    export = _head(filters)
    known = tuple(sorted({*names(session).agents, session.key.agent_id or sender_name(session.name)}))
    draw_filters(filters, known)
    draw_problems(problems)
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


def _question(session: Session, filters: MessagesAddress) -> tuple[MessagesAddress, int, int]:
    """It becomes another one with every event; while the stream is down, every few seconds."""
    pulse = 0 if session.feed.live else int(time.monotonic() / FALLBACK_SECONDS)
    return filters, session.feed.version(EVENTS), pulse


def _head(filters: MessagesAddress) -> DeltaGenerator:
    """The title, which list, and where the export goes."""
    with st.container(
        key="messages_head", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title("Messages", width="content")
        with st.container(horizontal=True, width="content", gap="small"):
            st.button("Write", key="messages_write", icon=":material/edit:", on_click=begin, args=(None,))
            export = st.container(width="content")
    draw_view(filters)
    return export


def _load(session: Session, filters: MessagesAddress) -> tuple[Answer, bool]:
    """What is asked for; its first page, and True, where the address names a page that is none."""
    try:
        return load(session.client, filters), False
    except InvalidRequest:
        if filters.cursor is None:
            raise
        return load(session.client, filters.at(None)), True


def _draw(session: Session, filters: MessagesAddress, answer: Answer, now: datetime) -> None:
    match answer:
        case Messages():
            inbox.draw_inbox(session, filters, answer, now)
        case Mail():
            inbox.draw_letter(session, filters, answer, now)
        case MessageThreads():
            threads.draw_list(filters, answer, now)
        case OpenThread():
            threads.draw_open(filters, answer, now)
        case Handoffs():
            handoffs.draw(filters, answer, now)
        case ContextData():
            threads.draw_context_list(filters, answer, now)
        case Remembered():
            threads.draw_context_open(filters, answer, now)
        case Loops():
            loops.draw(filters, answer, now)


def _say() -> None:
    said = st.session_state.pop(SAID, None)
    if isinstance(said, str):
        st.toast(words.plain(said), icon=":material/info:")


# The widgets that choose which messages are listed.
#
# Keys: `messages_view`, `messages_filters` around `messages_agent_id`, `messages_direction`, `messages_message_type`,
# `messages_unread`, `messages_status`.


TITLES = {
    MessagesView.INBOX: "Inbox",
    MessagesView.THREADS: "Threads",
    MessagesView.HANDOFFS: "Handoffs",
    MessagesView.CONTEXT: "Context",
    MessagesView.LOOPS: "Open loops",
}
BOXES = {Direction.INBOX: "Inbox", Direction.SENT: "Sent", Direction.ALL: "Both, archived too"}


def draw_view(filters: MessagesAddress) -> None:
    """Which list."""

    def open_list(view: StrEnum) -> None:
        go(filters.to(MessagesView(view)))

    choose_part(filters, "view", "Show", TITLES, open_list)


def draw_filters(filters: MessagesAddress, agents: Sequence[str]) -> None:
    with st.container(key="messages_filters", horizontal=True, vertical_alignment="bottom", gap="small"):
        choose(filters, "agent_id", "Agent", agents, nothing="All, or type one", typed=True)
        if filters.view is MessagesView.INBOX:
            _box(filters)
            choose(filters, "message_type", "Type", MessageType, nothing="Any type", spoken=str)
            _unread(filters)
        elif filters.view is MessagesView.LOOPS:
            choose(filters, "status", "Status", LoopStatus, nothing="Any status", spoken=str)


def _box(filters: MessagesAddress) -> None:
    nobody = filters.agent_id is None
    choose(
        filters,
        "direction",
        "Box",
        Direction,
        nothing="Inbox",
        spoken=lambda each: BOXES[Direction(each)],
        disabled=nobody,
        help="Choose an agent first: a box is somebody's." if nobody else None,
    )


def _unread(filters: MessagesAddress) -> None:
    key = "messages_unread"
    st.session_state[key] = filters.unread
    st.toggle(
        "Unread only",
        key=key,
        on_change=lambda: put(filters, unread=Flag.YES if st.session_state[key] else None),
    )


# What the page shows as tables, to take away.


TIMES = ("created_at", "updated_at", "read_at", "archived_at", "resolved_at", "closed_at", "last_message_at")


def tables(answer: Answer) -> Tables:
    """By name; every member of what is shown is a column."""
    match answer:
        case Messages():
            return {"messages": of(answer.messages)}
        case Mail():
            return {"message": of([] if answer.message is None else [answer.message])}
        case MessageThreads():
            return {"message_threads": of(answer.threads)}
        case OpenThread():
            return {"messages": of(answer.messages.messages)}
        case Handoffs():
            return {"handoffs": of(answer.handoffs)}
        case ContextData():
            return {"context_threads": of(answer.threads.threads), "key_points": of(answer.points.points)}
        case Remembered():
            return {"entries": of([] if answer.detail is None else answer.detail.entries)}
        case Loops():
            return {"loops": of(answer.loops)}


def of(records: Sequence[Record]) -> pl.DataFrame:
    """A row for each; times are UTC, and what has parts of its own is JSON text."""
    rows = [{name: _cell(value) for name, value in msgspec.structs.asdict(each).items()} for each in records]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    times = [name for name in TIMES if name in frame.columns]
    return frame.with_columns(pl.col(times).cast(pl.Datetime("us", "UTC"))) if times else frame


def _cell(value: object) -> object:
    if isinstance(value, list | dict):
        return msgspec.json.encode(value).decode()
    return str(value) if isinstance(value, str) else value
