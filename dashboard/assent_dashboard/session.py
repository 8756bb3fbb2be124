"""The session of the page that is being drawn."""

from __future__ import annotations

import streamlit as st

from assent_dashboard.desk import the_desk
from assent_dashboard.sessions import Session

STATE, OWNER = "assent_session", "assent_owner"


def current() -> Session | None:
    """Who looks at this page; None once they have signed out elsewhere or their session has ended.

    A test puts a session into the page's state under `STATE`.
    """
    given = st.session_state.get(STATE)
    if not isinstance(given, Session):
        desk = the_desk()
        given = desk.find(st.context.cookies.get(desk.cookie))
    _leave_nothing_to(given)
    return given


def _leave_nothing_to(session: Session | None) -> None:
    """Forget what the page has kept when somebody else looks at it now: a tab that lost its connection takes its state
    up again, with the cookie of whoever has signed in since."""
    if st.session_state.get(OWNER, session) is not session:
        for name in list(st.session_state):
            if name != STATE:
                del st.session_state[name]
    st.session_state[OWNER] = session
