"""One subject of scans that is open: each of its texts with the findings marked, and the way to the record it belongs
to.

Keys: `injection_text_<scan_id>`, and those of `allowed_texts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from assent.contract.control.injection import InjectionFinding, RecordedScan, SubjectKind
from assent_analytics.injection import scan as scan_text
from assent_analytics.injection.marking import as_html, merged, segments
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import InjectionAddress, MessagesAddress, MessagesView
from assent_dashboard.views.blocks import empty
from assent_dashboard.views.injection import words as injection_words
from assent_dashboard.views.injection.allowed_texts import draw_allowing
from assent_dashboard.views.injection.data import InjectionData
from assent_dashboard.views.ledger import data as ledger_data
from assent_dashboard.views.links import to_ledger, to_page

READ = 20_000
"""Characters of the longest text that is read again here, to tell what hidden words came to."""
WHY_NOT: dict[SubjectKind, str] = {
    SubjectKind.SCAN: "A text that is scanned by itself is not kept; these are the matches as they were recorded.",
}
GONE = (
    "The record does not hold this very text any more, or your key may not see it: secrets are taken out before a text "
    "is kept, and it may have been erased. These are the matches as they were recorded."
)


def draw_open(
    session: Session, address: InjectionAddress, found: InjectionData, subject_id: str, now: datetime
) -> None:
    to_page(InjectionAddress, "Back to the list", icon=":material/arrow_back:", **address.scope.query())
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
    st.markdown(f"{injection_words.badges(scan)} {injection_words.where(scan)}")
    st.markdown(f"**{injection_words.summary(scan)}**")
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
        st.markdown(f"- {injection_words.finding(each, readings.get((each.pattern, each.position, each.end), ''))}")
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
            to_page(MessagesAddress, "The message", icon=":material/mail:", message_id=scan.subject_id)
        case SubjectKind.HANDOFF:
            to_page(
                MessagesAddress,
                "The agent's handoffs",
                icon=":material/move_up:",
                view=MessagesView.HANDOFFS,
                agent_id=scan.agent_id,
            )
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


# A scanned text with its findings marked. Every letter of it is escaped, what nobody sees is told by its code point,
# and a long text is shown around its findings only.


WHOLE = 4_000
"""Characters that are shown from beginning to end."""
AROUND = 300
MOST = 20_000
"""Characters shown of a longer one."""
STYLE = """<style>
.assent-scanned {
  white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; line-height: 1.55;
  font-family: "Source Code Pro", ui-monospace, monospace; font-size: 0.875rem;
  padding: 0.75rem 1rem; border: 1px solid #8a93a355; border-radius: 0.5rem;
}
.assent-scanned mark { background: #e8a33d59; color: inherit; border-radius: 2px; box-shadow: inset 0 -2px #e8a33d; }
.assent-scanned i { font-style: normal; opacity: 0.85; outline: 1px dotted #8a93a3; border-radius: 2px; }
.assent-scanned hr { margin: 0.5rem 0; border: 0; border-top: 1px dashed #8a93a3; }
</style>"""


def draw_marked(text: str, findings: Sequence[InjectionFinding], *, key: str) -> None:
    """Draw it in a container of that key."""
    with st.container(key=key):
        st.html(STYLE + html_of(text, [(each.position, each.end) for each in findings]))


def html_of(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Pure. A rule stands where something between was left out."""
    shown = windows(len(text), spans)
    return (
        '<div class="assent-scanned">' + "<hr>".join(as_html(segments(text, spans, *each)) for each in shown) + "</div>"
    )


def windows(length: int, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts of a text that are shown, in order."""
    if length <= WHOLE:
        return [(0, length)]
    near = merged((max(0, start - AROUND), min(length, end + AROUND)) for start, end in spans) or [(0, WHOLE)]
    shown: list[tuple[int, int]] = []
    left = MOST
    for start, end in near:
        if left <= 0:
            break
        shown.append((start, min(end, start + left)))
        left -= end - start
    return shown
