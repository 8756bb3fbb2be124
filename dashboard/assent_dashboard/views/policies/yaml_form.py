"""The draft as YAML: a pack of one policy. Keys: `policy_yaml` (the text), `policy_yaml_anew`."""

from __future__ import annotations

import streamlit as st

from assent_dashboard.views import words
from assent_dashboard.views.policies.draft import LONGEST_YAML, Draft
from assent_dashboard.views.policies.shown import changed, show

LEAST, MOST, LINE = 260, 620, 22
"""Pixels of the text, and of one of its lines."""


def draw_yaml(draft: Draft) -> None:
    key = "policy_yaml"
    show(key, draft.yaml)
    height = min(MOST, max(LEAST, LINE * (draft.yaml.count("\n") + 3)))
    st.text_area(
        "One policy, as a pack has it",
        key=key,
        height=height,
        max_chars=LONGEST_YAML,
        on_change=changed(key, lambda new: draft.type_yaml(str(new))),
        help="Leave the text, or press Ctrl and Enter, and the form follows.",
    )
    if draft.problem is None:
        st.caption("The form has the same draft.")
        return
    place = "" if draft.problem.line is None else f"Line {draft.problem.line}: "
    st.error(f"{place}{words.plain(draft.problem.message)}", icon=":material/error:")
    said = _line(draft.yaml, draft.problem.line)
    if said:
        st.code(said, language="yaml")
    st.button(
        "Write the text anew from the form",
        key="policy_yaml_anew",
        icon=":material/refresh:",
        on_click=draft.discard_yaml,
    )


def _line(text: str, number: int | None) -> str:
    lines = text.splitlines()
    return words.clean(lines[number - 1]) if number is not None and 0 < number <= len(lines) else ""
