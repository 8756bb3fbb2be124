"""The decision mix: what guard decided, day by day."""

from __future__ import annotations

from datetime import date, timedelta
from math import ceil

import altair as alt
import polars as pl

from assent.contract.guard import Decision
from assent_analytics.charts.canvas import (
    CLOSE,
    Chart,
    Width,
    colours,
    counted,
    counting,
    heading,
    never_happened,
    nothing,
    size,
)
from assent_analytics.charts.palette import DECISIONS
from assent_analytics.frames import Frame

TITLE = "How guard decided"
LABELS = 6
"""At most so many days are named."""


def decision_mix(days: Frame, *, simulated: int = 0, width: Width = "container", height: int = 280) -> Chart:
    """`days` are those of `decisions.mix_by_day`, or the member `days` of the decision mix as a frame."""
    verdicts = [decision.value for decision in Decision]
    wide = days.lazy().collect()
    n = int(wide.select(pl.sum_horizontal(pl.col(verdicts).sum())).item() or 0) if wide.height else 0
    if n == 0:
        return nothing(TITLE, width, height)
    rank = {verdict: at for at, verdict in enumerate(verdicts)}
    long = wide.unpivot(verdicts, index="day", variable_name="decision", value_name="decisions").with_columns(
        pl.col("day").cast(pl.String), rank=pl.col("decision").replace_strict(rank, return_dtype=pl.Int64)
    )
    chart = (
        alt.Chart(long)
        .mark_bar(cornerRadiusEnd=1)
        .encode(
            x=by_day(wide["day"].to_list()),
            y=alt.Y("decisions:Q", **counting("decisions a day")),
            color=alt.Color("decision:N", **colours(DECISIONS)),
            order=alt.Order("rank:Q"),
            tooltip=[
                "day:N",
                "decision:N",
                alt.Tooltip("decisions:Q", format=","),
            ],
        )
    )
    title = heading(TITLE, counted(n, "decisions"), *never_happened(n, simulated))
    return size(chart, title, width, height)


def by_day(days: list[date]) -> alt.X:
    """A place for every day from the first to the last; labels on every one or on every so many. A day is its name and
    not a moment, which another time zone would move to the day before."""
    first, span = min(days), (max(days) - min(days)).days + 1
    every = [(first + timedelta(days=after)).isoformat() for after in range(span)]
    axis = alt.Axis(
        values=every[:: ceil(span / LABELS)],
        labelExpr="utcFormat(utcParse(datum.value, '%Y-%m-%d'), '%b %-d')",
        labelAngle=0,
        labelFlush=False,
        labelOverlap=True,
        grid=False,
        ticks=False,
        **CLOSE,
    )
    scale = alt.Scale(domain=every, paddingInner=0.12, paddingOuter=0.06)
    return alt.X("day:O", title="day (UTC)", scale=scale, axis=axis)
