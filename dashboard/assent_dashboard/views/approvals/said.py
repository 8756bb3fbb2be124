"""The fields of a decision: the reason, and with an approval its conditions and for how long it may be used.

The reason has the focus when the dialog opens. Enter does not decide: in the texts it makes a new line, and in the
number nothing. The words reach the service's side together with the press of the button, so that nothing is drawn anew
while somebody types.

Keys: `reasoning`, `conditions`, `valid_minutes`, `confirm`, `cancel`, and the container `said`.
"""

from __future__ import annotations

import streamlit as st

from assent import Verdict
from assent.deciding import Said

REASONING, CONDITIONS, VALID, CONFIRM, CANCEL = "reasoning", "conditions", "valid_minutes", "confirm", "cancel"
LONGEST_REASONING, MOST_MINUTES = 4000, 525_600
_FOCUS = """<script>
(function focus(left) {
  const reason = document.querySelector(".st-key-reasoning textarea");
  const said = document.activeElement?.matches("[role=dialog] :is(textarea, input)");
  if (reason && !said) reason.focus();
  if (left && !said) setTimeout(focus, 100, left - 1);
})(30);
</script>"""
"""The dialog takes the focus when it opens, which may be after the text is there: so it is asked for until it holds."""


def clear() -> None:
    """Fields without words, for the next decision."""
    st.session_state[REASONING] = st.session_state[CONDITIONS] = ""
    st.session_state[VALID] = None


def draw_said(verdict: Verdict) -> Said:
    allows = verdict is Verdict.ALLOW
    with st.container(key="said"):
        reasoning = st.text_area(
            "Reason (optional)" if allows else "Reason",
            key=REASONING,
            height=96,
            max_chars=LONGEST_REASONING,
            placeholder="Recorded with the decision" if allows else "Recorded, and shown to the agent",
            on_change="ignore",
        )
        st.html(_FOCUS, unsafe_allow_javascript=True)
        if not allows:
            return Said(reasoning or "")
        conditions = st.text_area(
            "Conditions (optional)",
            key=CONDITIONS,
            height=68,
            placeholder="One on each line; recorded in the receipt, for the agent to keep to",
            on_change="ignore",
        )
        minutes = st.number_input(
            "Valid for so many minutes (optional)",
            key=VALID,
            min_value=1,
            max_value=MOST_MINUTES,
            value=None,
            step=15,
            placeholder="No limit: the agent may use it whenever it likes",
            on_change="ignore",
        )
    return Said(reasoning or "", (conditions or "").splitlines(), minutes)


def draw_buttons(label: str, verdict: Verdict) -> tuple[bool, bool]:
    """Whether the decision was confirmed, and whether it was left."""
    with st.container(horizontal=True):
        confirmed = st.button(
            label,
            key=CONFIRM,
            type="primary",
            icon=":material/check:" if verdict is Verdict.ALLOW else ":material/block:",
            shortcut="Mod+Enter",
        )
        left = st.button("Cancel", key=CANCEL)
    return confirmed, left
