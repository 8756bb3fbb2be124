"""From one page of the list to the next. The address holds the page that is shown, the session the way there.

Keys: `ledger_paging` around them, `ledger_newer`, `ledger_older`.
"""

from __future__ import annotations

import streamlit as st

from assent_dashboard.views import words
from assent_dashboard.views.ledger.data import PAGE
from assent_dashboard.views.ledger.filters import Filters
from assent_dashboard.views.ledger.links import go

TRAIL = "ledger_trail"
"""The cursors of the pages before the one shown, in their order; the first page has none and stands as ""."""


def draw(filters: Filters, following: str | None, *, shown: int, total: int) -> None:
    trail = trail_to(filters.cursor, st.session_state.get(TRAIL, []))
    st.session_state[TRAIL] = trail
    with st.container(key="ledger_paging", horizontal=True, horizontal_alignment="center", vertical_alignment="center"):
        st.button("Newer", key="ledger_newer", disabled=filters.cursor is None, on_click=_back, args=(filters,))
        st.caption(position(filters.cursor, trail, shown, total), width="content")
        st.button(
            "Older",
            key="ledger_older",
            disabled=following is None,
            on_click=_onward,
            args=(filters, following),
        )


def trail_to(cursor: str | None, trail: list[str]) -> list[str]:
    """The way to the page that is shown: none to the first page, and none known to a page that a link led to."""
    if cursor is None:
        return []
    return trail[: trail.index(cursor)] if cursor in trail else trail


def position(cursor: str | None, trail: list[str], shown: int, total: int) -> str:
    """`51–100 of 753`; only the total where a link led into the middle of the list."""
    if cursor is not None and not trail:
        return f"{words.amount(shown)} of {words.amount(total)}"
    first = len(trail) * PAGE
    return f"{words.amount(first + 1)}–{words.amount(first + shown)} of {words.amount(total)}"


def _onward(filters: Filters, following: str) -> None:
    st.session_state[TRAIL] = [*st.session_state.get(TRAIL, []), filters.cursor or ""]
    go(filters.at(following))


def _back(filters: Filters) -> None:
    trail: list[str] = st.session_state.get(TRAIL, [])
    st.session_state[TRAIL] = trail[:-1]
    go(filters.at(trail[-1] if trail and trail[-1] else None))
