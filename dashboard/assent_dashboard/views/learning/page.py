"""The learning page: whether agents get better, at what, and what their record suggests for the next action.

Keys: those of the frame with the page `learning`; `learning_headline`, `learning_trends`, `learning_curves`,
`learning_maturity`, `learning_advice` and `learning_week` are its parts; `learning_measure` chooses what a curve shows,
`learning_rebuild` works the recommendations out anew, `learning_switch_<id>` switches one of them, and in the dialog
`learning_confirm` and `learning_cancel` are the buttons.
"""

from __future__ import annotations

import streamlit as st

from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import LearningAddress, Scope, in_words
from assent_dashboard.views.answers import asked
from assent_dashboard.views.blocks import empty
from assent_dashboard.views.frame import scoped_page
from assent_dashboard.views.learning.data import LONGEST_DAYS, Learned, load, load_advice, load_curves, tables
from assent_dashboard.views.learning.progress import (
    CURVES,
    draw_curves,
    draw_headline,
    draw_maturity,
    draw_trends,
    draw_week,
)
from assent_dashboard.views.learning.recommendations import ADVICE, NAME, draw_advice, present

_LOOP = """action = client.create_action("refund", "Refund order 4711")
client.update_outcome(action.action_id, "completed", output_summary="Refunded, 20 EUR")"""


def draw(session: Session, scope: Scope, learned: Learned) -> None:
    if scope.days > LONGEST_DAYS:
        st.info(f"Learning looks back {LONGEST_DAYS} days at most; these are the last {LONGEST_DAYS}.")
    if not learned.summary.total_episodes:
        empty(
            f"No action ended in {in_words(scope.window)}{_narrowed(scope)}.",
            "An action becomes an episode, which can be learned from, when its outcome is reported. Look further back, "
            "or have agents report how their actions end:",
            _LOOP,
            key="learning_empty",
        )
        draw_week(learned.week)
        return
    # An answer that is newer than the parts has them asked for anew.
    question = (scope, learned.summary.until)
    curves = asked("learning_curves", lambda: load_curves(session, scope), question)
    advice = asked(NAME, lambda: load_advice(session, scope), question)
    draw_headline(learned, scope)
    draw_trends(learned)
    st.header("By experience", anchor=False)
    st.caption(CURVES)
    curves_place = st.container()
    st.header("Lessons and recommendations", anchor=False)
    st.caption(ADVICE)
    advice_place = st.container()
    draw_maturity(learned)
    draw_week(learned.week)
    with curves_place, st.spinner("Working out the curves", show_time=True):
        found = curves().answer
    with curves_place:
        draw_curves(found, scope.window)
    with advice_place, st.spinner("Working out the recommendations", show_time=True):
        advised = advice().answer
    with advice_place:
        draw_advice(session, scope, advised)


def _narrowed(scope: Scope) -> str:
    return f" of {words.code(scope.agent_id)}" if scope.agent_id else ""


show = scoped_page(LearningAddress, "Learning", load=load, draw=draw, tables=tables, busy=lambda: present() is not None)
