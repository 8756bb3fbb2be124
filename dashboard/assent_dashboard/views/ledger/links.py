"""Ways from one look at the ledger to another. Links are real ones: they can be copied and opened beside this one."""

from __future__ import annotations

import streamlit as st

from assent_dashboard.views.ledger.filters import Filters

PATH = "ledger"


def go(filters: Filters) -> None:
    """Ask for another look; for callbacks of widgets, which Streamlit runs before it draws the page anew."""
    st.query_params.from_dict(filters.address())


def link(label: str, filters: Filters, *, icon: str | None = None, help: str | None = None) -> None:
    """A link; the label is Markdown, so what strangers wrote goes through `words.plain` or `words.code` first."""
    st.page_link(_page(), label=label, icon=icon, help=help, query_params=filters.address())


def _page() -> st.Page:
    # Streamlit tells pages apart by their path; the function here is never called.
    return st.Page(_nothing, title="Ledger", url_path=PATH)


def _nothing() -> None:
    return None
