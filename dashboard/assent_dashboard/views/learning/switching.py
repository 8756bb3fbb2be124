"""The second press: switching a recommendation off or on, with what that does, and what came of it."""

from __future__ import annotations

import streamlit as st

from assent.contract.lessons import Recommendation
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.attempt import attempt
from assent_dashboard.views.kept import forget

STATE, RESULT = "assent_learning_switching", "assent_learning_result"
NAME = "learning_advice"
"""Under which the recommendations are kept."""
CONFIRM, CANCEL = "learning_confirm", "learning_cancel"


def present() -> Recommendation | None:
    """The recommendation that somebody is about to switch."""
    found = st.session_state.get(STATE)
    return found if isinstance(found, Recommendation) else None


def begin(recommendation: Recommendation) -> None:
    st.session_state[STATE] = recommendation
    st.session_state.pop(RESULT, None)


def end() -> None:
    st.session_state.pop(STATE, None)


def open_dialog(session: Session) -> None:
    chosen = present()
    if chosen is None:
        return
    on = not chosen.active

    @st.dialog(f"Switch this recommendation {'on' if on else 'off'}?", on_dismiss=end)
    def dialog() -> None:
        st.markdown(f"**{words.plain(chosen.agent_id)}** · {words.code(chosen.action_type)}")
        st.markdown(
            "Agents of your organization get it again from the next call on."
            if on
            else "Agents of your organization no longer get it, also when it is worked out anew. It stays listed here, "
            "and can be switched on again."
        )
        problem = st.empty()
        with st.container(horizontal=True):
            pressed = st.button("Switch on" if on else "Switch off", key=CONFIRM, type="primary")
            left = st.button("Cancel", key=CANCEL)
        if pressed:
            said = _switch(session, chosen, on)
            if said is None:
                end()
                st.rerun(scope="app")
            problem.error(said)
        if left:
            end()
            st.rerun(scope="app")

    dialog()


def _switch(session: Session, chosen: Recommendation, on: bool) -> str | None:
    """Do it; a sentence when it was not done."""
    switched, problem = attempt(lambda: session.client.set_recommendation_active(chosen.id, on))
    forget(NAME)
    if switched is None:
        return words.plain(problem)
    switch = switched.recommendation
    state = "on" if switch.active else "off"
    st.session_state[RESULT] = (
        True,
        f"Switched {state} at {words.clock(switch.updated_at)}: {words.plain(switch.agent_id)}, "
        f"{words.plain(switch.action_type)}.",
    )
    return None
