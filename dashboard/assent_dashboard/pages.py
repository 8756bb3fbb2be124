"""The script that Streamlit runs for every look at a page: who looks, which page, and what to do when the service
does not answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from assent.errors import ApiError, AssentError, ConnectionFailed, Unauthorized
from assent_dashboard import session as sessions
from assent_dashboard.sessions import Session
from assent_dashboard.views import live, words
from assent_dashboard.views.approvals import page as approvals
from assent_dashboard.views.ledger import page as ledger
from assent_dashboard.views.links import remember
from assent_dashboard.views.proof import page as proof
from assent_dashboard.views.readiness import page as readiness

RETRY_SECONDS = 2.0
WAITING = ":material/hourglass_empty:"
TODAY, TRENDS, RULES, TRUST = "Today", "Over time", "Who and what", "Trust"
SECTIONS = (TODAY, TRENDS, RULES, TRUST)


@dataclass(frozen=True)
class Entry:
    """A page: its place in the navigation, its path, and what draws it."""

    section: str
    path: str
    title: str
    icon: str
    show: Callable[[Session], None]


_LISTED = (
    Entry(TODAY, "readiness", "Readiness", ":material/task_alt:", readiness.show),
    Entry(TODAY, "approvals", "Approvals", ":material/front_hand:", approvals.show),
    Entry(TODAY, "ledger", "Ledger", ":material/receipt_long:", ledger.show),
    Entry(TRUST, "proof", "Proof", ":material/verified_user:", proof.show),
)
ENTRIES = {entry.path: entry for entry in _LISTED}
"""By path; the first one is what opens."""


def main() -> None:
    st.set_page_config(page_title="Assent", page_icon="🛡️", layout="wide")
    session = sessions.current()
    if session is None:
        st.info("Your session has ended.")
        st.html('<a href="/sign-in" target="_self">Sign in again</a>')
        return
    pages = {path: _page(session, entry) for path, entry in ENTRIES.items()}
    remember(pages)
    page = st.navigation(
        {section: [pages[path] for path, entry in ENTRIES.items() if entry.section == section] for section in SECTIONS}
    )
    page.run()
    _footer(session)


def _page(session: Session, entry: Entry) -> StreamlitPage:
    return st.Page(
        _guarded(session, entry.show),
        title=entry.title,
        icon=entry.icon,
        url_path=entry.path,
        default=entry is next(iter(ENTRIES.values())),
    )


def _guarded(session: Session, show: Callable[[Session], None]) -> Callable[[], None]:
    """A page that says what is the matter when the service does not answer, and comes back by itself."""

    def page() -> None:
        try:
            show(session)
        except Unauthorized:
            st.error("Your key was revoked. Sign in with another one.")
            st.html('<a href="/sign-out" target="_self">Sign in again</a>')
        except ConnectionFailed as error:
            st.warning("The service does not answer. This page comes back by itself.", icon=WAITING)
            st.caption(words.plain(error))
            _come_back(session)
        except ApiError as error:
            st.warning("The service cannot answer this just now. This page tries again by itself.", icon=WAITING)
            st.caption(words.plain(error))
            _come_back(session)

    return page


def _come_back(session: Session) -> None:
    """Draw the whole page again once the service answers."""
    live.beat(lambda: _answers(session), every=RETRY_SECONDS)


def _answers(session: Session) -> bool:
    try:
        session.client.health()
    except AssentError:
        return False
    return True


def _footer(session: Session) -> None:
    st.divider()
    with st.container(horizontal=True, horizontal_alignment="distribute", key="footer"):
        st.caption(f"Signed in as {session.name} ({session.key.role}).")
        st.html('<a href="/sign-out" target="_self" style="color: inherit">Sign out</a>', width="content")


main()
