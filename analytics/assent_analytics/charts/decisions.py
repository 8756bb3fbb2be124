"""The decision mix: what guard decided, day by day."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from math import ceil

import altair as alt
import polars as pl

from assent.contract.guard import Decision
from assent_analytics.charts.canvas import (
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
LABELS = 7
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
        rank=pl.col("decision").replace_strict(rank, return_dtype=pl.Int64)
    )
    chart = (
        alt.Chart(long)
        .mark_bar(cornerRadiusEnd=1)
        .encode(
            x=alt.X(
                "utcyearmonthdate(day):T",
                title="day (UTC)",
                axis=_days(wide["day"].to_list()),
            ),
            y=alt.Y("decisions:Q", **counting("decisions a day")),
            color=alt.Color("decision:N", **colours(DECISIONS, None, width)),
            order=alt.Order("rank:Q"),
            tooltip=[
                alt.Tooltip("utcyearmonthdate(day):T", title="day", format="%Y-%m-%d"),
                "decision:N",
                alt.Tooltip("decisions:Q", format=","),
            ],
        )
    )
    title = heading(TITLE, counted(n, "decisions"), *never_happened(n, simulated))
    return size(chart, title, width, height)


def _days(days: list[date]) -> alt.Axis:
    """Labels in the middle of their bars, on every day or on every so many."""
    first, span = min(days), (max(days) - min(days)).days + 1
    noon = datetime.combine(first, time(12), UTC)
    shown = range(0, span, ceil(span / LABELS))
    values = [1000 * (noon + timedelta(days=after)).timestamp() for after in shown]
    return alt.Axis(
        values=values, format="%b %-d", labelOverlap=True, labelFlush=False, labelPadding=6, grid=False, ticks=False
    )
