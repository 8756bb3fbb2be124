"""Charts of learning: how episodes change with experience, estimates side by side with their intervals, and whether
stated confidence or risk came true."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import altair as alt
import polars as pl

from assent_analytics.charts.canvas import CLOSE, NARROW, Chart, Width, counted, heading, never_happened, nothing, size
from assent_analytics.charts.metrics import axis
from assent_analytics.charts.palette import AMBER, BLUE, FAINT, GREEN, GREY, MUTED, RED, VIOLET
from assent_analytics.frames import Frame, columns

Measure = Literal["success_rate", "avg_score", "avg_duration_ms", "avg_cost"]


class _Measure(NamedTuple):
    title: str
    words: str
    n: str
    band: str
    axis: dict[str, Any]


_PERCENT = {"format": ".0%", "tickCount": 5, **CLOSE}
MEASURES: dict[Measure, _Measure] = {
    "success_rate": _Measure("Success by experience", "share that succeeded", "n", "success", _PERCENT),
    "avg_score": _Measure("Score by experience", "mean score", "n", "score", {"tickCount": 5, **CLOSE}),
    "avg_duration_ms": _Measure("Time by experience", "mean duration", "duration_n", "duration", axis("duration_ms")),
    "avg_cost": _Measure("Cost by experience", "mean cost", "cost_n", "cost", axis("cost_estimate")),
}
LOOK: tuple[tuple[str, str, list[int]], ...] = (
    (BLUE, "circle", [1, 0]),
    (AMBER, "square", [6, 3]),
    (GREEN, "triangle-up", [2, 2]),
    (RED, "diamond", [8, 3, 2, 3]),
    (VIOLET, "cross", [4, 2]),
    (GREY, "triangle-down", [1, 3]),
)
"""Colour, shape and dash of each series in turn."""


def learning_curve(
    steps: Frame, *, measure: Measure = "success_rate", width: Width = "container", height: int = 280
) -> Chart:
    """`steps` are those of `curves.by_exposure`: a series for each agent and action type, those with most episodes
    where there are more than six. A point stands in the middle of its step on a log axis, with a 95% band; where a
    step has too few episodes it is hollow, and no line leads there."""
    look = MEASURES[measure]
    frame = (
        steps.lazy()
        .select(
            *("agent_id", "action_type", "exposure_from", "exposure_to", "status", "simulated"),
            value=measure,
            low=f"{look.band}_low",
            high=f"{look.band}_high",
            n=look.n,
        )
        .filter((pl.col("n") > 0) & pl.col("value").is_not_null())
        .collect()
    )
    if frame.is_empty():
        return nothing(look.title, width, height)
    shown, names, left_out = _leading(frame)
    several = len(names) > 1
    x = alt.X(
        "exposure:Q",
        scale=alt.Scale(type="log", nice=False, padding=10),
        title="episodes so far (log scale)",
        axis=alt.Axis(
            values=[2**power * 5 for power in range(20)], format="~s", grid=False, labelOverlap=True, **CLOSE
        ),
    )
    how: dict[str, Any] = {
        "scale": alt.Scale(zero=False, nice=True),
        "title": look.words,
        "axis": alt.Axis(**{**look.axis, "grid": True, "gridOpacity": 0.35, "domain": False, "ticks": False}),
    }
    legend = _legend() if several else None
    colour = alt.Color("series:N", scale=_scale(names, 0), legend=legend, title="")
    shape = alt.Shape("series:N", scale=_scale(names, 1), legend=legend, title="")
    # Dashes around the symbols of the legend, which both share, would only blur them.
    dash = alt.StrokeDash("series:N", scale=_scale(names, 2), legend=None)
    base = alt.Chart(shown).encode(x=x, color=colour)
    sure, unsure = base.transform_filter("datum.status === 'ok'"), base.transform_filter("datum.status !== 'ok'")
    layers = [
        sure.mark_area(opacity=0.1 if several else 0.18, line=False).encode(y=alt.Y("low:Q", **how), y2="high:Q"),
        sure.mark_line(strokeWidth=2).encode(y=alt.Y("value:Q", **how), strokeDash=dash),
        sure.mark_point(filled=True, size=55, opacity=1).encode(
            y=alt.Y("value:Q", **how), shape=shape, tooltip=_tips()
        ),
        unsure.mark_point(filled=False, size=55, opacity=1).encode(
            y=alt.Y("value:Q", **how), shape=shape, tooltip=_tips()
        ),
    ]
    n, simulated = int(shown["n"].sum()), int(shown["simulated"].sum())
    said = [counted(n, "episodes"), *([] if several else names), "95% bands", *never_happened(n, simulated)]
    if left_out:
        said.append(f"{left_out:,} with fewer not shown")
    return size(alt.layer(*layers), heading(look.title, *said), width, height)


def _leading(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str], int]:
    """The steps of the series that are shown, the names of these, and how many are not. Agent and type are only named
    where there is more than one."""
    keys = [name for name in ("agent_id", "action_type") if frame[name].n_unique() > 1] or ["agent_id", "action_type"]
    named = frame.with_columns(
        series=pl.concat_str(keys, separator=" · "),
        exposure=(pl.col("exposure_from") * pl.col("exposure_to")).sqrt(),
    )
    order = named.group_by("series").agg(pl.col("n").sum()).sort("n", "series", descending=[True, False])
    names = [str(name) for name in order["series"].head(len(LOOK))]
    shown = named.filter(pl.col("series").is_in(names)).sort("series", "exposure_from")
    return shown, names, order.height - len(names)


def _scale(names: list[str], at: int) -> alt.Scale:
    """The fixed assignment of colours, shapes or dashes."""
    return alt.Scale(domain=names, range=[look[at] for look in LOOK[: len(names)]])


def _legend() -> alt.Legend:
    return alt.Legend(
        orient="bottom",
        direction="horizontal",
        columns=alt.ExprRef(f"width < {NARROW} ? 1 : 3"),
        symbolSize=90,
        symbolOpacity=1,
        symbolStrokeWidth=0,
        labelFontSize=12,
        labelLimit=alt.ExprRef(f"width < {NARROW} ? width - 32 : width / 3 - 32"),
        columnPadding=16,
        rowPadding=4,
        padding=0,
        offset=10,
    )


def _tips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("agent_id:N", title="agent"),
        alt.Tooltip("action_type:N", title="type"),
        alt.Tooltip("exposure_from:Q", title="episodes from", format=","),
        alt.Tooltip("exposure_to:Q", title="to", format=","),
        alt.Tooltip("value:Q", format=".3~g"),
        alt.Tooltip("low:Q", title="95% from", format=".3~g"),
        alt.Tooltip("high:Q", title="to", format=".3~g"),
        alt.Tooltip("n:Q", title="episodes", format=","),
    ]


# Estimates side by side, each with what it leaves open.


FEW = 20
"""An estimate from fewer is hollow: the next few may move it."""
MOST = 40
ROW, ROOM_AROUND = 24, 100


def estimates(
    rows: Frame,
    *,
    title: str,
    axis: str,
    n: int,
    what: str,
    form: str = ".0%",
    reference: float | None = None,
    intervals: str = "95% intervals",
    simulated: int = 0,
    width: Width = "container",
    height: int | None = None,
) -> Chart:
    """`rows` have `name`, `value`, `low` and `high` (a 95% interval), and may have `n`; they keep their order, the
    first MOST of them. They stand on `n` of `what`. `axis` says what is estimated, `form` how a number is written (as
    d3 does), a dashed line stands at the `reference`, and `intervals` says which they are."""
    frame = rows.lazy().filter(pl.col("value").is_finite()).collect()
    if frame.is_empty() or n == 0:
        return nothing(title, width, height or ROOM_AROUND)
    few = pl.col("n") < FEW if "n" in columns(frame) else pl.lit(False)
    shown = frame.head(MOST).with_columns(pl.col("name").cast(pl.String), few=few)
    tips = [
        alt.Tooltip("name:N"),
        *(alt.Tooltip(f"{name}:Q", format=form.replace("0", "1")) for name in ("value", "low", "high")),
        *([alt.Tooltip("n:Q", format=",")] if "n" in columns(frame) else []),
    ]
    words = alt.Axis(ticks=False, domain=False, labelOverlap=False, labelLimit=220, grid=True, gridOpacity=0.2, **CLOSE)
    base = alt.Chart(shown).encode(y=alt.Y("name:N", sort=shown["name"].to_list(), title=None, axis=words))
    x: dict[str, Any] = {
        "title": axis,
        "scale": alt.Scale(zero=False, nice=True),
        "axis": alt.Axis(format=form, tickCount=6, gridOpacity=0.35, labelOverlap=True, **CLOSE),
    }
    layers: list[alt.Chart] = [
        base.mark_rule(strokeWidth=3, opacity=0.45, color=BLUE).encode(x=alt.X("low:Q", **x), x2="high:Q"),
        base.transform_filter("!datum.few")
        .mark_point(filled=True, size=70, opacity=1, color=BLUE)
        .encode(x=alt.X("value:Q", **x), tooltip=tips),
        base.transform_filter("datum.few")
        .mark_point(filled=False, size=60, opacity=1, color=BLUE)
        .encode(x=alt.X("value:Q", **x), tooltip=tips),
    ]
    if reference is not None:
        line = alt.Chart(pl.DataFrame({"reference": [float(reference)]}))
        layers.insert(0, line.mark_rule(color=MUTED, strokeDash=[4, 3], strokeWidth=1.5).encode(x="reference:Q"))
    said = [counted(n, what), intervals, *never_happened(n, simulated)]
    if shown["few"].any():
        said.append(f"hollow: below {FEW}")
    if frame.height > MOST:
        said.append(f"first {MOST} of {frame.height:,}")
    return size(alt.layer(*layers), heading(title, *said), width, height or ROOM_AROUND + ROW * shown.height)


# Whether what was said before came true: stated against observed, bin by bin.


WORDS = {
    "confidence": ("Is confidence earned?", "stated confidence", "share that succeeded"),
    "risk_score": ("Does risk tell failures apart?", "risk score / 100", "share that failed"),
}
"""Title and the titles of both axes, by what is judged."""


def reliability_diagram(bins: Frame, *, width: Width = "container", height: int = 320) -> Chart:
    """`bins` are those of `calibration.reliability`, of one predictor. A point on the dashed line was right; below it
    less came true than was said. Bars are 95% intervals, and the height of the grey ones at the foot says how many.
    Where bins have `stopped`, `cancelled`, `least` and `most` (those of `calibration.bounds`), a pale bar reaches over
    all shares that the outcomes of these could make."""
    frame = bins.lazy().filter(pl.col("n") > 0).collect()
    if frame.is_empty():
        return nothing("Stated and observed", width, height)
    title, stated, observed = WORDS[str(frame["of"].to_list()[0])]
    scale = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X(
        "mean_predicted:Q",
        scale=scale,
        title=stated,
        axis=alt.Axis(format=".0%", tickCount=5, grid=False, labelFlush=True, **CLOSE),
    )
    axis = alt.Axis(format=".0%", tickCount=5, gridOpacity=0.35, domain=False, ticks=False, **CLOSE)
    ideal = alt.Chart(pl.DataFrame({"from": [0.0, 1.0]})).mark_line(strokeDash=[4, 3], strokeWidth=1.5, color=MUTED)
    counts = (
        alt.Chart(frame.with_columns(foot=0.16 * pl.col("n") / pl.col("n").max()))
        .mark_rect(color=FAINT)
        .encode(
            x=alt.X("low:Q", scale=scale, title=stated), x2="high:Q", y=alt.Y("foot:Q", title=observed), y2=alt.datum(0)
        )
    )
    base = alt.Chart(frame).encode(x=x)
    intervals = base.mark_rule(strokeWidth=3, opacity=0.45, color=BLUE).encode(
        y=alt.Y("observed_low:Q", scale=scale, title=observed, axis=axis), y2="observed_high:Q"
    )
    joined = base.mark_line(strokeWidth=1, opacity=0.6, color=BLUE).encode(y="observed:Q")
    points = base.mark_point(filled=True, size=60, opacity=1, color=BLUE).encode(
        y=alt.Y("observed:Q", scale=scale, title=observed, axis=axis),
        tooltip=[
            alt.Tooltip("mean_predicted:Q", title="stated", format=".1%"),
            alt.Tooltip("observed:Q", format=".1%"),
            alt.Tooltip("observed_low:Q", title="95% from", format=".1%"),
            alt.Tooltip("observed_high:Q", title="to", format=".1%"),
            alt.Tooltip("n:Q", title="actions", format=","),
        ],
    )
    layers = [counts, ideal.encode(x="from:Q", y="from:Q"), joined, intervals, points]
    untold = [name for name in ("stopped", "cancelled") if name in frame.columns]
    numbers = [(int(frame[name].sum()), name) for name in untold]
    without = " and ".join(f"{number:,} {name}" for number, name in numbers if number)
    if without:
        band = alt.Chart(frame.filter(pl.sum_horizontal(untold) > 0)).mark_rule(strokeWidth=9, opacity=0.3, color=AMBER)
        layers.insert(2, band.encode(x=x, y=alt.Y("least:Q", scale=scale, title=observed), y2="most:Q"))
    n, simulated = int(frame["n"].sum()), int(frame["simulated"].sum())
    said = (counted(n, "ended actions"), *never_happened(n, simulated), "dashed: as stated")
    if without:
        said = (*said, f"pale: with {without}")
    return size(alt.layer(*layers), heading(title, *said), width, height)
