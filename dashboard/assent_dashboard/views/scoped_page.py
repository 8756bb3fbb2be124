"""The frame of a page about a noun: title, scope, when it was last checked, export, and what it shows.

    show = scoped_page("learning", "Learning", load=load, draw=draw, tables=tables)

Every page drawn with it has, in this order: the title with the export beside it; window, agent and type (those that
mean something for it); when the service was asked, by the service's clock, with a button that asks again; the content.
Keys: `<page>_head`, `<page>_scope`, `<page>_again`, `<page>_body`, those of `scope_controls` and of `export`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

import streamlit as st

from assent_dashboard.sessions import Session
from assent_dashboard.views import scope_controls, words
from assent_dashboard.views.export import Tables, draw_export
from assent_dashboard.views.kept import FRESH_SECONDS, asked, checked_at, forget
from assent_dashboard.views.live import beat
from assent_dashboard.views.look import calm
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
) -> Callable[[Session], None]:
    """The page. `load` asks the service (away from the page's thread: it must not touch Streamlit), `draw` shows what
    came, `tables` gives what can be exported. `busy` says whether somebody is in the middle of something that drawing
    the page anew would take away, such as an open dialog."""

    def show(session: Session) -> None:
        calm()
        scope, problems = read(st.query_params.to_dict(), default_window)
        st.set_page_config(page_title=f"{title} · Assent")
        coming = asked(page, lambda: load(session, scope), scope)
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
        last = st.container()
        with st.spinner("Asking the service", show_time=True):
            kept = coming()
        with last:
            _checked(page, checked_at(session, kept), session.clock.now())
        with export:
            draw_export(page, tables(kept.answer), scope.window)
        with st.container(key=f"{page}_body"):
            draw(session, scope, kept.answer)
        beat(lambda: kept.age >= FRESH_SECONDS, every=BEAT_SECONDS, age=AGE_SECONDS, paused=busy())

    return show


def _checked(page: str, at: datetime, now: datetime) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f"Last checked, by the service's clock: {words.moment(at)} ({words.ago(at, now)})", width="content")
        st.button(
            "Check again",
            key=f"{page}_again",
            icon=":material/refresh:",
            on_click=forget,
            args=(page,),
            type="tertiary",
        )
