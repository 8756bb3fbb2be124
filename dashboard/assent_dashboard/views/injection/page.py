"""The page Injections: texts in which the scan found prompt injections, texts that are allowed whatever it finds, and
a text of one's own.

Keys: `injection_view`, those of the frame and of the parts.
"""

from __future__ import annotations

from enum import StrEnum

import streamlit as st

from assent.contract.roles import READING
from assent_dashboard.sessions import Session
from assent_dashboard.views.addresses import InjectionAddress, InjectionView
from assent_dashboard.views.answers import asked
from assent_dashboard.views.controls import choose_part, draw_problems, go, here
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.frame import scoped_page
from assent_dashboard.views.injection.allowed_texts import draw_allowed
from assent_dashboard.views.injection.data import EVENTS, InjectionData, allowed_table, load, tables
from assent_dashboard.views.injection.listing import draw_list
from assent_dashboard.views.injection.scan import draw_trying
from assent_dashboard.views.injection.subject import draw_open
from assent_dashboard.views.press import draw_report

TITLE = "Injections"
LABELS = {
    InjectionView.FOUND: "Found",
    InjectionView.SCAN: "Scan a text",
    InjectionView.ALLOWED: "Allowed texts",
}


def show(session: Session) -> None:
    address, problems = here(InjectionAddress)
    if address.view is InjectionView.FOUND:
        _found(session, opened=address.subject_id is not None)
        return
    st.set_page_config(page_title=f"{TITLE} · Assent")
    with st.container(
        key="injection_head", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title(TITLE, width="content")
        export = st.container(width="content")
    _draw_view(address)
    draw_problems(problems)
    draw_report()
    if address.view is InjectionView.SCAN:
        draw_trying(session)
        return
    if session.key.role not in READING:
        st.info(f"A key of role {session.key.role} may not see the list.", icon=":material/lock:")
        return
    version = session.feed.version(EVENTS)
    texts = asked("injection_allowed", lambda: session.client.get_allowed_texts().allowed_texts, version)().answer
    with export:
        draw_export("injection", {"allowed_texts": allowed_table(texts)}, "all")
    draw_allowed(session, texts)


def _found(session: Session, *, opened: bool) -> None:
    def draw(session: Session, address: InjectionAddress, found: InjectionData) -> None:
        draw_report()
        if address.subject_id is None:
            draw_list(address, found, session.clock.now())
        else:
            draw_open(session, address, found, address.subject_id, session.clock.now())

    scoped_page(
        InjectionAddress,
        TITLE,
        load=lambda session, address: load(session.client, address),
        draw=draw,
        tables=tables,
        by=() if opened else ("window", "agent_id"),
        question=lambda address: (address.recommendation, address.kind, address.subject_id),
        above=_draw_view,
        events=EVENTS,
    )(session)


def _draw_view(address: InjectionAddress) -> None:
    choose_part(address, "view", "Show", LABELS, _open_view)


def _open_view(view: StrEnum) -> None:
    go(InjectionAddress, view=None if view is InjectionView.FOUND else str(view))
