"""The frame of a page about a noun: title, scope, when it was last checked, export, and what it shows.

    show = scoped_page(LearningAddress, "Learning", load=load, draw=draw, tables=tables)

Every page drawn with it has, in this order: the title with the export beside it; window, agent and type (those that
mean something for it); when the service was asked, by the service's clock, with a button that asks again; the content.
Keys: `<page>_head`, `<page>_scope`, `<page>_again`, `<page>_body`, those of `controls` and of `export`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from datetime import datetime
from typing import TypeVar

import streamlit as st

from assent import EventName
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import Scope
from assent_dashboard.views.answers import FRESH_SECONDS, asked, checked_at, forget
from assent_dashboard.views.controls import ALL, draw_again, draw_problems, draw_scope, here, hold, names
from assent_dashboard.views.export import Tables, draw_export

LIVE_SECONDS = 0.5
AGE_SECONDS = 15.0
"""How old the relative times on the screen may become."""
LEAST_SECONDS = 0.3
"""A page that is being drawn is not asked to be drawn again."""


def beat(
    due: Callable[[], bool], *, every: float = LIVE_SECONDS, paused: bool = False, age: float = AGE_SECONDS
) -> None:
    """Draw the page again when `due` says so, or when it is `age` seconds old. `due` is asked `every` so many seconds,
    and should take no longer than that."""
    drawn = time.monotonic()
    hold()

    @st.fragment(run_every=None if paused else every)
    def look() -> None:
        since = time.monotonic() - drawn
        if not paused and since >= LEAST_SECONDS and (since >= age or due()):
            draw_again()

    look()


def draw_checked(page: str, at: datetime, now: datetime, *answers: str) -> None:
    """`answers` are the names of the kept answers that pressing the button forgets; `page` is one without any."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f"Last checked, by the service's clock: {words.moment(at)} ({words.ago(at, now)})", width="content")
        st.button(
            "Check again",
            key=f"{page}_again",
            icon=":material/refresh:",
            on_click=_forget,
            args=(answers or (page,),),
            type="tertiary",
        )


def _forget(answers: tuple[str, ...]) -> None:
    for name in answers:
        forget(name)


T = TypeVar("T")
A = TypeVar("A", bound=Scope)

BEAT_SECONDS = 5.0


def scoped_page(
    address: type[A],
    title: str,
    *,
    load: Callable[[Session, A], T],
    draw: Callable[[Session, A, T], None],
    tables: Callable[[T], Tables],
    by: tuple[str, ...] = ALL,
    busy: Callable[[], bool] = lambda: False,
    question: Callable[[A], Hashable] = lambda _: None,
    above: Callable[[A], None] = lambda _: None,
    events: frozenset[EventName] = frozenset(),
) -> Callable[[Session], None]:
    """The page. `load` asks the service (away from the page's thread: it must not touch Streamlit), `draw` shows what
    came, `tables` gives what can be exported. `busy` says whether somebody is in the middle of something that drawing
    the page anew would take away, such as an open dialog. `question` is what the address asks `load` for besides the
    scope, `above` draws what chooses it, and as soon as one of the `events` happens the service is asked anew."""
    page = address.page

    def show(session: Session) -> None:
        look, problems = here(address)
        st.set_page_config(page_title=f"{title} · Assent")
        version = session.feed.version(events) if events else 0
        coming = asked(page, lambda: load(session, look), (look.scope, question(look), version))
        with st.container(
            key=f"{page}_head", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
        ):
            st.title(title, width="content")
            export = st.container(width="content")
        if by:
            known = names(session)
            with st.container(key=f"{page}_scope", horizontal=True, vertical_alignment="bottom", gap="small"):
                draw_scope(look, known, by)
        draw_problems(problems)
        above(look)
        last = st.container()
        with st.spinner("Asking the service", show_time=True):
            kept = coming()
        with last:
            draw_checked(page, checked_at(session, kept), session.clock.now())
        with export:
            draw_export(page, tables(kept.answer), look.window)
        with st.container(key=f"{page}_body"):
            draw(session, look, kept.answer)
        beat(
            lambda: kept.age >= FRESH_SECONDS or (bool(events) and session.feed.version(events) != version),
            every=LIVE_SECONDS if events else BEAT_SECONDS,
            age=AGE_SECONDS,
            paused=busy(),
        )

    return show
