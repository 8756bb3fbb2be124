"""A text of one's own, scanned by the service. Nothing of it is recorded.

Keys: `injection_text`, `injection_source`, `injection_scan` (the button), `injection_result`, `injection_marked`.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from assent import Client
from assent.contract.control.injection import LONGEST_TEXT, InjectionScan
from assent.contract.roles import ACTING
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.injection import words as injection_words
from assent_dashboard.views.injection.allowed_texts import draw_allowing
from assent_dashboard.views.injection.subject import draw_marked, reads_of
from assent_dashboard.views.press import attempt

TEXT, SOURCE, RESULT = "injection_text", "injection_source", "assent_injection_result"
SOURCES = ("user_input", "system_prompt", "tool_output", "document", "web_page", "email")
LONGEST_SOURCE = 128


@dataclass(frozen=True)
class ScanTrial:
    """`problem` says why there is no `scan`."""

    text: str
    scan: InjectionScan | None
    problem: str | None


def draw_trying(session: Session) -> None:
    may = session.key.role in ACTING
    st.caption("The service scans it as it would scan an agent's. Nothing is recorded, and nothing is sent elsewhere.")
    st.text_area("Text", key=TEXT, max_chars=LONGEST_TEXT, height=180, placeholder="Paste a text", disabled=not may)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Where it came from",
            SOURCES,
            key=SOURCE,
            format_func=lambda each: words.clean(injection_words.spoken(each)),
            accept_new_options=True,
            width=240,
            disabled=not may,
            help="The same words weigh more in what a tool, a document, a page or a mail brought.",
        )
        st.button(
            "Scan it",
            key="injection_scan",
            type="primary",
            icon=":material/policy:",
            on_click=_scan,
            args=(session.client,),
            disabled=not may,
        )
    if not may:
        st.info(f"A key of role {session.key.role} may look, but not scan.", icon=":material/lock:")
    tried = st.session_state.get(RESULT)
    if isinstance(tried, ScanTrial):
        with st.container(key="injection_result"):
            _result(session, tried)


def _scan(client: Client) -> None:
    text = str(st.session_state.get(TEXT) or "")
    source = words.clean(st.session_state.get(SOURCE) or SOURCES[0])[:LONGEST_SOURCE]
    if not text.strip():
        st.session_state[RESULT] = ScanTrial(text, None, "Paste a text first.")
        return
    scan, problem = attempt(lambda: client.scan_prompt_injection(text, source, store=False), "press again")
    st.session_state[RESULT] = ScanTrial(text, scan, problem)


def _result(session: Session, tried: ScanTrial) -> None:
    if tried.scan is None:
        st.error(words.plain(tried.problem), icon=":material/error:")
        return
    scan = tried.scan
    st.markdown(f"{injection_words.badges(scan)} score {scan.score:.1f} for source {words.code(scan.source)}")
    if scan.clean:
        st.success("Nothing was found.", icon=":material/check:")
    draw_marked(tried.text, scan.findings, key="injection_marked")
    readings = reads_of(tried.text, scan.source)
    for each in scan.findings:
        st.markdown(f"- {injection_words.finding(each, readings.get((each.pattern, each.position, each.end), ''))}")
    st.caption(f"Digest {words.code(scan.text_digest)} · rules {words.code(scan.version)}")
    if scan.recommendation != "allow":
        draw_allowing(session, scan.text_digest)
