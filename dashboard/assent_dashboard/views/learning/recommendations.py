"""Lessons and recommendations: what each agent's own record suggests, what came of following it, and switching a
recommendation off or on."""

from __future__ import annotations

import polars as pl
import streamlit as st

from assent.contract.analysis.lessons import (
    MOST_DRIFT_WARNINGS,
    HintStatus,
    Lesson,
    Recommendation,
    RecommendationMetrics,
)
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import DriftAddress, Scope
from assent_dashboard.views.answers import forget
from assent_dashboard.views.export import Tables, draw_export
from assent_dashboard.views.learning import words as learning_words
from assent_dashboard.views.learning.data import Advised, days_of, frame, lessons_by_pair
from assent_dashboard.views.links import to_page
from assent_dashboard.views.press import attempt

SHOWN, STEP = "assent_learning_shown", 6
ADVICE = (
    "For each agent and action type with at least 5 episodes. Agents fetch them with `get_recommendations`; one that "
    "is switched off they no longer get. Whether they follow it they say with `record_recommendation_events`."
)
HINTS = {
    "risk_cap": "the cap on risk",
    "confidence_floor": "the least confidence",
    "prefer_reversible": "what can be taken back",
}
MANY = 20
"""So many clusters are enough, ten on either side: a gain that is unknown then had nobody to compare with."""
NO_EFFECT = "Nobody drew lots who follows, so a difference is no proof of an effect."


