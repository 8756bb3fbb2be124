"""One action's life: bars for what took time, marks for what was recorded.

A tree head is signed every few minutes, which would press a life of a second into a line. Where it came later than the
life was long, its mark stands at the right edge as a triangle that points beyond it, and says how much later.
"""

from __future__ import annotations

from datetime import datetime

import altair as alt
import polars as pl

from assent_analytics.charts.approvals import in_words
from assent_analytics.charts.canvas import CLOSE, Chart, Width, counted, heading, moments, nothing, size
from assent_analytics.charts.palette import MUTED, TIMELINE
from assent_analytics.frames import Frame
from assent_analytics.replay import LANES

TITLE = "What happened"
BARS = ("waiting", "running")


def replay_gantt(timeline: Frame, *, simulated: bool = False, width: Width = "container", height: int = 200) -> Chart:
    """`timeline` is what `replay.timeline` gives."""
    told = timeline.lazy().collect().with_columns(pl.col("lane").cast(pl.String))
    if told.is_empty():
        return nothing(TITLE, width, height)
    entries, later = _near(told)
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
        alt.Tooltip("utcyearmonthdatehoursminutesseconds(at):T", title="at"),
    ]
    bars = (
        alt.Chart(entries.filter(pl.col("kind").is_in(BARS)))
        # The outline keeps a moment's work visible beside a day's wait.
        .mark_bar(height={"band": 0.5}, cornerRadius=3, opacity=0.6, strokeWidth=2)
        .encode(x=x, x2="end:T", y=y, color=kind, stroke=outline, tooltip=tips)
    )
    is_mark = ~pl.col("kind").is_in(BARS)
    marks = (
        alt.Chart(entries.filter(is_mark & ~pl.col("beyond")))
        .mark_point(shape="diamond", filled=True, size=110, opacity=1)
        .encode(x=x, y=y, color=kind, tooltip=tips)
    )
    layers: list[alt.Chart] = [bars, marks]
    if later is not None:
        edge = alt.Chart(entries.filter(is_mark & pl.col("beyond"))).encode(x=x, y=y, color=kind, tooltip=tips)
        layers.append(edge.mark_point(shape="triangle-right", filled=True, size=130, opacity=1))
        layers.append(edge.mark_text(text=later, align="right", dx=-12, color=MUTED).encode(color=alt.value(MUTED)))
    return size(alt.layer(*layers), _heading(entries, moment, simulated), width, height)


def _near(told: pl.DataFrame) -> tuple[pl.DataFrame, str | None]:
    """The entries with `beyond`, whether the mark stands at the edge, and `at`, when it was; and how much later."""
    told = told.with_columns(at=pl.col("start"))
    life = told.filter(pl.col("lane") != "proof")
    moments = [*life["start"].to_list(), *life["end"].drop_nulls().to_list()]
    proven = told.filter(pl.col("lane") == "proof")["start"].to_list()
    if not moments or not proven:
        return told.with_columns(beyond=pl.lit(False)), None
    begin, end = min(moments), max(moments)
    if proven[0] - end <= end - begin:
        return told.with_columns(beyond=pl.lit(False)), None
    later = f"{in_words((proven[0] - end).total_seconds())} later"
    is_proof = pl.col("lane") == "proof"
    start = pl.when(is_proof).then(pl.lit(end).cast(told.schema["start"])).otherwise(pl.col("start"))
    text = pl.when(is_proof).then(pl.format("{}, {}", "text", pl.lit(later))).otherwise(pl.col("text"))
    return told.with_columns(start=start, text=text, beyond=is_proof), later


def _heading(entries: pl.DataFrame, moment: list[datetime], simulated: bool) -> alt.TitleParams:
    said = [counted(entries.height, "entries"), f"over {in_words((max(moment) - min(moment)).total_seconds())}"]
    if entries["open"].any():
        said.append("still open")
    if simulated:
        said.append("simulated")
    return heading(TITLE, *said)
