"""Links to pages of the dashboard. They are real ones: they can be copied and opened beside this one, and do not load
the dashboard anew."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from assent.contract.control.injection import SCAN_POLICY
from assent_dashboard.views.address import LONGEST_NAME, Address
from assent_dashboard.views.addresses import FlowsAddress, InjectionAddress, LedgerAddress, ProofAddress

PAGES = "assent_pages"


def remember(pages: Mapping[str, StreamlitPage]) -> None:
    """Pages by their paths; called once a run by who builds the navigation."""
    st.session_state[PAGES] = dict(pages)


def to_page(
    to: Address | type[Address], label: str, *, icon: str | None = None, help: str | None = None, **members: str | None
) -> None:
    """A link to a whole look, or to a page with these members only. The label is Markdown, so what strangers wrote goes
    through `words.plain` or `words.code` first."""
    query = to.query() if isinstance(to, Address) else to.query_of(**members)
    known = st.session_state.get(PAGES, {})
    if to.page in known:
        st.page_link(known[to.page], label=label, icon=icon, help=help, query_params=query)
    else:
        st.markdown(f"[{label}](/{to.page}{'?' if query else ''}{urlencode(query)})")


def to_ledger(action_id: str, label: str = "Details") -> None:
    """A link to an action in the ledger."""
    to_page(LedgerAddress, label, icon=":material/receipt_long:", action_id=action_id)


def to_proof(action_id: str, label: str = "Proof") -> None:
    """A link to the proof of an action."""
    to_page(ProofAddress, label, icon=":material/verified_user:", action=action_id)


def to_flow(session_id: str | None, label: str = "Its session, step by step") -> None:
    """A link to a session as a flow, where its name fits into an address."""
    if session_id is not None and len(session_id) <= LONGEST_NAME:
        to_page(FlowsAddress, label, icon=":material/route:", session_id=session_id)


def to_findings(decision_id: str, matched: Collection[str]) -> None:
    """A link to what the scan for prompt injections found in a question to guard, where it is among what matched."""
    if SCAN_POLICY in matched:
        to_page(InjectionAddress, "What the scan found", icon=":material/policy_alert:", subject_id=decision_id)
