"""A banner on every page while the kill switch is on.

It is a fragment of its own, so that it comes and goes on an open page without drawing the page anew: a dialog stays
open, and what somebody writes stays written. It asks the service once, then when the stream has told of a change; while
the stream is down, every few seconds. A banner that cannot ask shows nothing: the page itself says what is the matter.

Keys: `halted` is the banner.
"""

from __future__ import annotations

import time
from datetime import datetime

import streamlit as st

from assent import EventName, Halt
from assent.errors import AssentError
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import Section, SettingsAddress
from assent_dashboard.views.answers import asked, forget
from assent_dashboard.views.controls import heard
from assent_dashboard.views.links import to_page

NAME = "halt"
CHANGES = frozenset({EventName.HALT_CHANGED})
BEAT_SECONDS = 5.0
"""A look costs a page that nothing happens on 6 ms of a core: at one a second it was most of what such a page costs."""
FALLBACK_SECONDS = 5


def draw_banner(session: Session) -> None:
    @st.fragment(run_every=BEAT_SECONDS, key="halt_banner")
    def banner() -> None:
        heard()
        try:
            halt = asked(NAME, session.client.get_halt, question(session))().answer
            now = session.clock.now()
        except (AssentError, RuntimeError):  # gone, or the client was closed: somebody signed out in another tab
            return
        if halt.halted:
            with st.container(key="halted"):
                st.error(sentence(halt, now), icon=":material/emergency_home:")
                to_page(
                    SettingsAddress,
                    "To the kill switch",
                    icon=":material/arrow_forward:",
                    section=Section.KILL_SWITCH,
                )

    banner()


def changed() -> None:
    """Ask at the next look: the switch was pressed here."""
    forget(NAME)


def question(session: Session) -> tuple[int, int | None]:
    """What an answer belongs to: another one when the stream has told of a change, or cannot tell and time passes."""
    stale = None if session.feed.live else int(time.monotonic() // FALLBACK_SECONDS)
    return session.feed.version(CHANGES), stale


def sentence(halt: Halt, now: datetime) -> str:
    """What stands in the banner while the switch is on."""
    by = "" if halt.changed_by is None else f" by **{words.plain(halt.changed_by)}**"
    when = "" if halt.changed_at is None else f", {words.ago(halt.changed_at, now)}"
    why = "" if not halt.reason else f"  \nReason: {words.plain(halt.reason)}"
    return f"**The kill switch is on: guard blocks every action.** Switched on{by}{when}.{why}"
