"""Links to other pages of the dashboard that do not load it anew."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage

LEDGER = "assent_ledger_page"


def remember_ledger(page: StreamlitPage) -> None:
    """Said once a run by who builds the navigation."""
    st.session_state[LEDGER] = page


def to_ledger(action_id: str, label: str = "Details") -> None:
    """A link to an action in the ledger."""
    page = st.session_state.get(LEDGER)
    if isinstance(page, StreamlitPage):
        st.page_link(page, label=label, icon=":material/receipt_long:", query_params={"action_id": action_id})
    else:
        st.markdown(f"[{label}](/ledger?action_id={action_id})")
