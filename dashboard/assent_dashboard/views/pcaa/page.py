"""PCAA health: how well actions pass the five checkpoints, what is missing most, and whose actions lack it.

Keys: those of the frame with the page `pcaa`; `pcaa_numbers`, `funnel`, `pcaa_missing` with `pcaa_gap_<number>`,
`pcaa_groups` and `pcaa_explained` are its parts; `pcaa_by` and `pcaa_number` choose what is compared, `pcaa_more` shows
more of what is missing.
"""

from __future__ import annotations

import streamlit as st

from assent.contract.pcaa import CheckpointId
from assent.contract.pcaa_gaps import PcaaGaps
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.empty import empty
from assent_dashboard.views.pcaa.data import load, tables
from assent_dashboard.views.pcaa.health import draw_funnel
from assent_dashboard.views.pcaa.missing import draw_groups, draw_missing
from assent_dashboard.views.pcaa.words import EXPLAINED, LEVELS, NUMBERS, STATUSES, interval, title
from assent_dashboard.views.scope import Scope, in_words
from assent_dashboard.views.scoped_page import scoped_page

_LOOP = """with client.track("refund", "Refund order 4711") as tracked:  # guard, open, wait, outcome
    client.record_assumption({"action_id": tracked.action_id, "assumption": "The order was paid"})"""


def draw(_session: Session, scope: Scope, gaps: PcaaGaps) -> None:
    st.caption("An action passes five checkpoints: admissibility, opening, assumption, approval, outcome.")
    if not gaps.all.n:
        empty(
            f"No action happened in {in_words(scope.window)}{' that fits' if scope.narrowed else ''}.",
            "Look further back, or have an agent act. This passes every checkpoint:",
            _LOOP,
            key="pcaa_empty",
        )
    else:
        _numbers(gaps)
        draw_funnel(gaps.checkpoints, gaps.all.simulated)
        draw_missing(gaps, scope.window)
        draw_groups(gaps)
    _explain()


def _numbers(gaps: PcaaGaps) -> None:
    everything = gaps.all
    if everything.simulated:
        st.caption(
            f":violet-badge[simulated] {words.amount(everything.simulated)} of the "
            f"{words.several(everything.n, 'action')} were made by a simulator. They never happened."
        )
    with st.container(key="pcaa_numbers"):
        for column, (name, label, meaning) in zip(st.columns(len(NUMBERS)), NUMBERS, strict=True):
            estimate = getattr(everything, name)
            with column.container(border=True, height="stretch"):
                st.metric(label, words.percent(estimate.value))
                st.caption(f"{interval(estimate)}, n = {words.several(everything.n, 'action')}. {meaning}")


def _explain() -> None:
    st.header("What the words mean", anchor=False)
    with st.container(border=True, key="pcaa_explained"):
        st.markdown(
            "\n".join(
                f"{number}. **{title(each)}**: {EXPLAINED[each].what} *Owed by:* {EXPLAINED[each].owed}"
                for number, each in enumerate(CheckpointId, 1)
            )
        )
        st.markdown(STATUSES)
        st.markdown("**Governance levels**")
        st.markdown("\n".join(f"- **{level}**: {meaning}" for level, meaning in LEVELS))
        st.caption(
            "What an action owes also depends on how far guard reaches into its runtime: imported history owes neither "
            "assumption nor approval."
        )


show = scoped_page("pcaa", "PCAA health", load=load, draw=draw, tables=tables)
