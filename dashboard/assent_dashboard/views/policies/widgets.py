"""What the widgets of a draft show: set by the page, changed by people, told apart.

A browser sends the values of all widgets with each event. An event that left before the page's newest values arrived
therefore brings values that the page has replaced meanwhile, and Streamlit takes them for changes: somebody who leaves
two fields quickly would have the second event write the text of before the first. So what the page replaces is kept
until the browser is known to show the new value, and a value that comes back in between is nobody's change. Nor is what
the page itself shows: behind such an old value it would seem to be new, and undo what was chosen in the same event.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

REPLACED, SHOWN = "assent_policy_replaced", "assent_policy_shown"


def show(key: str, value: object) -> None:
    """Have a widget show a value; left alone where it does already."""
    if key not in st.session_state:
        _replaced().pop(key, None)
        st.session_state[key] = value
    elif st.session_state[key] != value:
        _replaced().setdefault(key, []).append(st.session_state[key])
        st.session_state[key] = value
    else:
        _replaced().pop(key, None)
    _shown()[key] = value


def changed(key: str, take: Callable[[Any], None]) -> Callable[[], None]:
    """For `on_change`: hands over the widget's new value, unless the page shows that one or has replaced it."""

    def arrived() -> None:
        new = st.session_state[key]
        if new not in (_shown()[key], *_replaced().get(key, ())):
            take(new)

    return arrived


def _replaced() -> dict[str, list[object]]:
    found: dict[str, list[object]] = st.session_state.setdefault(REPLACED, {})
    return found


def _shown() -> dict[str, object]:
    """What each widget was last drawn with."""
    found: dict[str, object] = st.session_state.setdefault(SHOWN, {})
    return found
