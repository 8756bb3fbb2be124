"""Calibration on the page Scores: whether stated confidence and risk came true, the scales that fit, and what each
threshold of risk would have cost.

Keys: `scores_confidence` and `scores_risk_score` are the pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
import polars as pl
import streamlit as st

from assent import Client
from assent.contract.analysis.backtest import Backtest, CostCurve
from assent.contract.analysis.calibration import (
    AutoCalibration,
    CalibrationReport,
    CalibrationStatus,
    PredictionQuality,
    ReliabilityBin,
    ScaleSuggestion,
)
from assent.contract.analysis.scoring import ScoringDimension, ScoringProfile
from assent.contract.control.policies import Policy
from assent_analytics.backtest import curve_frame
from assent_analytics.charts import cost_curve, reliability_diagram
from assent_analytics.charts.metrics import named
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import DEAREST, PoliciesAddress, Scope, ScoresAddress, in_words
from assent_dashboard.views.answers import CachedAnswer, both
from assent_dashboard.views.answers import asked as ask
from assent_dashboard.views.blocks import empty, picture
from assent_dashboard.views.controls import WIDTH, put
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.links import to_page
from assent_dashboard.views.scores import words as score_words
from assent_dashboard.views.scores.admin import confirmed

TITLES: dict[str, tuple[str, str]] = {
    "confidence": (
        "Is confidence earned?",
        "Of actions that said 80 %, four of five should succeed. A point below the dashed line promised too much.",
    ),
    "risk_score": (
        "Does risk tell failures apart?",
        "Risk is no probability; what counts is that more of it goes with more failures.",
    ),
}


def load(client: Client, scope: Scope) -> CalibrationReport:
    return client.get_calibration(scope.window, scope.agent_id, scope.action_type)


def tables(report: CalibrationReport) -> dict[str, pl.DataFrame]:
    return {"confidence_bins": bins_frame(report.confidence), "risk_bins": bins_frame(report.risk_score)}


def bins_frame(quality: PredictionQuality) -> pl.DataFrame:
    """The bins with what they are `of`, as the picture takes them."""
    whole = ("n", "simulated", "stopped", "cancelled")
    schema = {name: pl.Int64 if name in whole else pl.Float64 for name in ReliabilityBin.__struct_fields__}
    rows = [msgspec.structs.astuple(each) for each in quality.bins]
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(of=pl.lit(quality.of.value))


def draw(session: Session, address: ScoresAddress, report: CalibrationReport) -> None:
    suggestions = begin_suggestions(session, address.scope)
    if not report.confidence.n and not report.risk_score.n:
        empty(
            "No finished action in this window says how sure it was, or how risky.",
            "Give confidence and risk, 0 to 100, when an action begins, and report how it ended.",
            'action = client.create_action("deploy", declared_goal="Ship 4.2", confidence=80, risk_score=35)\n'
            'client.update_outcome(action.action_id, status="completed")',
            key="scores_no_prediction",
        )
        return
    for quality in (report.confidence, report.risk_score):
        _quality(quality)
    draw_costs(session, address)
    draw_suggestions(session, suggestions)


def _quality(quality: PredictionQuality) -> None:
    title, meaning = TITLES[quality.of.value]
    st.header(title, anchor=False)
    st.caption(meaning)
    summary = score_words.quality(quality)
    st.markdown(summary)
    if quality.n:
        st.caption(score_words.rests(quality))
    if quality.bins:
        frame = bins_frame(quality)
        picture(
            reliability_diagram(frame, height=360),
            f"{title} {summary} {score_words.rests(quality)} {_worst(quality.bins)}",
            frame,
            key=_key(quality),
        )


def _worst(bins: Sequence[ReliabilityBin]) -> str:
    """The bin that is furthest off, beyond what chance explains."""
    off = [each for each in bins if not each.observed_low <= each.mean_predicted <= each.observed_high]
    if not off:
        return "Every bin holds what it says, as far as can be told."
    worst = max(off, key=lambda each: abs(each.mean_predicted - each.observed))
    return (
        f"Furthest off: stated {words.percent(100 * worst.mean_predicted)}, observed "
        f"{words.percent(100 * worst.observed)} ({words.percent(100 * worst.observed_low)} to "
        f"{words.percent(100 * worst.observed_high)}) of {words.several(worst.n, 'action')}."
    )


def _key(quality: PredictionQuality) -> str:
    return f"scores_{quality.of.value}"


# Scales that fit what agents did, and applying one to a profile: what stands there, what would, and the button.
#
# Keys: `scores_scales` is the table, `scores_into` chooses the profile, `scores_metric` the metric, `scores_apply`
# applies it, `scores_new` makes a profile of all suggestions.


Found = tuple[AutoCalibration, list[ScoringProfile]]
Coming = Callable[[], CachedAnswer[Found]]


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
            "scale": score_words.steps(each.suggested_scale, each.data_source),
            "weight": each.suggested_weight,
            "simulated": each.simulated,
            "clusters": each.clusters,
            "n_effective": each.n_effective,
            "basis": each.basis,
        }
        for each in suggestions
    ]
    floats = [f"{name}{end}" for name in ("p25", "p50", "p75") for end in ("", "_low", "_high")]
    kinds: dict[str, Any] = {"metric": pl.String, "n": pl.Int64, **dict.fromkeys(floats, pl.Float64)}
    kinds |= {"scale": pl.List(pl.String), "weight": pl.Float64, "simulated": pl.Int64}
    kinds |= {"clusters": pl.Int64, "n_effective": pl.Float64, "basis": pl.String}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def standing(profile: ScoringProfile, suggestion: ScaleSuggestion) -> ScoringDimension | None:
    """The dimension of a profile that measures the metric."""
    return next((each for each in profile.dimensions if each.data_source.value == suggestion.data_source), None)


def apply(client: Client, profile_id: str, suggestion: ScaleSuggestion) -> None:
    """Give the dimension this scale; without one, add it with the suggested weight. The profile is read anew, so that a
    press which arrives twice, or two people who press, add one dimension."""
    scale = [msgspec.to_builtins(step) for step in suggestion.suggested_scale]
    before = standing(client.get_scoring_profile(profile_id), suggestion)
    if before is not None:
        client.update_scoring_dimension(profile_id, before.id, scale=scale)
    else:
        client.add_scoring_dimension(
            profile_id, _title(suggestion), suggestion.data_source, suggestion.suggested_weight, scale=scale
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
        f"From all {words.several(found.count, 'action')} that began in the window, however they stand, "
        f"{words.amount(found.simulated)} of them simulated; n is how many of them have the metric, above only "
        "finished ones count. Percentiles carry 95% intervals; a scale gives 100 to the best quarter and 20 to the "
        "worst. Asking changes nothing."
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
            st.text("\n".join([words.clean(before.name), *map(words.clean, score_words.scale(before))]))
            st.caption(f"Weight {before.weight:g}")
    with right.container(border=True, height="stretch"):
        st.markdown("**Afterwards**")
        name = before.name if before is not None else _title(suggestion)
        st.text(
            "\n".join(
                [
                    words.clean(name),
                    *map(words.clean, score_words.steps(suggestion.suggested_scale, suggestion.data_source)),
                ]
            )
        )
        st.caption(f"Weight {before.weight if before is not None else suggestion.suggested_weight:g}")
    confirmed(
        session,
        "Apply",
        "Scores that are given from now on use this scale. Those given stay as they are.",
        partial(apply, session.client, profile.id, suggestion),
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


# What asking a person from each risk on would have cost, with the thresholds in force marked.
#
# It decides every decision of the window again, so it is asked for with a switch. Keys: `scores_interruption` and
# `scores_failure` take what one costs, `scores_costs` is the switch, `scores_curve` the picture.


def load_costs(client: Client, address: ScoresAddress) -> tuple[Backtest, int | None]:
    """The replay, and the risk from which a person is asked now."""
    costs = {"interruption": address.interruption, "failure": address.failure}
    replayed, policies = both(
        lambda: client.backtest(window=address.window, agent_id=address.agent_id, costs=costs), client.get_policies
    )
    return replayed, in_force(policies.policies, address.agent_id)


def in_force(policies: Sequence[Policy], agent_id: str | None) -> int | None:
    """The lowest threshold of risk from which somebody is asked or stopped now; None without one. A policy for other
    agents does not count, nor one that only observes."""
    thresholds = [
        policy.rules.get("threshold")
        for policy in policies
        if policy.active
        and policy.policy_type == "risk_threshold"
        and policy.mode.value == "enforce"
        and policy.rules.get("action") in ("require_approval", "block")
        and (not policy.agent_ids or agent_id in policy.agent_ids)
    ]
    return min((int(each) for each in thresholds if isinstance(each, int | float)), default=None)


def costs_in_words(curve: CostCurve, now: int | None) -> str:
    """Where it costs least, how far that can be told, and where it stands now."""
    if curve.best is None or curve.best_low is None or curve.best_high is None:
        return "Not enough data: no action of this window is known to have failed, so nothing can be weighed."
    by = {point.threshold: point for point in curve.points}
    best = by[curve.best]
    said = (
        _unidentified(curve)
        or f"Asking from a risk of {curve.best} on costs least: {best.per_day:,.4g} a day ({best.per_day_low:,.4g} to "
        f"{best.per_day_high:,.4g}). In 95 % of resamples the best threshold lies between {curve.best_low} and "
        f"{curve.best_high}, over {words.several(curve.n, 'decision')} with {words.several(curve.failures, 'failure')}."
    )
    if now is None or now not in by:
        return f"{said} No policy asks by risk now."
    standing = by[now]
    return (
        f"{said} Policies ask from {now} on now: {standing.per_day:,.4g} a day ({standing.per_day_low:,.4g} to "
        f"{standing.per_day_high:,.4g})"
        f"{f', and up to {standing.per_day_most:,.4g} if what was stopped fails' if standing.unknown else ''}."
    )


def _unidentified(curve: CostCurve) -> str:
    """Empty where outcomes say which threshold is best."""
    if curve.identified:
        return ""
    return (
        f"Not identified: {words.several(curve.unknown, 'decision')} of {words.amount(curve.n)} ended without an "
        "outcome, because they were blocked, denied, expired or never tried. Whatever these would have come to, the "
        f"best threshold lies between {curve.possible_low} and {curve.possible_high}; which of them cannot be known "
        f"from this. Taking them all for good gives {curve.best}, over {words.several(curve.failures, 'failure')}."
    )


def draw_costs(session: Session, address: ScoresAddress) -> None:
    st.header("From which risk on should a person be asked?", anchor=False)
    st.caption("Say what one interruption and one missed failure cost, in one unit of your choice.")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _cost(address, "interruption", "An interruption")
        _cost(address, "failure", "A missed failure")
    wanted = st.toggle("Work out what each threshold would have cost", key="scores_costs")
    if not wanted:
        return
    question = (address.scope, address.interruption, address.failure)
    with st.spinner("Deciding every decision again", show_time=True):
        replayed, now = ask("scores_costs", lambda: load_costs(session.client, address), question)().answer
    curve = replayed.costs
    if curve is None:
        st.info("The service gave no costs for this window.")
        return
    said = costs_in_words(curve, now)
    st.markdown(said)
    if address.action_type:
        st.caption("The type is not counted here: every decision of the agent is.")
    if curve.best is None:
        return
    frame = curve_frame(curve)
    picture(
        cost_curve(frame, n=curve.n, chosen=now, simulated=replayed.simulated, height=340),
        f"Expected cost a day by threshold of risk, {in_words(address.window)}. {said}",
        frame,
        key="scores_curve",
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        draw_export("scores_costs", {"curve": frame}, address.window)
        to_page(PoliciesAddress, "Try a threshold in a policy", icon=":material/policy:")


def _cost(address: ScoresAddress, name: str, label: str) -> None:
    key = f"scores_{name}"
    st.session_state[key] = getattr(address, name)
    st.number_input(
        label,
        min_value=0.0,
        max_value=DEAREST,
        step=1.0,
        key=key,
        on_change=lambda: put(address, **{name: f"{st.session_state[key]:g}"}),
        width=WIDTH,
    )
