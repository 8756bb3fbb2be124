"""What keeps an open page true without asking the service: a beat that looks at a count.

The beat is a fragment that draws nothing. It runs twice a second, and has the whole page drawn again only when
`due` says so, or after a while so that "3 min ago" stays true; that drawing then asks the service, or does not.
While a dialog is open there is no beat: a page that is drawn anew would take the dialog's words away.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st

BEAT_SECONDS = 0.5
AGE_SECONDS = 15.0
"""How old the relative times on the screen may become."""
LEAST_SECONDS = 0.3
"""A page that is being drawn is not asked to be drawn again."""


def beat(
    due: Callable[[], bool], *, every: float = BEAT_SECONDS, paused: bool = False, age: float = AGE_SECONDS
) -> None:
    """Draw the page again when `due` says so, or when it is `age` seconds old. `due` is asked `every` so many seconds,
    and should take no longer than that."""
    drawn = time.monotonic()

    @st.fragment(run_every=None if paused else every)
    def look() -> None:
        since = time.monotonic() - drawn
        if not paused and since >= LEAST_SECONDS and (since >= age or due()):
            st.rerun(scope="app")

    look()
