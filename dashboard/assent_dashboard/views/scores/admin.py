"""What an admin does on this page: each button stands in a popover that says what will change, and reports once.

The widgets of others are disabled, with a sentence that says which key is needed.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from assent import Role
from assent_dashboard.sessions import Session
from assent_dashboard.views.answers import forget
from assent_dashboard.views.press import attempt, report

LOOK = "look at the page before you press again"
NEEDS_ADMIN = "An admin key is needed for this; with yours you can read it."
KEPT = ("scores", "scores_stats", "scores_action", "scores_suggestions")
"""Answers that may be others after a change."""


def is_admin(session: Session) -> bool:
    return session.key.role is Role.ADMIN


def confirmed(
    session: Session, label: str, what: str, act: Callable[[], object], did: str, *, key: str, icon: str
) -> None:
    """A popover with `what` will happen and the button that does it. Keys: `key`, and `<key>_yes` for the button."""
    admin = is_admin(session)
    with st.popover(label, icon=icon, key=key):
        st.markdown(what if admin else NEEDS_ADMIN)
        st.button(label, key=f"{key}_yes", type="primary", disabled=not admin, on_click=do, args=(act, did))


def do(act: Callable[[], object], did: str) -> None:
    """Do it, and keep what came of it for `tell`. Nothing of the page is believed afterwards."""
    _, problem = attempt(act, LOOK)
    report(did, problem)
    for name in KEPT:
        forget(name)
