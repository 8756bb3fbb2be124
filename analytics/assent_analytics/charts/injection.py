"""Charts of prompt injections: what the scan found by day and by category, and how good a scan is for what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import altair as alt
import polars as pl

from assent.contract.control.injection import ScanRecommendation
from assent_analytics.charts.canvas import (
    CLOSE,
    NARROW,
    Chart,
    Width,
    colours,
    counted,
    counting,
    heading,
    nothing,
    size,
)
from assent_analytics.charts.decisions import by_day
from assent_analytics.charts.palette import AMBER, BLUE, GREEN, GREY, RED, SPOKEN, VIOLET
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


# How good a scan of texts is: what it catches by what it stops in vain, and what each way to scan costs.


T = TypeVar("T")

RECALL, COST = "Caught, and stopped in vain", "What being wrong costs"
HUES = (BLUE, AMBER, VIOLET, GREEN, RED)
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross")
DASHES = ([1, 0], [8, 3], [3, 3], [10, 3, 2, 3], [2, 2])
TRIVIAL = frozenset({"stop nothing", "stop everything"})
LABELLED: dict[str, Any] = {"symbolOpacity": 1, "labelFontSize": 12, "padding": 0, "offset": 10}


def recall_curve(
    points: Frame, marks: Frame, *, most: float = 0.1, width: Width = "container", height: int = 340
) -> Chart:
    """`points` are those of `screening.operating_points`; `marks` have `name`, `recall` and `false_positives` with
    their intervals: thresholds that are used, and other scans. Only false positives up to `most` are drawn."""
    frame = points.lazy().filter(pl.col("false_positives") <= most).sort("threshold").collect()
    named = marks.lazy().filter(pl.col("false_positives") <= most).collect()
    if frame.is_empty():
        return nothing(RECALL, width, height)
    attacks, harmless = int(frame["attacks"].to_list()[0]), int(frame["harmless"].to_list()[0])
    up = alt.Axis(format=".0%", gridOpacity=0.35, domain=False, ticks=False, **CLOSE)
    along = alt.Axis(format=".1~%", tickCount=6, grid=False, **CLOSE)
    x = alt.X(
        "false_positives:Q",
        title="harmless texts stopped",
        scale=alt.Scale(domain=[0, most], clamp=True),
        axis=along,
    )
    y = alt.Y("recall:Q", title="attacks caught", scale=alt.Scale(domain=[0, 1]), axis=up)
    base = alt.Chart(frame).encode(x=x)
    band = base.mark_area(color=BLUE, opacity=0.16, interpolate="step-before").encode(
        y=alt.Y("recall_low:Q", title="attacks caught", axis=up), y2="recall_high:Q"
    )
    line = base.mark_line(color=BLUE, strokeWidth=2, interpolate="step-before").encode(
        y=y, order="threshold:Q", tooltip=[alt.Tooltip("threshold:Q", format=".2f"), *_tips()]
    )
    names = named["name"].to_list()
    legend = alt.Legend(orient="bottom", columns=alt.ExprRef(f"width < {NARROW / 2} ? 1 : 2"), **LABELLED)
    there = alt.Chart(named).encode(x=x)
    colour = alt.Color("name:N", title="", legend=legend, scale=alt.Scale(domain=names, range=_first(HUES, len(names))))
    shape = alt.Shape(
        "name:N", title="", legend=legend, scale=alt.Scale(domain=names, range=_first(SHAPES, len(names)))
    )
    intervals = there.mark_rule(opacity=0.5, strokeWidth=2).encode(
        y=alt.Y("recall_low:Q", title="attacks caught", axis=up), y2="recall_high:Q", color=colour
    )
    dots = there.mark_point(filled=True, size=110, opacity=1).encode(
        y=y, color=colour, shape=shape, tooltip=["name:N", *_tips()]
    )
    said = [counted(attacks, "attacks"), f"{harmless:,} harmless", "95% intervals"]
    return size(alt.layer(band, line, intervals, dots), heading(RECALL, *said), width, height)


def cost_by_weight(lines: Frame, *, n: int, width: Width = "container", height: int = 400) -> Chart:
    """`lines` are those of `screening.cost_lines`, worked out of `n` texts. The lowest line is the best way to scan
    where attacks weigh so much; stopping nothing and everything are grey."""
    frame = lines.lazy().collect()
    if frame.is_empty() or n == 0:
        return nothing(COST, width, height)
    names = [name for name in frame["name"].unique(maintain_order=True).to_list() if name not in TRIVIAL]
    every = [*names, *sorted(TRIVIAL, reverse=True)]
    hues = [*_first(HUES, len(names)), *[GREY] * len(TRIVIAL)]
    dashes = [*_first(DASHES, len(names)), [1, 3], [6, 2, 1, 2]]
    legend = alt.Legend(
        orient="bottom", columns=alt.ExprRef(f"width < {NARROW / 2} ? 1 : 2"), symbolSize=300, **LABELLED
    )
    best = frame.group_by("weight").agg(pl.col("cost").max()).filter(pl.col("weight") > 0)
    most = min(0.5, float(str(best["cost"].max())))
    chart = (
        alt.Chart(frame)
        .mark_line(strokeWidth=2, clip=True)
        .encode(
            x=alt.X(
                "weight:Q",
                title="weight of attacks",
                axis=alt.Axis(format=".0%", grid=False, **CLOSE),
            ),
            y=alt.Y(
                "cost:Q",
                title="expected cost",
                scale=alt.Scale(domain=[0, most]),
                axis=alt.Axis(format=".0%", gridOpacity=0.35, domain=False, ticks=False, **CLOSE),
            ),
            color=alt.Color("name:N", title="", legend=legend, scale=alt.Scale(domain=every, range=hues)),
            strokeDash=alt.StrokeDash("name:N", title="", legend=legend, scale=alt.Scale(domain=every, range=dashes)),
            tooltip=["name:N", *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("weight", "cost"))],
        )
    )
    return size(chart, heading(COST, counted(n, "texts"), "of the worst possible", "lowest is best"), width, height)


def _tips() -> list[alt.Tooltip]:
    return [alt.Tooltip(f"{name}:Q", format=".1%") for name in ("recall", "false_positives")]


def _first(of: Sequence[T], many: int) -> list[T]:
    return [of[at % len(of)] for at in range(many)]
