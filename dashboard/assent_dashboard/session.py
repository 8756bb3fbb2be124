"""The session of the page that is being drawn."""

from __future__ import annotations

import streamlit as st

from assent_dashboard.desk import the_desk
from assent_dashboard.sessions import Session

STATE = "assent_session"


def current() -> Session | None:
    """Who looks at this page; None once they have signed out elsewhere or their session has ended.

    A test puts a session into the page's state under `STATE`.
    """
    given = st.session_state.get(STATE)
    if isinstance(given, Session):
        return given
    desk = the_desk()
    return desk.find(st.context.cookies.get(desk.cookie))
