"""The little CSS that Streamlit's own elements leave to be wished for."""

from __future__ import annotations

import streamlit as st

_CALM = """<style>
.stMainBlockContainer { max-width: 66rem; margin-inline: auto; padding-top: 4.5rem; padding-bottom: 3rem; }
[class*="st-key-goal-"] [data-testid="stText"] {
  font-size: 1.125rem; line-height: 1.45; font-weight: 600; overflow-wrap: anywhere;
}
[class*="st-key-approval-"] code, [class*="st-key-deciding"] code { white-space: normal; overflow-wrap: anywhere; }
@media (max-width: 640px) {
  .stMainBlockContainer { padding-inline: 1rem; }
  [class*="st-key-allow-"] button, [class*="st-key-deny-"] button,
  .st-key-confirm button, .st-key-cancel button { min-height: 2.75rem; }
}
</style>"""


def calm() -> None:
    """Said once by each page of cards."""
    st.html(_CALM)
