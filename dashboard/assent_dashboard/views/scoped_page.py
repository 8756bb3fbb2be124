"""The frame of a page about a noun: title, scope, when it was last checked, export, and what it shows.

    show = scoped_page("learning", "Learning", load=load, draw=draw, tables=tables)

Every page drawn with it has, in this order: the title with the export beside it; window, agent and type (those that
mean something for it); when the service was asked, by the service's clock, with a button that asks again; the content.
Keys: `<page>_head`, `<page>_scope`, `<page>_again`, `<page>_body`, those of `scope_controls` and of `export`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

from assent import EventName
from assent_dashboard.sessions import Session
from assent_dashboard.views import scope_controls, words
from assent_dashboard.views.checked import draw_checked
from assent_dashboard.views.export import Tables, draw_export
from assent_dashboard.views.kept import FRESH_SECONDS, asked, checked_at
from assent_dashboard.views.live import BEAT_SECONDS as LIVE_SECONDS
from assent_dashboard.views.live import beat
from assent_dashboard.views.names import names
from assent_dashboard.views.scope import DEFAULT_WINDOW, Scope, read

T = TypeVar("T")

AGE_SECONDS, BEAT_SECONDS = 15.0, 5.0
ALL = ("window", "agent_id", "action_type")


def scoped_page(
    page: str,
    title: str,
    *,
    load: Callable[[Session, Scope], T],
    draw: Callable[[Session, Scope, T], None],
    tables: Callable[[T], Tables],
    by: tuple[str, ...] = ALL,
    default_window: str = DEFAULT_WINDOW,
    busy: Callable[[], bool] = lambda: False,
    question: Hashable = None,
    above: Callable[[], None] | None = None,
    events: frozenset[EventName] = frozenset(),
) -> Callable[[Session], None]:
    """The page. `load` asks the service (away from the page's thread: it must not touch Streamlit), `draw` shows what
    came, `tables` gives what can be exported. `busy` says whether somebody is in the middle of something that drawing
    the page anew would take away, such as an open dialog. `question` is what else the address asks `load` for, `above`
    draws what chooses it, and as soon as one of the `events` happens the service is asked anew."""

    def show(session: Session) -> None:
        scope, problems = read(st.query_params.to_dict(), default_window)
        st.set_page_config(page_title=f"{title} · Assent")
        version = session.feed.version(events) if events else 0
        coming = asked(page, lambda: load(session, scope), (scope, question, version))
        with st.container(
            key=f"{page}_head", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
        ):
            st.title(title, width="content")
            export = st.container(width="content")
        if by:
            known = names(session)
            with st.container(key=f"{page}_scope", horizontal=True, vertical_alignment="bottom", gap="small"):
                scope_controls.draw(page, scope, known, by=by)
        for problem in problems:
            st.warning(words.plain(problem), icon=":material/warning:")
        if above is not None:
            above()
        last = st.container()
        with st.spinner("Asking the service", show_time=True):
            kept = coming()
        with last:
            draw_checked(page, checked_at(session, kept), session.clock.now())
        with export:
            draw_export(page, tables(kept.answer), scope.window)
        with st.container(key=f"{page}_body"):
            draw(session, scope, kept.answer)
        beat(
            lambda: kept.age >= FRESH_SECONDS or (bool(events) and session.feed.version(events) != version),
            every=LIVE_SECONDS if events else BEAT_SECONDS,
            age=AGE_SECONDS,
            paused=busy(),
        )

    return show
