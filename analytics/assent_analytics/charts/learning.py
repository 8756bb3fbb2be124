"""How episodes change as an agent does more of them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import altair as alt
import polars as pl

from assent_analytics.charts.canvas import CLOSE, NARROW, Chart, Width, counted, heading, never_happened, nothing, size
from assent_analytics.charts.metrics import axis
from assent_analytics.charts.palette import AMBER, BLUE, GREEN, GREY, RED, VIOLET
from assent_analytics.frames import Frame

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
