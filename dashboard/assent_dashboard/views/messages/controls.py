"""The widgets that choose what is listed. They show what the address says, and write what is chosen into it.

Keys: `messages_view`, `messages_filters` around `messages_agent_id`, `messages_direction`, `messages_message_type`,
`messages_unread`, `messages_status`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

import streamlit as st

from assent.contract.loops import LoopStatus
from assent.contract.messages import Direction, MessageType
from assent_dashboard.views import words
from assent_dashboard.views.messages.filters import YES, Filters, View, read
from assent_dashboard.views.part import draw_part
from assent_dashboard.views.scope_controls import WIDTH, with_chosen

TITLES = {
    View.INBOX: "Inbox",
    View.THREADS: "Threads",
    View.HANDOFFS: "Handoffs",
    View.CONTEXT: "Context",
    View.LOOPS: "Open loops",
}
_BOXES = {Direction.INBOX: "Inbox", Direction.SENT: "Sent", Direction.ALL: "Both, archived too"}


def draw_view(filters: Filters) -> None:
    """Which list."""
    draw_part("Show", "messages_view", filters.view, TITLES, _go_to_view)


def draw(filters: Filters, agents: Sequence[str]) -> None:
    with st.container(key="messages_filters", horizontal=True, vertical_alignment="bottom", gap="small"):
        _agent(filters, agents)
        if filters.view is View.INBOX:
            _choice("Box", "direction", Direction, filters.direction, "Inbox", off=filters.agent_id is None)
            _choice("Type", "message_type", MessageType, filters.message_type, "Any type")
            st.session_state["messages_unread"] = filters.unread
            st.toggle("Unread only", key="messages_unread", on_change=_write, args=("unread",))
        elif filters.view is View.LOOPS:
            _choice("Status", "status", LoopStatus, filters.status, "Any status")


def _agent(filters: Filters, agents: Iterable[str]) -> None:
    st.session_state["messages_agent_id"] = filters.agent_id
    st.selectbox(
        "Agent",
        with_chosen(filters.agent_id, agents),
        format_func=words.clean,
        key="messages_agent_id",
        on_change=_write,
        args=("agent_id",),
        width=WIDTH,
        index=None,
        placeholder="All, or type one",
        accept_new_options=True,
    )


def _choice(
    label: str, name: str, kind: type[StrEnum], chosen: StrEnum | None, nothing: str, *, off: bool = False
) -> None:
    key = f"messages_{name}"
    st.session_state[key] = chosen
    st.selectbox(
        label,
        list(kind),
        format_func=lambda each: _BOXES.get(each, str(each)),
        key=key,
        on_change=_write,
        args=(name,),
        width=WIDTH,
        index=None,
        placeholder=nothing,
        disabled=off,
        help="Choose an agent first: a box is somebody's." if off else None,
    )


def _go_to_view() -> None:
    filters, _ = read(st.query_params.to_dict())
    st.query_params.from_dict(filters.to(st.session_state["messages_view"]).address())


def _write(name: str) -> None:
    """Another choice begins at the first page, with nothing open."""
    filters, _ = read(st.query_params.to_dict())
    address = filters.closed().at(None).address()
    address.pop(name, None)
    chosen = st.session_state[f"messages_{name}"]
    said = YES if chosen is True else str(chosen) if chosen else None
    st.query_params.from_dict(address | ({name: said} if said else {}))
