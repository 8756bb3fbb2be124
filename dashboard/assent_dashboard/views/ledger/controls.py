"""The widgets that filter the ledger. They show what the address says, and write what is chosen into it.

Keys: `ledger_filters` around them; `ledger_view`, `ledger_window`, `ledger_agent_id`, `ledger_action_type`,
`ledger_status`, `ledger_decision`, `ledger_clear`.
"""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from assent import ActionStatus, Decision
from assent_analytics.charts.palette import spoken
from assent_dashboard.views import words
from assent_dashboard.views.ledger.data import Names
from assent_dashboard.views.ledger.filters import WINDOWS, Filters, View, read
from assent_dashboard.views.ledger.links import go

WIDGETS = ("view", "window", "agent_id", "action_type", "status", "decision")
WIDTH = 165
"""In pixels: all stand beside each other on a desk, two on a telephone."""


def draw_view(filters: Filters) -> None:
    """Which list; it stands beside the title."""
    st.session_state[_key("view")] = filters.view
    st.segmented_control(
        "Show",
        list(View),
        format_func=lambda view: str(view).capitalize(),
        required=True,
        key=_key("view"),
        on_change=_write,
        label_visibility="collapsed",
    )


def draw(filters: Filters, names: Names) -> None:
    for name in WIDGETS[1:]:
        st.session_state[_key(name)] = getattr(filters, name)
    with st.container(key="ledger_filters", horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Window",
            _with(filters.window, WINDOWS),
            format_func=_span,
            key=_key("window"),
            on_change=_write,
            width=WIDTH,
            accept_new_options=True,
        )
        _open_choice("Agent", "agent_id", filters.agent_id, names.agents, "Any, or type one")
        _open_choice("Type", "action_type", filters.action_type, names.types, "Any, or type one")
        _choice("Status", "status", ActionStatus, "Any status", disabled=filters.view is View.DECISIONS)
        _choice("Decision", "decision", Decision, "Any decision")
        if filters.narrowed:
            st.button("Clear", key="ledger_clear", type="tertiary", on_click=_clear, help="Leave only the window.")


def _choice(
    label: str, name: str, kind: type[ActionStatus] | type[Decision], nothing: str, disabled: bool = False
) -> None:
    st.selectbox(
        label,
        list(kind),
        format_func=spoken,
        key=_key(name),
        on_change=_write,
        width=WIDTH,
        index=None,
        placeholder=nothing,
        disabled=disabled,
    )


def _open_choice(label: str, name: str, chosen: str | None, known: Iterable[str], nothing: str) -> None:
    st.selectbox(
        label,
        _with(chosen, known),
        format_func=words.clean,
        key=_key(name),
        on_change=_write,
        width=WIDTH,
        index=None,
        placeholder=nothing,
        accept_new_options=True,
    )


def _with(chosen: str | None, known: Iterable[str]) -> list[str]:
    options = list(known)
    return options if chosen is None or chosen in options else [chosen, *options]


def _span(window: str) -> str:
    return (
        "Last day" if window == "1d" else f"Last {window.removesuffix('d')} days" if window[:-1].isdigit() else window
    )


def _key(name: str) -> str:
    return f"ledger_{name}"


def _write() -> None:
    """What the widgets say goes into the address as it is: what is wrong with it is found there, as with any other."""
    chosen = {name: st.session_state.get(_key(name)) for name in WIDGETS}
    st.query_params.from_dict({name: str(value) for name, value in chosen.items() if value})


def _clear() -> None:
    filters, _ = read(st.query_params.to_dict())
    go(Filters(window=filters.window, view=filters.view))
