"""Whether stated confidence and risk came true, and what each threshold of risk would have cost.

Keys: `scores_confidence` and `scores_risk_score` are the pictures; those of `costs` and `suggestions`.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import polars as pl
import streamlit as st

from assent import Client
from assent.contract.calibration import CalibrationReport, PredictionQuality, ReliabilityBin
from assent_analytics.charts import reliability_diagram
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.empty import empty
from assent_dashboard.views.picture import picture
from assent_dashboard.views.scope import Scope
from assent_dashboard.views.scores import words as said
from assent_dashboard.views.scores.asked import Asked
from assent_dashboard.views.scores.costs import draw_costs
from assent_dashboard.views.scores.suggestions import begin_suggestions, draw_suggestions

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
    whole = ("n", "simulated")
    schema = {name: pl.Int64 if name in whole else pl.Float64 for name in ReliabilityBin.__struct_fields__}
    rows = [msgspec.structs.astuple(each) for each in quality.bins]
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(of=pl.lit(quality.of.value))


def draw(session: Session, scope: Scope, asked: Asked, report: CalibrationReport) -> None:
    suggestions = begin_suggestions(session, scope)
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
    draw_costs(session, scope, asked)
    draw_suggestions(session, suggestions)


def _quality(quality: PredictionQuality) -> None:
    title, meaning = TITLES[quality.of.value]
    st.header(title, anchor=False)
    st.caption(meaning)
    summary = said.quality(quality)
    st.markdown(summary)
    if quality.bins:
        frame = bins_frame(quality)
        picture(
            reliability_diagram(frame, height=360),
            f"{title} {summary} {_worst(quality.bins)}",
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
