"""The widgets that filter the ledger. They show what the address says, and write what is chosen into it.

Keys: `ledger_filters` around them; those of `scope_controls`, `ledger_view`, `ledger_status`, `ledger_decision`,
`ledger_clear`.
"""

from __future__ import annotations

import streamlit as st

from assent import ActionStatus, Decision
from assent_analytics.charts.palette import spoken
from assent_dashboard.views import scope_controls
from assent_dashboard.views.ledger.filters import Filters, View, read
from assent_dashboard.views.ledger.links import go
from assent_dashboard.views.names import Names
from assent_dashboard.views.part import draw_part


def draw_view(filters: Filters) -> None:
    """Which list; it stands beside the title."""
    titles = {view: str(view).capitalize() for view in View}
    draw_part("Show", _key("view"), filters.view, titles, lambda: _write("view"))


def draw(filters: Filters, names: Names, void: tuple[str, ...]) -> None:
    """`void` are members of the address that mean nothing; the next choice leaves them out."""
    for name in ("status", "decision"):
        st.session_state[_key(name)] = getattr(filters, name)
    with st.container(key="ledger_filters", horizontal=True, vertical_alignment="bottom", gap="small"):
        scope_controls.draw("ledger", filters.scope, names, void=void)
        _choice("Status", "status", ActionStatus, "Any status", void, disabled=filters.view is View.DECISIONS)
        _choice("Decision", "decision", Decision, "Any decision", void)
        if filters.narrowed:
            st.button("Clear", key="ledger_clear", type="tertiary", on_click=_clear, help="Leave only the window.")


def _choice(
    label: str,
    name: str,
    kind: type[ActionStatus] | type[Decision],
    nothing: str,
    void: tuple[str, ...],
    disabled: bool = False,
) -> None:
    st.selectbox(
        label,
        list(kind),
        format_func=spoken,
        key=_key(name),
        on_change=_write,
        args=(name, void),
        width=scope_controls.WIDTH,
        index=None,
        placeholder=nothing,
        disabled=disabled,
    )


def _key(name: str) -> str:
    return f"ledger_{name}"


def _write(name: str, void: tuple[str, ...] = ()) -> None:
    """What a widget says goes into the address as it is: what is wrong with it is found there, as with any other."""
    filters, _ = read(st.query_params.to_dict())
    scope_controls.put(filters.window, void, **{name: st.session_state.get(_key(name))})


def _clear() -> None:
    filters, _ = read(st.query_params.to_dict())
    go(Filters(window=filters.window, view=filters.view))
