"""One subject that is open: each of its texts with what was found in it, and the way to the record it belongs to.

Keys: `injection_text_<scan_id>`, and those of `allowing`.
"""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from assent.contract.injection import RecordedScan, SubjectKind
from assent_analytics.injection import scan as scan_text
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.empty import empty
from assent_dashboard.views.injection import said
from assent_dashboard.views.injection.allowing import draw_allowing
from assent_dashboard.views.injection.data import Found
from assent_dashboard.views.injection.marked import draw_marked
from assent_dashboard.views.ledger import data as ledger_data
from assent_dashboard.views.links import to_ledger, to_page
from assent_dashboard.views.scope import Scope

READ = 20_000
"""Characters of the longest text that is read again here, to tell what hidden words came to."""
WHY_NOT: dict[SubjectKind, str] = {
    SubjectKind.SCAN: "A text that is scanned by itself is not kept; these are the matches as they were recorded.",
}
GONE = (
    "The record does not hold this very text any more, or your key may not see it: secrets are taken out before a text "
    "is kept, and it may have been erased. These are the matches as they were recorded."
)


def draw_open(session: Session, scope: Scope, found: Found, subject_id: str, now: datetime) -> None:
    to_page("injection", "Back to the list", scope.address(), icon=":material/arrow_back:")
    if not found.scans:
        empty(
            f"Nothing was found in {words.code(subject_id)}.",
            "Check the id; what the scan let pass is not recorded, and a link from another organization needs a key of "
            "that one.",
        )
        return
    for scan in found.scans:
        with st.container(key=f"injection_open_{scan.scan_id}", border=True):
            _draw(session, scan, found.texts.get(scan.scan_id), now)


def _draw(session: Session, scan: RecordedScan, text: str | None, now: datetime) -> None:
    st.markdown(f"{said.badges(scan)} {said.where(scan)}")
    st.markdown(f"**{said.summary(scan)}**")
    if text is not None:
        draw_marked(text, scan.findings, key=f"injection_text_{scan.scan_id}")
        if len(scan.findings) and scan.length > READ:
            st.caption("A long text: what stands far from every finding is left out.")
    else:
        st.caption(WHY_NOT.get(scan.subject_kind, GONE))
        for each in scan.findings:
            st.code(words.clean(each.matched), language=None, wrap_lines=True)
    readings = reads_of(text, scan.source)
    for each in scan.findings:
        st.markdown(f"- {said.finding(each, readings.get((each.pattern, each.position, each.end), ''))}")
    st.caption(
        f"Score {scan.score:.1f} for source {words.code(scan.source)} · {words.several(scan.length, 'character')} · "
        f"rules {words.code(scan.version)} · {words.moment(scan.created_at)} ({words.ago(scan.created_at, now)})"
    )
    st.caption(f"Digest {words.code(scan.text_digest)}")
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        _to_subject(session, scan)
        if not scan.allowed:
            draw_allowing(session, scan.text_digest)


def reads_of(text: str | None, source: str) -> dict[tuple[str, int, int], str]:
    """What the matches read as with everything undone, by rule and place; nothing where the text is not to be had. The
    engine of this process reads it, which may be another version than the service's."""
    if text is None or len(text) > READ:
        return {}
    return {(each.rule, each.position, each.end): each.reads for each in scan_text(text, source).findings}


def _to_subject(session: Session, scan: RecordedScan) -> None:
    match scan.subject_kind:
        case SubjectKind.MESSAGE:
            to_page("messages", "The message", {"message_id": scan.subject_id}, icon=":material/mail:")
        case SubjectKind.HANDOFF:
            query = {"view": "handoffs"} | ({"agent_id": scan.agent_id} if scan.agent_id else {})
            to_page("messages", "The agent's handoffs", query, icon=":material/move_up:")
        case SubjectKind.ASSUMPTION if scan.action_id:
            to_ledger(scan.action_id, "The action that rests on it")
        case SubjectKind.GUARD_DECISION:
            action = ledger_data.action_of(session.client, scan.subject_id)
            if action is not None:
                to_ledger(action.action_id, "The action that came of it")
            else:
                st.caption("No action came of this question.")
        case _:
            pass
