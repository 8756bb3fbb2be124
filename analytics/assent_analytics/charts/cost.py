"""What each threshold of risk would have cost, and where it would have cost least."""

from __future__ import annotations

from typing import Literal

import altair as alt
import polars as pl

from assent_analytics.charts.canvas import CLOSE, Chart, Width, counted, heading, never_happened, nothing, size
from assent_analytics.charts.palette import AMBER, BLUE, MUTED
from assent_analytics.frames import Frame

TITLE = "Cost by threshold"
Per = Literal["per_day", "per_1000"]
PER: dict[Per, str] = {"per_day": "a day", "per_1000": "per 1,000"}


def cost_curve(
    curve: Frame,
    *,
    n: int,
    what: str = "decisions",
    chosen: int | None = None,
    per: Per = "per_day",
    simulated: int = 0,
    width: Width = "container",
    height: int = 280,
) -> Chart:
    """`curve` is what `backtest.curve_frame` gives of a backtest of `n` decisions, or of `what` else
    was decided. A diamond marks where it costs
    least, a dashed line the `chosen` threshold."""
    frame = (
        curve.lazy()
        .select("threshold", "interruptions", "missed", "best", cost=per, low=f"{per}_low", high=f"{per}_high")
        .sort("threshold")
        .collect()
    )
    if frame.is_empty() or n == 0:
        return nothing(TITLE, width, height)
    x = alt.X(
        "threshold:Q",
        scale=alt.Scale(domain=[frame["threshold"].to_list()[0], frame["threshold"].to_list()[-1]], nice=False),
        title="ask from this risk on",
        axis=alt.Axis(tickCount=6, grid=False, **CLOSE),
    )
    ticks = "format(datum.value, '~s')"
    axis = alt.Axis(labelExpr=ticks, tickCount=5, gridOpacity=0.35, domain=False, ticks=False, **CLOSE)
    base = alt.Chart(frame).encode(x=x)
    band = base.mark_area(color=BLUE, opacity=0.18, line=False).encode(
        y=alt.Y("low:Q", title=f"expected cost {PER[per]}", axis=axis), y2="high:Q"
    )
    line = base.mark_line(color=BLUE, strokeWidth=2).encode(y="cost:Q")
    # Invisible, and wide enough to be hit.
    hits = base.mark_rule(strokeWidth=6, opacity=0).encode(tooltip=_tips())
    least = frame.filter("best").head(1)
    marks: list[alt.Chart] = [
        alt.Chart(least)
        .mark_point(shape="diamond", filled=True, size=110, color=AMBER, opacity=1)
        .encode(x=x, y="cost:Q", tooltip=_tips())
    ]
    said = [counted(n, what), "95% band", *(f"least at {_said(row)}" for row in least.iter_rows(named=True))]
    if chosen is not None:
        at = frame.filter(pl.col("threshold") == chosen)
        there = alt.Chart(at).encode(x=x)
        marks.append(there.mark_rule(color=AMBER, strokeDash=[4, 3], strokeWidth=1.5))
        marks.append(
            there.mark_text(y=-7, color=MUTED, fontSize=11, fontWeight="bold").encode(text=alt.value("chosen"))
        )
        said += [f"chosen {_said(row)}" for row in at.iter_rows(named=True) if not row["best"]]
    title = heading(TITLE, *said, *never_happened(n, simulated), offset=20)
    return size(alt.layer(band, line, hits, *marks), title, width, height)


def _tips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("threshold:Q"),
        *(
            alt.Tooltip(f"{name}:Q", title=title, format=",.4~g")
            for name, title in {"cost": "cost", "low": "95% from", "high": "to"}.items()
        ),
        alt.Tooltip("interruptions:Q", format=","),
        alt.Tooltip("missed:Q", title="failures missed", format=","),
    ]


def _said(row: dict[str, float]) -> str:
    return f"{row['threshold']:g}: {row['cost']:,.4g} ({row['low']:,.4g} to {row['high']:,.4g})"
