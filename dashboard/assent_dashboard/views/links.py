"""Links to other pages of the dashboard that do not load it anew."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from assent.contract.injection import SCAN_POLICY

PAGES = "assent_pages"


def remember(pages: Mapping[str, StreamlitPage]) -> None:
    """Pages by their paths; said once a run by who builds the navigation."""
    st.session_state[PAGES] = dict(pages)


def to_page(path: str, label: str, query: Mapping[str, str] | None = None, *, icon: str | None = None) -> None:
    """A link to a page by its path (`ledger`, `settings`), with what its address says. The label is Markdown, so what
    strangers wrote goes through `words.plain` or `words.code` first."""
    known = st.session_state.get(PAGES, {})
    asks = dict(query or {})
    if path in known:
        st.page_link(known[path], label=label, icon=icon, query_params=asks)
    else:
        st.markdown(f"[{label}](/{path}{'?' if asks else ''}{urlencode(asks)})")


def to_ledger(action_id: str, label: str = "Details") -> None:
    """A link to an action in the ledger."""
    to_page("ledger", label, {"action_id": action_id}, icon=":material/receipt_long:")


def to_proof(action_id: str, label: str = "Proof") -> None:
    """A link to the proof of an action."""
    to_page("proof", label, {"action": action_id}, icon=":material/verified_user:")


def to_findings(decision_id: str, matched: Collection[str]) -> None:
    """A link to what the scan for prompt injections found in a question to guard, where it is among what matched."""
    if SCAN_POLICY in matched:
        to_page("injection", "What the scan found", {"subject_id": decision_id}, icon=":material/policy_alert:")
