"""What the scan for prompt injections found, by day and by category."""

from __future__ import annotations

import altair as alt
import polars as pl

from assent.contract.injection import ScanRecommendation
from assent_analytics.charts.canvas import CLOSE, Chart, Width, colours, counted, counting, heading, nothing, size
from assent_analytics.charts.decisions import by_day
from assent_analytics.charts.palette import AMBER, GREY, RED, SPOKEN
from assent_analytics.frames import Frame

RECOMMENDATIONS: dict[str, str] = {
    ScanRecommendation.BLOCK.value: RED,
    ScanRecommendation.WARN.value: AMBER,
    ScanRecommendation.ALLOW.value: GREY,
}
BY_DAY, BY_CATEGORY = "Texts with findings", "What was found"
ROW, ROOM_AROUND = 26, 110


def injection_days(days: Frame, *, width: Width = "container", height: int = 260) -> Chart:
    """`days` have `day` (a date, UTC), and `block`, `warn` and `allow`: how many texts of that day."""
    wide = days.lazy().collect()
    names = list(RECOMMENDATIONS)
    n = int(wide.select(pl.sum_horizontal(pl.col(names).sum())).item() or 0) if wide.height else 0
    if not n:
        return nothing(BY_DAY, width, height)
    long = wide.unpivot(names, index="day", variable_name="recommendation", value_name="texts").with_columns(
        pl.col("day").cast(pl.String),
        rank=pl.col("recommendation").replace_strict(dict(zip(names, range(3), strict=True)), return_dtype=pl.Int64),
    )
    chart = (
        alt.Chart(long)
        .mark_bar(cornerRadiusEnd=1)
        .encode(
            x=by_day(wide["day"].to_list()),
            y=alt.Y("texts:Q", **counting("texts a day")),
            color=alt.Color("recommendation:N", **colours(RECOMMENDATIONS)),
            order=alt.Order("rank:Q"),
            tooltip=["day:N", "recommendation:N", alt.Tooltip("texts:Q", format=",")],
        )
    )
    return size(chart, heading(BY_DAY, counted(n, "texts")), width, height)


def injection_categories(counts: Frame, *, width: Width = "container", height: int | None = None) -> Chart:
    """`counts` have `category`, `recommendation` and `texts`; a text counts in each of its categories. Without
    `height`, as many pixels as the rows need."""
    rows = counts.lazy().collect()
    n = int(rows["texts"].sum()) if rows.height else 0
    if not n:
        return nothing(BY_CATEGORY, width, height or 260)
    order = (
        rows.group_by("category").agg(pl.col("texts").sum()).sort(["texts", "category"], descending=[True, False])
    )["category"].to_list()
    names = list(RECOMMENDATIONS)
    ranked = rows.with_columns(
        rank=pl.col("recommendation").replace_strict(dict(zip(names, range(3), strict=True)), return_dtype=pl.Int64)
    )
    chart = (
        alt.Chart(ranked)
        .mark_bar(cornerRadiusEnd=1)
        .encode(
            x=alt.X("texts:Q", **counting("texts")),
            y=alt.Y(
                "category:N",
                sort=order,
                title=None,
                axis=alt.Axis(labelExpr=SPOKEN, labelLimit=170, ticks=False, domain=False, **CLOSE),
            ),
            color=alt.Color("recommendation:N", **colours(RECOMMENDATIONS)),
            order=alt.Order("rank:Q"),
            tooltip=["category:N", "recommendation:N", alt.Tooltip("texts:Q", format=",")],
        )
    )
    title = heading(BY_CATEGORY, counted(n, "texts and categories"))
    return size(chart, title, width, height or max(260, ROOM_AROUND + ROW * len(order)))
