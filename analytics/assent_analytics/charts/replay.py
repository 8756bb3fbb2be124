"""One action's life: bars for what took time, marks for what was recorded."""

from __future__ import annotations

from datetime import datetime

import altair as alt
import polars as pl

from assent_analytics.charts.approvals import in_words
from assent_analytics.charts.canvas import CLOSE, Chart, Width, counted, heading, moments, nothing, size
from assent_analytics.charts.palette import TIMELINE
from assent_analytics.frames import Frame
from assent_analytics.replay import LANES

TITLE = "What happened"
BARS = ("waiting", "running")


def replay_gantt(timeline: Frame, *, simulated: bool = False, width: Width = "container", height: int = 200) -> Chart:
    """`timeline` is what `replay.timeline` gives."""
    entries = timeline.lazy().collect().with_columns(pl.col("lane").cast(pl.String))
    if entries.is_empty():
        return nothing(TITLE, width, height)
    kinds = entries["kind"].unique(maintain_order=True).to_list()
    scale = alt.Scale(domain=kinds, range=[TIMELINE[each] for each in kinds])
    kind, outline = alt.Color("kind:N", scale=scale, legend=None), alt.Stroke("kind:N", scale=scale, legend=None)
    shown = [lane for lane in LANES if lane in set(entries["lane"])]
    moment = [*entries["start"].to_list(), *entries["end"].drop_nulls().to_list()]
    axis = alt.Axis(ticks=False, domain=False, labelOverlap=False, grid=True, gridOpacity=0.35, **CLOSE)
    y = alt.Y("lane:N", sort=shown, scale=alt.Scale(domain=shown), title=None, axis=axis)
    x = alt.X(
        "start:T",
        scale=alt.Scale(type="utc", nice=False, padding=14),
        title="time (UTC)",
        axis=moments(min(moment), max(moment)),
    )
    tips = [
        alt.Tooltip("text:N", title="what"),
        alt.Tooltip("utcyearmonthdatehoursminutesseconds(start):T", title="at"),
    ]
    bars = (
        alt.Chart(entries.filter(pl.col("kind").is_in(BARS)))
        # The outline keeps a moment's work visible beside a day's wait.
        .mark_bar(height={"band": 0.5}, cornerRadius=3, opacity=0.6, strokeWidth=2)
        .encode(x=x, x2="end:T", y=y, color=kind, stroke=outline, tooltip=tips)
    )
    marks = (
        alt.Chart(entries.filter(~pl.col("kind").is_in(BARS)))
        .mark_point(shape="diamond", filled=True, size=110, opacity=1)
        .encode(x=x, y=y, color=kind, tooltip=tips)
    )
    return size(alt.layer(bars, marks), _heading(entries, moment, simulated), width, height)


def _heading(entries: pl.DataFrame, moment: list[datetime], simulated: bool) -> alt.TitleParams:
    said = [counted(entries.height, "entries"), f"over {in_words((max(moment) - min(moment)).total_seconds())}"]
    if entries["open"].any():
        said.append("still open")
    if simulated:
        said.append("simulated")
    return heading(TITLE, *said)
