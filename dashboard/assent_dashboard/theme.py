"""The look: two themes, and the colours that charts share with them."""

from __future__ import annotations

from typing import Any

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
