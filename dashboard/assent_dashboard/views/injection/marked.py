"""A scanned text with its findings marked. Every letter of it is escaped, what nobody sees is told by its code point,
and a long text is shown around its findings only.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from assent.contract.injection import InjectionFinding
from assent_analytics.injection.shown import as_html, merged, segments

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
