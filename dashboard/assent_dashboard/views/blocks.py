"""What pages are built of: the empty state, a picture with its words and numbers, a long list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import polars as pl
import streamlit as st

from assent_analytics.charts.canvas import Chart


def empty(what: str, advice: str, snippet: str | None = None, *, language: str = "python", key: str = "empty") -> None:
    """`what` is missing, in one sentence; `advice` says what to do; `snippet` can be copied and does it."""
    with st.container(border=True, key=key):
        st.markdown(f":material/inbox: **{what}**")
        st.markdown(advice)
        if snippet is not None:
            st.code(snippet, language=language)


ROWS = 1000
"""A table under a picture holds no more; the export holds all."""


def picture(chart: Chart, says: str, numbers: pl.DataFrame | None = None, *, key: str) -> None:
    """Draw `chart`. `says` is read aloud in its place: what is drawn, and what it comes to ("Guard's decisions by day:
    312 allowed, 14 blocked; most blocks on 12 Nov"). `numbers` are what it was drawn from."""
    # Only a container's key becomes a class that tests can look for.
    with st.container(key=f"{key}_picture"):
        st.altair_chart(chart, width="stretch", alt=says)
    if numbers is not None and not numbers.is_empty():
        with st.expander("The picture as a table", key=f"{key}_numbers"):
            st.dataframe(numbers.head(ROWS), hide_index=True, alt=f"The numbers of the picture: {says}")


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
