"""The widgets of a page's scope. They show what the address says, and write what is chosen into it.

Keys, after the page's own prefix: `<page>_window`, `<page>_days` (only with a window of one's own), `<page>_agent_id`,
`<page>_action_type`.
"""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from assent.contract.window import LONGEST_DAYS
from assent_dashboard.views import words
from assent_dashboard.views.names import Names
from assent_dashboard.views.scope import WINDOWS, Scope

WIDTH = 165
"""In pixels: all stand beside each other on a desk, two on a telephone."""
LABELS = {"agent_id": "Agent", "action_type": "Type"}
CUSTOM, CUSTOM_WINDOW = "Custom…", "14d"
"""What is chosen for a window of one's own, and what it begins with."""
OF_A_LIST = ("cursor",)
"""What another scope makes void: a cursor belongs to the list it was cut from."""


def draw(
    page: str,
    scope: Scope,
    names: Names,
    *,
    by: tuple[str, ...] = ("window", "agent_id", "action_type"),
    void: tuple[str, ...] = (),
) -> None:
    """`page` is the prefix of the keys, `by` what the page can be narrowed by. `void` are members of the page's address
    that mean nothing: they were told, and the next choice leaves them out. Draw it into a horizontal container."""
    if "window" in by:
        _window(page, scope, void)
    if "agent_id" in by:
        _name(page, scope, "agent_id", names.agents, void)
    if "action_type" in by:
        _name(page, scope, "action_type", names.types, void)


def put(window: str, void: Iterable[str] = (), **members: str | None) -> None:
    """Write members into the address, and the window, so that the link means the same when the default changes; None
    takes a member out; so does naming it in `void`. For callbacks of widgets."""
    gone = (*members, *OF_A_LIST, *void)
    address = {name: each for name, each in st.query_params.to_dict().items() if name not in gone}
    st.query_params.from_dict(address | {"window": window} | {name: each for name, each in members.items() if each})


def with_chosen(chosen: str | None, known: Iterable[str]) -> list[str]:
    """The options, with what is chosen among them."""
    options = list(known)
    return options if chosen is None or chosen in options else [chosen, *options]


def _window(page: str, scope: Scope, void: tuple[str, ...]) -> None:
    key, days = f"{page}_window", f"{page}_days"
    custom = scope.window not in WINDOWS
    st.session_state[key] = CUSTOM if custom else scope.window

    def chosen() -> None:
        window = st.session_state[key]
        put(CUSTOM_WINDOW if window == CUSTOM else window, void)

    st.selectbox("Window", [*WINDOWS, CUSTOM], format_func=_span, key=key, on_change=chosen, width=WIDTH)
    if custom:
        st.session_state[days] = scope.days
        st.number_input(
            "Days back",
            min_value=1,
            max_value=LONGEST_DAYS,
            step=1,
            key=days,
            on_change=lambda: put(f"{st.session_state[days]}d", void),
            width=WIDTH,
        )


def _name(page: str, scope: Scope, name: str, known: Iterable[str], void: tuple[str, ...]) -> None:
    key, chosen = f"{page}_{name}", getattr(scope, name)
    st.session_state[key] = chosen
    st.selectbox(
        LABELS[name],
        with_chosen(chosen, known),
        format_func=words.clean,
        key=key,
        on_change=lambda: put(scope.window, void, **{name: st.session_state[key]}),
        width=WIDTH,
        index=None,
        placeholder="Any, or type one",
        accept_new_options=True,
    )


def _span(window: str) -> str:
    if window == CUSTOM:
        return CUSTOM
    return "Last day" if window == "1d" else f"Last {window.removesuffix('d')} days"
