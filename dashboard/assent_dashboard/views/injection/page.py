"""The page Injections: texts in which the scan found prompt injections, texts that are allowed whatever it finds, and
a text of one's own.

`/injection` is what was found, `?subject_id=...` one decision, message, handoff, assumption or scan of it,
`?view=scan` and `?view=allowed` the others. Keys: `injection_view`, those of `scoped_page` and of the parts.
"""

from __future__ import annotations

import streamlit as st

from assent.contract.roles import READING
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.injection.allowing import draw_allowed
from assent_dashboard.views.injection.asked import Asked, View, read
from assent_dashboard.views.injection.data import EVENTS, Found, allowed_table, load, tables
from assent_dashboard.views.injection.listing import draw_list
from assent_dashboard.views.injection.opened import draw_open
from assent_dashboard.views.injection.trying import draw_trying
from assent_dashboard.views.kept import asked as ask
from assent_dashboard.views.part import draw_part
from assent_dashboard.views.scope import Scope
from assent_dashboard.views.scoped_page import scoped_page
from assent_dashboard.views.told import tell

TITLE = "Injections"
LABELS = {View.FOUND: "Found", View.SCAN: "Scan a text", View.ALLOWED: "Allowed texts"}


def show(session: Session) -> None:
    address = st.query_params.to_dict()
    # A link from another page reaches the script and not the browser's address; saying it again does.
    st.query_params.from_dict(address)
    asked, problems = read(address)
    if asked.view is View.FOUND:
        _found(session, asked, problems)
        return
    st.set_page_config(page_title=f"{TITLE} · Assent")
    with st.container(
        key="injection_head", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title(TITLE, width="content")
        export = st.container(width="content")
    _draw_view(asked.view)
    tell()
    if asked.view is View.SCAN:
        draw_trying(session)
        return
    if session.key.role not in READING:
        st.info(f"A key of role {session.key.role} may not see the list.", icon=":material/lock:")
        return
    version = session.feed.version(EVENTS)
    texts = ask("injection_allowed", lambda: session.client.get_allowed_texts().allowed_texts, version)().answer
    with export:
        draw_export("injection", {"allowed_texts": allowed_table(texts)}, "all")
    draw_allowed(session, texts)


def _found(session: Session, asked: Asked, problems: list[str]) -> None:
    def draw(session: Session, scope: Scope, found: Found) -> None:
        for problem in problems:
            st.warning(words.plain(problem), icon=":material/warning:")
        tell()
        if asked.subject_id is None:
            draw_list(scope, asked, found, session.clock.now())
        else:
            draw_open(session, scope, found, asked.subject_id, session.clock.now())

    scoped_page(
        "injection",
        TITLE,
        load=lambda session, scope: load(session.client, scope, asked),
        draw=draw,
        tables=tables,
        by=() if asked.subject_id is not None else ("window", "agent_id"),
        question=asked.question,
        above=lambda: _draw_view(asked.view),
        events=EVENTS,
    )(session)


def _draw_view(view: View) -> None:
    draw_part("Show", "injection_view", view, LABELS, _go_to_view)


def _go_to_view() -> None:
    chosen = st.session_state["injection_view"]
    st.query_params.from_dict({} if chosen is View.FOUND else {"view": str(chosen)})
