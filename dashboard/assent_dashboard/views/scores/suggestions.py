"""Scales that fit what agents did, and applying one to a profile: what stands there, what would, and the button.

Keys: `scores_scales` is the table, `scores_into` chooses the profile, `scores_metric` the metric, `scores_apply`
applies it, `scores_new` makes a profile of all suggestions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
import polars as pl
import streamlit as st

from assent import Client
from assent.contract.calibration import AutoCalibration, CalibrationStatus, ScaleSuggestion
from assent.contract.scoring import ScoringDimension, ScoringProfile
from assent_analytics.charts.metrics import named
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.kept import Kept
from assent_dashboard.views.kept import asked as ask
from assent_dashboard.views.scope import Scope
from assent_dashboard.views.scores import words as said
from assent_dashboard.views.scores.acting import confirmed
from assent_dashboard.views.side_by_side import both

Found = tuple[AutoCalibration, list[ScoringProfile]]
Coming = Callable[[], Kept[Found]]


def begin_suggestions(session: Session, scope: Scope) -> Coming:
    return ask("scores_suggestions", lambda: load_suggestions(session.client, scope), scope)


def load_suggestions(client: Client, scope: Scope) -> Found:
    found, profiles = both(
        lambda: client.auto_calibrate(scope.action_type, scope.agent_id, scope.days),
        lambda: client.list_scoring_profiles(status="all", limit=200),
    )
    return found, profiles.profiles


def scales_frame(suggestions: Sequence[ScaleSuggestion]) -> pl.DataFrame:
    """A row for each metric: its percentiles with their intervals, the scale and the weight."""
    rows = [
        {
            "metric": each.metric.value,
            "n": each.sample_size,
            **{name: getattr(each.distribution, name) for name in ("p25", "p50", "p75")},
            **{f"{name}_{end}": each.intervals[name][at] for name in ("p25", "p50", "p75") for at, end in _ENDS},
            "scale": said.steps(each.suggested_scale, each.data_source),
            "weight": each.suggested_weight,
            "simulated": each.simulated,
        }
        for each in suggestions
    ]
    floats = [f"{name}{end}" for name in ("p25", "p50", "p75") for end in ("", "_low", "_high")]
    kinds: dict[str, Any] = {"metric": pl.String, "n": pl.Int64, **dict.fromkeys(floats, pl.Float64)}
    kinds |= {"scale": pl.List(pl.String), "weight": pl.Float64, "simulated": pl.Int64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def standing(profile: ScoringProfile, suggestion: ScaleSuggestion) -> ScoringDimension | None:
    """The dimension of a profile that measures the metric."""
    return next((each for each in profile.dimensions if each.data_source.value == suggestion.data_source), None)


def apply(client: Client, profile: ScoringProfile, suggestion: ScaleSuggestion) -> None:
    """Give the dimension this scale; without one, add it with the suggested weight."""
    scale = [msgspec.to_builtins(step) for step in suggestion.suggested_scale]
    before = standing(profile, suggestion)
    if before is not None:
        client.update_scoring_dimension(profile.id, before.id, scale=scale)
    else:
        client.add_scoring_dimension(
            profile.id, _title(suggestion), suggestion.data_source, suggestion.suggested_weight, scale=scale
        )


def make(client: Client, name: str, action_type: str | None, suggestions: Sequence[ScaleSuggestion]) -> None:
    dimensions = [
        {
            "name": _title(each),
            "data_source": each.data_source,
            "weight": each.suggested_weight,
            "scale": [msgspec.to_builtins(step) for step in each.suggested_scale],
        }
        for each in suggestions
    ]
    client.create_scoring_profile(name, action_type=action_type, dimensions=dimensions)


def draw_suggestions(session: Session, coming: Coming) -> None:
    st.header("Scales that fit what happened", anchor=False)
    with st.spinner("Looking for what is usual", show_time=True):
        found, profiles = coming().answer
    if found.status is CalibrationStatus.INSUFFICIENT_DATA or not found.suggestions:
        st.info(f"Not enough data: {words.plain(found.message or 'no metric has enough values')}")
        return
    st.caption(
        f"From {words.several(found.count, 'action')}, {words.amount(found.simulated)} of them simulated. Percentiles "
        "carry 95% intervals; a scale gives 100 to the best quarter and 20 to the worst. Asking changes nothing."
    )
    frame = scales_frame(found.suggestions)
    st.dataframe(
        frame.select("metric", "n", "p50", "p50_low", "p50_high", pl.col("scale").list.join("; "), "weight"),
        hide_index=True,
        key="scores_scales",
        alt="For each metric: how many actions have it, its median with a 95% interval, the suggested scale and weight",
        column_config={"p50": "Median", "p50_low": "95% from", "p50_high": "to", "weight": "Weight", "scale": "Scale"},
    )
    for metric, n in found.left_out.items():
        st.caption(f"{words.plain(named(metric))}: {words.several(n, 'action')} have it, which is too few.")
    if profiles:
        _apply(session, found.suggestions, profiles)
    _new(session, found)


def _apply(session: Session, suggestions: Sequence[ScaleSuggestion], profiles: Sequence[ScoringProfile]) -> None:
    by_id = {each.id: each for each in profiles}
    by_metric = {each.metric.value: each for each in suggestions}
    st.markdown("**Apply one to a profile**")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        into = st.selectbox(
            "Profile", list(by_id), format_func=lambda each: words.clean(by_id[each].name), key="scores_into", width=300
        )
        metric = st.selectbox("Metric", list(by_metric), format_func=named, key="scores_metric", width=180)
    profile, suggestion = by_id[str(into)], by_metric[str(metric)]
    before = standing(profile, suggestion)
    left, right = st.columns(2)
    with left.container(border=True, height="stretch"):
        st.markdown("**Now**")
        if before is None:
            st.text("The profile does not measure it.")
        else:
            st.text("\n".join([words.clean(before.name), *map(words.clean, said.scale(before))]))
            st.caption(f"Weight {before.weight:g}")
    with right.container(border=True, height="stretch"):
        st.markdown("**Afterwards**")
        name = before.name if before is not None else _title(suggestion)
        st.text(
            "\n".join(
                [words.clean(name), *map(words.clean, said.steps(suggestion.suggested_scale, suggestion.data_source))]
            )
        )
        st.caption(f"Weight {before.weight if before is not None else suggestion.suggested_weight:g}")
    confirmed(
        session,
        "Apply",
        "Scores that are given from now on use this scale. Those given stay as they are.",
        partial(apply, session.client, profile, suggestion),
        "Applied",
        key="scores_apply",
        icon=":material/check:",
    )


def _new(session: Session, found: AutoCalibration) -> None:
    with st.expander("Make a profile of all of them", icon=":material/add:"):
        name = st.text_input("Name", value="Calibrated", max_chars=200, key="scores_new_name")
        confirmed(
            session,
            "Make the profile",
            f"A profile with {words.several(len(found.suggestions), 'dimension')}, each with its scale and weight.",
            partial(make, session.client, name, found.action_type, found.suggestions),
            "Made",
            key="scores_new",
            icon=":material/add:",
        )


def _title(suggestion: ScaleSuggestion) -> str:
    name = named(suggestion.metric.value)
    return name[:1].upper() + name[1:]


_ENDS = ((0, "low"), (1, "high"))
