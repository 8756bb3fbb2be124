"""Estimates side by side, each with what it leaves open."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from assent_analytics.charts.canvas import CLOSE, Chart, Width, counted, heading, never_happened, nothing, size
from assent_analytics.charts.palette import BLUE, MUTED
from assent_analytics.frames import Frame, columns

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
