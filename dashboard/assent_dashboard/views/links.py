"""Links to other pages of the dashboard that do not load it anew."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import StreamlitPage

LEDGER, PROOF = "assent_ledger_page", "assent_proof_page"


def remember_ledger(page: StreamlitPage) -> None:
    """Said once a run by who builds the navigation."""
    st.session_state[LEDGER] = page


def remember_proof(page: StreamlitPage) -> None:
    """Said once a run by who builds the navigation."""
    st.session_state[PROOF] = page


def to_ledger(action_id: str, label: str = "Details") -> None:
    """A link to an action in the ledger."""
    _to(LEDGER, "ledger", {"action_id": action_id}, label, ":material/receipt_long:")


def to_proof(action_id: str, label: str = "Proof") -> None:
    """A link to the proof of an action."""
    _to(PROOF, "proof", {"action": action_id}, label, ":material/verified_user:")


def _to(remembered: str, path: str, query: dict[str, str], label: str, icon: str) -> None:
    page = st.session_state.get(remembered)
    if isinstance(page, StreamlitPage):
        st.page_link(page, label=label, icon=icon, query_params=query)
    else:
        st.markdown(f"[{label}](/{path}?{urlencode(query)})")
