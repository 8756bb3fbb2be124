"""Approvals: how long people took, and how many waited."""

from __future__ import annotations

from typing import Literal

import altair as alt
import polars as pl

from assent.contract.approvals import ApprovalState
from assent_analytics.charts.canvas import (
    CLOSE,
    Chart,
    Width,
    colours,
    counted,
    counting,
    heading,
    moments,
    never_happened,
    nothing,
    size,
)
from assent_analytics.charts.palette import AMBER, APPROVALS, BLUE, MUTED
from assent_analytics.frames import Frame, has

LATENCY = "Time to decide"
BACKLOG = "Approvals waiting"
A_DECADE = 6
"""Bars for each power of ten seconds."""
SHORTEST = 0.1
"""Seconds; whatever was quicker stands here, for a log axis has no zero."""
TICKS = [0.1, 1, 10, 60, 300, 1800, 7200, 28800, 86400, 259200, 604800]
IN_WORDS = (
    "datum.value < 60 ? format(datum.value, '~g') + ' s' : datum.value < 3600 ? format(datum.value / 60, '~g') + ' min'"
    " : datum.value < 86400 ? format(datum.value / 3600, '~g') + ' h' : format(datum.value / 86400, '~g') + ' d'"
)
SIDES: dict[str, Literal["left", "right"]] = {"p50": "right", "p95": "left"}
DECIDED = {state.value: APPROVALS[state.value] for state in (ApprovalState.APPROVED, ApprovalState.DENIED)}


def approval_latency(times: Frame, *, width: Width = "container", height: int = 240) -> Chart:
    """`times` are those of `approvals.times_to_decide`. Bars count approvals decided within equal ratios of time."""
    decided = times.lazy().filter(pl.col("seconds").is_not_null()).collect()
    if decided.is_empty():
        return nothing(LATENCY, width, height)
    bars = _bars(decided)
    domain = [float(bars["low"].to_list()[0]), float(bars["high"].to_list()[-1])]
    columns = (
        alt.Chart(bars)
        .mark_rect(stroke=None)
        .encode(
            x=alt.X(
                "low:Q",
                scale=alt.Scale(type="log", domain=domain, nice=False),
                title="time (log scale)",
                axis=alt.Axis(values=TICKS, labelExpr=IN_WORDS, grid=False, labelOverlap=True, **CLOSE),
            ),
            x2="high:Q",
            y=alt.Y("bottom:Q", **counting("approvals")),
            y2="top:Q",
            color=alt.Color("state:N", **colours(DECIDED)),
            tooltip=[
                "state:N",
                "approvals:Q",
                alt.Tooltip("low:Q", title="from (s)", format=".3~g"),
                alt.Tooltip("high:Q", title="to (s)", format=".3~g"),
            ],
        )
    )
    quantiles = [
        (name, float(decided["seconds"].quantile(q, "linear") or 0.0)) for name, q in (("p50", 0.5), ("p95", 0.95))
    ]
    shown = [(name, max(SHORTEST, seconds)) for name, seconds in quantiles]
    base = alt.Chart(pl.DataFrame(shown, schema=["name", "seconds"], orient="row")).encode(x="seconds:Q")
    rules = base.mark_rule(strokeDash=[4, 3], strokeWidth=1.5, color=AMBER)
    # Away from each other, for they may stand at the same place.
    names = [
        base.transform_filter(f"datum.name == '{name}'")
        .mark_text(y=-6, align=side, color=MUTED, fontWeight="bold", fontSize=11)
        .encode(text="name:N")
        for name, side in SIDES.items()
    ]
    simulated = int(decided["simulated"].sum()) if has(decided, "simulated") else 0
    said = [counted(decided.height, "decided"), *(f"{name} {in_words(seconds)}" for name, seconds in quantiles)]
    title = heading(LATENCY, *said, *never_happened(decided.height, simulated), offset=20)
    return size(alt.layer(columns, rules, *names), title, width, height)


def approval_backlog(
    waiting: Frame, *, asked: int, simulated: int = 0, width: Width = "container", height: int = 200
) -> Chart:
    """`waiting` is what `approvals.backlog` gives; `asked` is how many approvals it stands on."""
    steps = waiting.lazy().collect()
    if steps.is_empty() or asked == 0:
        return nothing(BACKLOG, width, height)
    moment, most = steps["at"].to_list(), max(steps["waiting"].to_list())
    chart = (
        alt.Chart(steps)
        .mark_area(interpolate="step-after", color=BLUE, opacity=0.35, line={"color": BLUE, "strokeWidth": 1.5})
        .encode(
            x=alt.X("at:T", scale=alt.Scale(type="utc"), title="time (UTC)", axis=moments(moment[0], moment[-1])),
            y=alt.Y("waiting:Q", **counting("approvals waiting")),
            tooltip=[alt.Tooltip("utcyearmonthdatehoursminutes(at):T", title="at"), "waiting:Q"],
        )
    )
    said = (counted(asked, "asked"), f"most at once {most:,}", *never_happened(asked, simulated))
    return size(chart, heading(BACKLOG, *said), width, height)


def in_words(seconds: float) -> str:
    """`95` as `1.58 min`."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} s"


def _bars(decided: pl.DataFrame) -> pl.DataFrame:
    """Approvals by time, in steps of equal ratio, stacked by state."""
    step = (pl.col("seconds").clip(lower_bound=SHORTEST).log(10) * A_DECADE).floor().cast(pl.Int64)
    top = pl.col("approvals").cum_sum().over("step")
    return (
        decided.group_by(step=step, state=pl.col("state").cast(pl.String))
        .agg(approvals=pl.len().cast(pl.Int64))
        .sort("step", "state")
        .with_columns(
            low=pl.lit(10.0) ** (pl.col("step") / A_DECADE),
            high=pl.lit(10.0) ** ((pl.col("step") + 1) / A_DECADE),
            bottom=top - pl.col("approvals"),
            top=top,
        )
    )