def draw_advice(session: Session, scope: Scope, advised: Advised) -> None:
    with st.container(key="learning_advice"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{counted(advised.advice.recommendations)}**", width="content")
            again = st.button("Work out anew", key="learning_rebuild", icon=":material/refresh:")
            draw_export("learning_advice", tables(advised), scope.window)
        if again:
            forget(NAME)
            _rebuild(session, scope)
            st.rerun()
        result = st.session_state.get(RESULT)
        if isinstance(result, tuple):
            fine, text = result
            (st.success if fine else st.error)(text)
        _draw_warnings(advised)
        lessons = lessons_by_pair(advised)
        shown = int(st.session_state.get(SHOWN, STEP))
        listed = advised.advice.recommendations[:shown]
        for pair in zip(listed[::2], [*listed[1::2], None], strict=False):
            for column, each in zip(st.columns(2), pair, strict=True):
                if each is not None:
                    with column:
                        _draw(each, lessons.get((each.agent_id, each.action_type)))
        left = len(advised.advice.recommendations) - shown
        if left > 0:
            st.button(f"Show {min(STEP, left)} more of {left}", key="learning_more", on_click=_more)
        _draw_too_few(advised)
    if present() is not None:
        open_dialog(session)


def tables(advised: Advised) -> Tables:
    return {
        "recommendations": frame(advised.advice.recommendations),
        "lessons": frame([*advised.lessons.lessons, *advised.lessons.insufficient_data]),
    }


def counted(advice: list[Recommendation]) -> str:
    off = sum(not each.active for each in advice)
    return words.several(len(advice), "recommendation") + (f", {off} switched off" if off else "")


def successes(each: Recommendation, lesson: Lesson | None) -> str:
    """The success rate, how few episodes it leans on, and on whom."""
    text = f"Success {learning_words.share(each.success_rate, each.success_low, each.success_high)}, n = "
    text += words.several(each.sample_size, "episode")
    if lesson is not None and lesson.group_members > 1:
        text += (
            f"; leans on the {words.percent(100 * lesson.group_rate)} of all {lesson.group_members} agents that do this"
        )
    return text + "."


def tested(each: Recommendation) -> str:
    """Which of its hints other episodes bear out, and on what that rests."""
    rests = learning_words.rests(each.clusters, each.basis)
    shown = [test for test in each.tests if test.status is HintStatus.SHOWN]
    if each.tests and all(test.gain is None and test.clusters >= MANY for test in each.tests):
        return "Hints could not be tested: of the episodes near in time, all followed them, or none did."
    if all(test.status is HintStatus.INSUFFICIENT_DATA for test in each.tests):
        return f"Hints could not be tested: {rests} clusters are too few, or all ended alike."
    if not shown:
        return f"No hint is shown to help, over {rests} clusters: each was found on half of them, tested on the others."
    names = ", ".join(HINTS[test.hint] for test in shown)
    return f"Shown to go with success, over {rests} clusters, half of them to find and half to test: {names}."


def followed(metrics: RecommendationMetrics | None) -> list[str]:
    """What agents said of it, in sentences."""
    if metrics is None or metrics.applied + metrics.overridden == 0:
        return ["No agent has said whether it followed this."]
    adoption = learning_words.share(metrics.adoption_rate, metrics.adoption_low, metrics.adoption_high)
    told = [f"Followed: {adoption}, {metrics.applied} times of {metrics.applied + metrics.overridden}."]
    for name, n, rate, low, high in (
        ("with it", metrics.with_n, metrics.with_rate, metrics.with_low, metrics.with_high),
        ("without", metrics.without_n, metrics.without_rate, metrics.without_low, metrics.without_high),
    ):
        told.append(
            f"Success {name}: {learning_words.share(rate, low, high)}, n = {n}."
            if n
            else f"Success {name}: no episode."
        )
    return [*told, NO_EFFECT]


def _draw(each: Recommendation, lesson: Lesson | None) -> None:
    with st.container(border=True, height="stretch", key=f"learning_advice_{each.id}"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{words.plain(each.agent_id)}** · {words.code(each.action_type)}", width="content")
            with st.container(horizontal=True, width="content", vertical_alignment="center"):
                if each.active:
                    st.badge("active", icon=":material/toggle_on:", color="green")
                else:
                    st.badge("off", icon=":material/toggle_off:", color="gray")
                st.button(
                    "Switch off…" if each.active else "Switch on…",
                    key=f"learning_switch_{each.id}",
                    on_click=begin,
                    args=(each,),
                )
        st.markdown(f"{successes(each, lesson)} Confidence {each.confidence} of 95.")
        # The first sentence of the guidance repeats the success rate.
        st.markdown("\n".join(f"- {words.plain(sentence)}" for sentence in each.guidance[1:] or each.guidance))
        released = learning_words.released(each.stopped, each.cancelled, each.success_least, each.success_most)
        st.caption(f"{tested(each)} {released}")
        st.caption(" ".join(followed(each.metrics)))


def drift_warned(count: int) -> str:
    """What the warnings of lessons count, which is less than the page Drift does."""
    newest = f"The newest {count} drift alerts" if count == MOST_DRIFT_WARNINGS else words.several(count, "drift alert")
    return (
        f"{newest} of a middling or large change that nobody has acknowledged: what was learned before may no longer "
        "hold. Drift counts small changes, too."
    )


def _draw_warnings(advised: Advised) -> None:
    found = advised.lessons.drift_warnings
    if found:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f":orange[:material/warning:] {drift_warned(len(found))}",
                width="content",
            )
            to_page(DriftAddress, "See what drifted", icon=":material/show_chart:")


def _draw_too_few(advised: Advised) -> None:
    few = advised.lessons.insufficient_data
    if not few:
        return
    least = advised.lessons.min_samples
    with st.expander(f"{words.several(len(few), 'pair')} of agent and type with fewer than {least} episodes"):
        st.caption("Not enough data for advice. What is known of them:")
        st.dataframe(
            pl.DataFrame(
                [
                    {
                        "Agent": words.clean(each.agent_id),
                        "Type": words.clean(each.action_type),
                        "Episodes": each.sample_size,
                        "Success": learning_words.share(
                            each.raw_success_rate, each.raw_success_low, each.raw_success_high
                        ),
                    }
                    for each in few
                ]
            ),
            hide_index=True,
            key="learning_few",
            alt="Pairs of agent and action type with too few episodes: how many, and how many of them succeeded.",
        )


def _more() -> None:
    st.session_state[SHOWN] = int(st.session_state.get(SHOWN, STEP)) + STEP


def _rebuild(session: Session, scope: Scope) -> None:
    made, problem = attempt(
        lambda: session.client.rebuild_recommendations(
            scope.action_type, lookback_days=days_of(scope), agent_id=scope.agent_id
        ),
        "press it again; that is safe",
    )
    if made is None:
        st.session_state[RESULT] = (False, words.plain(problem))
    else:
        st.session_state[RESULT] = (
            True,
            f"Worked out anew at {words.clock(made.until)}: {words.several(made.total, 'active recommendation')} from "
            f"{words.several(made.lookback_days, 'day')}. Nothing was switched.",
        )


# The second press: switching a recommendation off or on, with what that does, and what came of it.


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
            learning_words = _switch(session, chosen, on)
            if learning_words is None:
                end()
                st.rerun(scope="app")
            problem.error(learning_words)
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
