"""Long lists: some rows at first, more when asked for. Keys: `<name>_more` is the button."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

T = TypeVar("T")

STEP = 25
SHOWN = "assent_shown_"


def some(rows: Sequence[T], draw: Callable[[T], None], *, name: str) -> None:
    """Draw the first rows, and a button that shows more of them."""
    shown = int(st.session_state.get(SHOWN + name, STEP))
    for row in rows[:shown]:
        draw(row)
    if len(rows) > shown:
        st.button(
            f"Show {min(STEP, len(rows) - shown)} more of {len(rows)}",
            key=f"{name}_more",
            on_click=_more,
            args=(name, shown),
        )


def _more(name: str, shown: int) -> None:
    st.session_state[SHOWN + name] = shown + STEP
