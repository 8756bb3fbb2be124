"""Two windows of one metric: what share of each is at most so large."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from assent_analytics.charts.canvas import CLOSE, Chart, Width, counted, heading, never_happened, nothing, size
from assent_analytics.charts.metrics import axis, named
from assent_analytics.charts.palette import BLUE, GREY
from assent_analytics.ecdf import BASELINE, RECENT
from assent_analytics.frames import Frame

LOOK = {BASELINE: (GREY, [5, 3]), RECENT: (BLUE, [1, 0])}
"""Colour and dash of each window."""


def ecdf_comparison(
    steps: Frame, *, metric: str, log: bool = False, width: Width = "container", height: int = 260
) -> Chart:
    """`steps` are those of `ecdf.ecdf`; `metric` is what was measured. On a log axis only values above zero can be
    shown."""
    title = f"{named(metric).capitalize()}: baseline and recent"
    frame = steps.lazy().collect()
    if frame.is_empty():
        return nothing(title, width, height)
    shown = frame.filter(pl.col("value") > 0) if log else frame
    legend = alt.Legend(
        orient="bottom",
        direction="horizontal",
        symbolType="stroke",
        symbolSize=400,
        symbolStrokeWidth=2,
        symbolOpacity=1,
        labelFontSize=12,
        padding=0,
        offset=10,
    )
    names = list(LOOK)
    colour = alt.Color(
        "window:N", scale=alt.Scale(domain=names, range=[look[0] for look in LOOK.values()]), legend=legend, title=""
    )
    dash = alt.StrokeDash(
        "window:N", scale=alt.Scale(domain=names, range=[look[1] for look in LOOK.values()]), legend=legend, title=""
    )
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(zero=False, nice=False)
    x = alt.X(
        "value:Q",
        scale=scale,
        title=f"{named(metric)} (log scale)" if log else named(metric),
        axis=alt.Axis(**axis(metric, log=log)),
    )
    percent = alt.Axis(format=".0%", tickCount=5, gridOpacity=0.35, domain=False, ticks=False, **CLOSE)
    shares: dict[str, Any] = {
        "scale": alt.Scale(domain=[0, 1], nice=False),
        "title": "share at most so large",
        "axis": percent,
    }
    base = alt.Chart(shown).encode(x=x, color=colour)
    bands = base.mark_area(interpolate="step-after", opacity=0.16, line=False).encode(
        y=alt.Y("low:Q", **shares), y2="high:Q"
    )
    lines = base.mark_line(interpolate="step-after", strokeWidth=2).encode(
        y=alt.Y("share:Q", **shares),
        strokeDash=dash,
        tooltip=[
            "window:N",
            alt.Tooltip("value:Q", title=named(metric), format=".4~g"),
            alt.Tooltip("share:Q", format=".1%"),
            alt.Tooltip("low:Q", title="95% from", format=".1%"),
            alt.Tooltip("high:Q", title="to", format=".1%"),
            alt.Tooltip("n:Q", format=","),
        ],
    )
    return size(alt.layer(bands, lines), _heading(title, frame), width, height)


def _heading(title: str, frame: pl.DataFrame) -> alt.TitleParams:
    each = frame.group_by("window").agg(pl.col("n", "simulated").first())
    of = {row["window"]: (int(row["n"]), int(row["simulated"])) for row in each.iter_rows(named=True)}
    (before, made_before), (after, made_after) = of.get(BASELINE, (0, 0)), of.get(RECENT, (0, 0))
    n = before + after
    said = [counted(n, "values"), f"{before:,} baseline, {after:,} recent", "95% bands"]
    return heading(title, *said, *never_happened(n, made_before + made_after))
