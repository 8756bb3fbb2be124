"""Where there is nothing to show: what is missing, and what to do next."""

from __future__ import annotations

import streamlit as st


def empty(what: str, advice: str, snippet: str | None = None, *, language: str = "python", key: str = "empty") -> None:
    """`what` is missing, in one sentence; `advice` says what to do; `snippet` can be copied and does it."""
    with st.container(border=True, key=key):
        st.markdown(f":material/inbox: **{what}**")
        st.markdown(advice)
        if snippet is not None:
            st.code(snippet, language=language)
