"""What came of a press, kept by its callback and told once, when the page is drawn anew."""

from __future__ import annotations

import streamlit as st

from assent_dashboard.views import words

TOLD = "assent_told"


def keep(did: str, problem: str | None) -> None:
    """`did` says what was done; `problem` why it was not."""
    st.session_state[TOLD] = (True, did) if problem is None else (False, words.plain(problem))


def tell() -> None:
    """A refusal stays on the page until the next press."""
    done, said = st.session_state.pop(TOLD, (True, None))
    if said is None:
        return
    if done:
        st.toast(said, icon=":material/check_circle:")
    else:
        st.error(said, icon=":material/error:")
