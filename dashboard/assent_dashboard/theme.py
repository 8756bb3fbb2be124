"""The look of the dashboard: two themes, the colours that charts share with them, and the CSS for all pages."""

from __future__ import annotations

from typing import Any

import streamlit as st

_LIGHT = {
    "primaryColor": "#2457c5",
    "backgroundColor": "#ffffff",
    "secondaryBackgroundColor": "#f3f6fa",
    "textColor": "#1b2430",
    "borderColor": "#d5dbe3",
    "codeTextColor": "#1b2430",
    "codeBackgroundColor": "#eef2f7",
}
_DARK = {
    "primaryColor": "#3d6ce4",
    "linkColor": "#8fb1ff",
    "backgroundColor": "#10151c",
    "secondaryBackgroundColor": "#18202a",
    "textColor": "#e8ecf2",
    "borderColor": "#323c4a",
    "codeTextColor": "#e8ecf2",
    "codeBackgroundColor": "#232d3a",
}

THEME: dict[str, Any] = {
    "theme.font": "system-ui, sans-serif",
    "theme.baseRadius": "8px",
    "theme.headingFontSizes": ["1.9rem", "1.35rem", "1.15rem"],
    "theme.codeFontSize": "0.85rem",
    **{f"theme.light.{name}": value for name, value in _LIGHT.items()},
    **{f"theme.dark.{name}": value for name, value in _DARK.items()},
}


# The little CSS that Streamlit's own elements leave to be wished for: one width and rhythm for all pages, words that
# can be read, and a ring around what the keyboard is on.


_CALM = """<style>
.stMainBlockContainer { max-width: 80rem; margin-inline: auto; padding: 4.25rem 2.5rem 3rem; }
.stMainBlockContainer p { max-width: 58rem; }
/* Streamlit's own captions and quotes, the labels of its charts and of what cannot be chosen, and what is chosen of
   several are too faint by a little. */
:is([data-testid="stCaptionContainer"], .stMarkdown blockquote) {
  color: color-mix(in srgb, currentColor 80%, transparent); opacity: 1;
}
:is([data-testid="stCaptionContainer"], .stMarkdown blockquote) :is(p, li, a) { color: inherit; opacity: 1; }
[data-testid="stVegaLiteChart"] :is([class*="role-axis-"], [class*="role-legend-"], .role-title-subtitle) text {
  fill: color-mix(in srgb, currentColor 80%, transparent);
}
.stButtonGroup button[data-variant][data-selected="true"]:not([data-disabled]) { color: inherit; }
[data-testid="stTabs"] [role="tab"][aria-selected="true"], [data-testid="stTabs"] [aria-selected="true"] p,
[data-testid="stCode"] code .token.token.token, label[data-testid="stWidgetLabel"] { color: inherit; }
button kbd[aria-label] { color: inherit; opacity: 1; }
:is(a, button, input, textarea, summary, [role="tab"], [role="radio"], [tabindex="0"]):focus-visible {
  outline: 3px solid #4a7bf0; outline-offset: 2px;
}
@media (max-width: 640px) {
  .stMainBlockContainer { padding-inline: 1rem; }
  .st-key-confirm button, .st-key-cancel button { min-height: 2.75rem; }
}
</style>"""


def calm() -> None:
    """Said once a run, by who builds the navigation."""
    st.html(_CALM)
