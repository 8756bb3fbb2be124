"""The script that Streamlit runs for every look at a page: who looks, which page, and what to do when the service
does not answer."""

from __future__ import annotations

from collections.abc import Callable
from string import Template

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from assent.errors import ApiError, AssentError, ConnectionFailed, Forbidden, Unauthorized
from assent_dashboard import sessions
from assent_dashboard.entries import ENTRIES, SECTIONS, PageEntry
from assent_dashboard.sessions import Session
from assent_dashboard.sign_in import SIGN_OUT_FORM
from assent_dashboard.theme import calm
from assent_dashboard.views import asking as asking
from assent_dashboard.views import drivers as drivers
from assent_dashboard.views import frame, words
from assent_dashboard.views import pcaa as pcaa
from assent_dashboard.views.agents import page as agents
from assent_dashboard.views.approvals import page as approvals
from assent_dashboard.views.drift import page as drift
from assent_dashboard.views.flows import page as flows
from assent_dashboard.views.halt import draw_banner
from assent_dashboard.views.injection import page as injection
from assent_dashboard.views.learning import page as learning
from assent_dashboard.views.ledger import page as ledger
from assent_dashboard.views.links import remember
from assent_dashboard.views.messages import page as messages
from assent_dashboard.views.policies import page as policies
from assent_dashboard.views.proof import page as proof
from assent_dashboard.views.readiness import page as readiness
from assent_dashboard.views.scores import page as scores
from assent_dashboard.views.settings import page as settings

RETRY_SECONDS, SERVER_ERROR = 2.0, 500
WAITING = ":material/hourglass_empty:"
SIDEBAR = 232
"""Pixels on a desk; on a telephone it is closed until somebody opens it."""
SHOWS: dict[str, Callable[[Session], None]] = {
    "readiness": readiness.show,
    "approvals": approvals.show,
    "ledger": ledger.show,
    "flows": flows.show,
    "asking": asking.show,
    "pcaa": pcaa.show,
    "learning": learning.show,
    "drift": drift.show,
    "drivers": drivers.show,
    "scores": scores.show,
    "policies": policies.show,
    "agents": agents.show,
    "messages": messages.show,
    "injection": injection.show,
    "proof": proof.show,
    "settings": settings.show,
}
"""What draws each page, by its path."""


def main() -> None:
    st.set_page_config(page_title="Assent", page_icon="🛡️", layout="wide", initial_sidebar_state=SIDEBAR)
    calm()
    session = sessions.current()
    if session is None:
        st.info("Your session has ended.")
        st.html('<a href="/sign-in" target="_self">Sign in again</a>')
        return
    pages = {path: _page(session, entry) for path, entry in ENTRIES.items()}
    remember(pages)
    page = st.navigation(
        {section: [pages[path] for path, entry in ENTRIES.items() if entry.section == section] for section in SECTIONS},
        expanded=True,
    )
    # Before the page, which may end the run wherever it likes.
    _signed_in(session)
    draw_banner(session)
    page.run()


def _page(session: Session, entry: PageEntry) -> StreamlitPage:
    return st.Page(
        _guarded(session, entry),
        title=entry.title,
        icon=entry.icon,
        url_path=entry.path,
        default=entry is next(iter(ENTRIES.values())),
    )


def _guarded(session: Session, entry: PageEntry) -> Callable[[], None]:
    """A page that says what is the matter when the service does not answer, and comes back by itself."""

    def page() -> None:
        st.set_page_config(page_title=f"{entry.title} · Assent")
        try:
            SHOWS[entry.path](session)
        except Unauthorized:
            st.error("Your key was revoked. Sign in with another one.")
            st.html(_sign_out_button("Sign in again"))
        except Forbidden as error:
            st.error(f"A key of role {session.key.role} may not see this. Sign in with an admin key.")
            st.caption(words.plain(error))
        except ConnectionFailed as error:
            st.warning("The service does not answer. This page comes back by itself.", icon=WAITING)
            st.caption(words.plain(error))
            _come_back(session)
        except ApiError as error:
            if error.status < SERVER_ERROR:
                # Asked again, it would be refused again.
                st.error("The service refused what this page asked for.")
                st.caption(words.plain(error))
                return
            st.warning("The service cannot answer this just now. This page tries again by itself.", icon=WAITING)
            st.caption(words.plain(error))
            _come_back(session)

    return page


def _sign_out_button(label: str) -> str:
    return Template(SIGN_OUT_FORM).substitute(label=label)


def _come_back(session: Session) -> None:
    """Draw the whole page again once the service answers."""
    frame.beat(lambda: _answers(session), every=RETRY_SECONDS)


def _answers(session: Session) -> bool:
    try:
        session.client.health()
    except AssentError:
        return False
    return True


def _signed_in(session: Session) -> None:
    """Who looks, and the way out; below the navigation."""
    with st.sidebar.container(key="signed-in"):
        st.caption(f"Signed in as **{words.plain(session.name)}** ({session.key.role})")
        st.html(_sign_out_button("Sign out"))


if __name__ == "__main__":
    main()
