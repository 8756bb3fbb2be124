"""The script that Streamlit runs for every look at a page: who looks, which page, and what to do when the service
does not answer."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from assent.errors import ApiError, AssentError, ConnectionFailed, Unauthorized
from assent_dashboard import session as sessions
from assent_dashboard.sessions import Session
from assent_dashboard.views import live, words
from assent_dashboard.views.approvals import page as approvals
from assent_dashboard.views.ledger import page as ledger
from assent_dashboard.views.links import remember_ledger, remember_proof
from assent_dashboard.views.proof import page as proof
from assent_dashboard.views.readiness import page as readiness

RETRY_SECONDS = 2.0
WAITING = ":material/hourglass_empty:"


def main() -> None:
    st.set_page_config(page_title="Assent", page_icon="🛡️", layout="wide")
    session = sessions.current()
    if session is None:
        st.info("Your session has ended.")
        st.html('<a href="/sign-in" target="_self">Sign in again</a>')
        return
    ledger_page = st.Page(_guarded(session, ledger.show), title="Ledger", url_path="ledger")
    remember_ledger(ledger_page)
    proof_page = st.Page(_guarded(session, proof.show), title="Proof", url_path="proof")
    remember_proof(proof_page)
    page = st.navigation(
        [
            st.Page(_guarded(session, readiness.show), title="Readiness", url_path="readiness", default=True),
            st.Page(_guarded(session, approvals.show), title="Approvals", url_path="approvals"),
            ledger_page,
            proof_page,
        ],
        position="top",
    )
    page.run()
    _footer(session)


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
