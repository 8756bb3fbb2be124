"""One action and its scores: what each dimension found in it, and what that came to.

Keys: `scores_action` takes the id, `scores_it` scores it, `scores_breakdown` is the table.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import polars as pl
import streamlit as st

from assent.contract.profile_scores import DimensionScore, ProfileScore, ProfileScores
from assent.contract.scoring import ScoringProfile
from assent.errors import NotFound
from assent_dashboard.sessions import Session
from assent_dashboard.views import scope_controls, words
from assent_dashboard.views.kept import asked as ask
from assent_dashboard.views.links import to_ledger
from assent_dashboard.views.scope import Scope
from assent_dashboard.views.scores.acting import do
from assent_dashboard.views.scores.asked import Asked

NEWEST = 20


def breakdown_frame(dimensions: Sequence[DimensionScore]) -> pl.DataFrame:
    rows = [
        (each.dimension_name, float(each.weight), _shown(each.raw_value), each.score, each.label) for each in dimensions
    ]
    schema = {
        "dimension": pl.String,
        "weight": pl.Float64,
        "value": pl.String,
        "score": pl.Float64,
        "label": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def draw_action_score(session: Session, scope: Scope, asked: Asked, profile: ScoringProfile) -> None:
    st.header("Score one action", anchor=False)
    key = "scores_action"
    st.session_state[key] = asked.action_id or ""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input(
            "Id of the action",
            key=key,
            placeholder="act_…, as the ledger has it",
            max_chars=128,
            on_change=lambda: scope_controls.put(scope.window, action_id=st.session_state[key].strip()),
            width=420,
        )
        st.button(
            "Score it now",
            key="scores_it",
            icon=":material/speed:",
            disabled=asked.action_id is None or not profile.dimensions,
            on_click=do,
            args=(lambda: session.client.score_with_profile(profile.id, asked.action_id or ""), "Scored"),
        )
    st.caption("Every scoring is stored with your key's name; scoring an action again adds another score.")
    if asked.action_id is None:
        return
    question = (profile.id, asked.action_id)
    try:
        scores = ask("scores_action", lambda: _scores(session, profile, asked.action_id), question)().answer
    except NotFound as error:
        st.warning(words.plain(error.detail), icon=":material/warning:")
        return
    to_ledger(asked.action_id, "The action in the ledger")
    if not scores.scores:
        st.info(f"{words.code(asked.action_id)} has no score by this profile yet.", icon=":material/info:")
        return
    for place, score in enumerate(scores.scores):
        _score(score, newest=place == 0)
    if scores.total > len(scores.scores):
        st.caption(f"The newest {len(scores.scores)} of {words.amount(scores.total)}.")


def _scores(session: Session, profile: ScoringProfile, action_id: str | None) -> ProfileScores:
    return session.client.get_profile_scores(profile_id=profile.id, action_id=action_id, limit=NEWEST)


def _score(score: ProfileScore, *, newest: bool) -> None:
    title = f"**{score.composite_score:.1f} of 100**, scored {words.moment(score.scored_at)}"
    if not newest:
        with st.expander(title):
            _table(score, key=f"scores_breakdown_{score.id}")
        return
    with st.container(border=True, key="scores_newest"):
        st.markdown(title)
        _table(score, key="scores_breakdown")


def _table(score: ProfileScore, *, key: str) -> None:
    frame = breakdown_frame(score.dimension_scores)
    st.dataframe(
        frame.rename({name: name.capitalize() for name in frame.columns}),
        hide_index=True,
        key=key,
        alt=f"What each of {words.several(frame.height, 'dimension')} found: weight, value, score, label",
        column_config={
            "Score": st.column_config.ProgressColumn(min_value=0, max_value=100, format="%.0f"),
            "Weight": st.column_config.NumberColumn(format="%g"),
        },
    )


def _shown(value: object) -> str:
    if value is None:
        return words.NOTHING
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.10g}"
    return words.clean(value if isinstance(value, str) else msgspec.json.encode(value).decode())
