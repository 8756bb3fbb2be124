"""Charts of drift: what changed between two windows and by how much, how the evidence for a change grew, and how all
values of one metric lay before and since."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import altair as alt
import polars as pl

from assent_analytics.charts.canvas import (
    CLOSE,
    NARROW,
    Chart,
    Width,
    counted,
    heading,
    moments,
    never_happened,
    nothing,
    size,
)
from assent_analytics.charts.metrics import axis, named
from assent_analytics.charts.palette import AMBER, BLUE, GREY, MUTED, spoken
from assent_analytics.ecdf import BASELINE, RECENT
from assent_analytics.evidence import DriftEvidence
from assent_analytics.frames import Frame, columns

TITLE = "What changed, by how much"
MOST = 24
"""So many rows are shown: those that drifted first, and of them the largest effects."""
ROW, ROOM_AROUND = 22, 110
LOOK = {"drifted": (AMBER, "diamond"), "not shown to drift": (GREY, "circle")}
"""Colour and shape."""


def drift_overview(comparison: Frame, *, width: Width = "container", height: int | None = None) -> Chart:
    """`comparison` is what `drift.compare` or `drift.compare_columns` gives. A bar is the 95% interval of an effect,
    which lies between -1 and 1 whatever the metric; right of zero recent values are larger. What had too few values is
    counted in the subtitle. Without `height`, as many pixels as the rows need."""
    frame = comparison.lazy().collect()
    tested = frame.filter((pl.col("status") == "ok") & pl.col("effect").is_finite())
    if tested.is_empty():
        return nothing(TITLE, width, height or ROOM_AROUND)
    groups = [name for name in ("agent_id", "action_type") if name in columns(frame)]
    drifted = pl.col("drifted").fill_null(False)
    shown = (
        tested.with_columns(
            verdict=pl.when(drifted).then(pl.lit("drifted")).otherwise(pl.lit("not shown to drift")),
            row=pl.concat_str(
                [*(pl.col(name).cast(pl.String) for name in groups), _words()], separator=" · ", ignore_nulls=True
            ),
        )
        .sort(drifted, pl.col("effect").abs(), "row", descending=[True, True, False])
        .head(MOST)
    )
    order = shown["row"].to_list()
    y = alt.Y(
        "row:N",
        sort=order,
        title=None,
        axis=alt.Axis(
            ticks=False, domain=False, labelOverlap=False, labelLimit=260, grid=True, gridOpacity=0.2, **CLOSE
        ),
    )
    legend = alt.Legend(
        orient="bottom",
        direction="horizontal",
        columns=alt.ExprRef(f"width < {NARROW / 2} ? 1 : 2"),
        labelFontSize=12,
        symbolSize=90,
        symbolOpacity=1,
        padding=0,
        offset=10,
    )
    names = list(LOOK)
    colour = alt.Color(
        "verdict:N", scale=alt.Scale(domain=names, range=[look[0] for look in LOOK.values()]), legend=legend, title=""
    )
    shape = alt.Shape(
        "verdict:N", scale=alt.Scale(domain=names, range=[look[1] for look in LOOK.values()]), legend=legend, title=""
    )
    axis = alt.Axis(tickCount=6, gridOpacity=0.35, **CLOSE)
    low = alt.X("effect_low:Q", title="effect (-1 to 1)", axis=axis)
    base = alt.Chart(shown).encode(y=y, color=colour)
    none = alt.Chart(pl.DataFrame({"none": [0.0]})).mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x="none:Q")
    intervals = base.mark_rule(strokeWidth=3, opacity=0.5).encode(x=low, x2="effect_high:Q")
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("effect:Q", title="effect (-1 to 1)", axis=axis), shape=shape, tooltip=_tips([*groups, "metric"])
    )
    found = int(tested.select(drifted.sum()).item())
    said = [f"n = {tested.height:,} comparisons", f"{found:,} drifted"]
    if frame.height > tested.height:
        said.append(f"{frame.height - tested.height:,} with too few values")
    if tested.height > MOST:
        said.append(f"first {MOST} shown")
    made = _made(tested)
    title = heading(TITLE, *said, *never_happened(tested.height, made))
    return size(alt.layer(none, intervals, points), title, width, height or ROOM_AROUND + ROW * len(order))


def _words() -> pl.Expr:
    return pl.col("metric").cast(pl.String).map_elements(named, return_dtype=pl.String)


def _made(tested: pl.DataFrame) -> int:
    """How many of the comparisons stand on simulated rows."""
    return int((tested["simulated"].cast(pl.Int64) > 0).sum())


def _tips(names: list[str]) -> list[alt.Tooltip]:
    return [
        *(alt.Tooltip(f"{name}:N", title=spoken(name.removesuffix("_id"))) for name in (*names, "effect_name")),
        *(
            alt.Tooltip(f"{name}:Q", title=spoken(name), format=".3~g")
            for name in ("baseline", "recent", "effect", "effect_low", "effect_high")
        ),
        alt.Tooltip("p_adjusted:Q", title="p, adjusted", format=".2~g"),
        alt.Tooltip("n_baseline:Q", title="baseline n", format=","),
        alt.Tooltip("n_recent:Q", title="recent n", format=","),
    ]


# How the evidence for a change grew, when it was enough, and where the change is put.


LEAST = 0.1
"""Smaller e-values stand here: they say the same, and the axis is better used."""

SIDES: dict[Literal["left", "right"], int] = {"left": 3, "right": -3}


def detector_trace(
    evidence: DriftEvidence,
    *,
    metric: str,
    known: Mapping[str, datetime] | None = None,
    width: Width = "container",
    height: int = 240,
) -> Chart:
    """What `evidence.evidence` gives of one stream. The line is its e-value; at the dashed threshold there is an alarm
    (a diamond), and a dotted line is where the change is estimated. `known` names moments to mark besides, such as one
    that was planted."""
    title = f"Evidence of change: {named(metric)}"
    trace, alarms = evidence.trace, evidence.alarms
    if trace.is_empty():
        return nothing(title, width, height)
    moment = trace["at"].to_list()
    shown = trace.with_columns(pl.col("e_value").clip(lower_bound=LEAST))
    x = alt.X("at:T", scale=alt.Scale(type="utc"), title="time (UTC)", axis=moments(moment[0], moment[-1]))
    top = max(evidence.threshold, float(shown["e_value"].max() or 0.0)) * 3  # type: ignore[arg-type]  # a number
    y = alt.Y(
        "e_value:Q",
        scale=alt.Scale(type="log", domain=[LEAST, top], nice=False, clamp=True),
        title="e-value (log scale)",
        axis=alt.Axis(
            values=[tick for tick in (0.1, 1, 10, 100, 1000, 10_000) if tick <= top],
            format=",~g",
            gridOpacity=0.35,
            domain=False,
            **CLOSE,
        ),
    )
    tips = [
        alt.Tooltip("utcyearmonthdatehoursminutes(at):T", title="at"),
        alt.Tooltip("value:Q", title=named(metric), format=".4~g"),
        alt.Tooltip("e_value:Q", title="e-value", format=".3~g"),
    ]
    line = alt.Chart(shown).mark_line(color=BLUE, strokeWidth=1.5).encode(x=x, y=y, detail="epoch:N", tooltip=tips)
    enough = alt.Chart(pl.DataFrame({"e_value": [evidence.threshold]}))
    layers = [
        enough.mark_rule(color=AMBER, strokeDash=[5, 3], strokeWidth=1.5).encode(y=y),
        enough.mark_text(x=4, align="left", dy=-7, color=MUTED, fontSize=11).encode(y=y, text=alt.value("alarm")),
        line,
        alt.Chart(alarms)
        .mark_point(shape="diamond", filled=True, size=110, color=AMBER, opacity=1)
        .encode(x=x, y=y, tooltip=[alt.Tooltip("utcyearmonthdatehoursminutes(at):T", title="alarm")]),
        *_marks(alarms["change_at"].to_list(), known or {}),
    ]
    said = [counted(evidence.n, "values"), f"{alarms.height:,} alarm{'' if alarms.height == 1 else 's'}"]
    if alarms.height:
        said.append(f"put at {alarms['change_at'].to_list()[0]:%b %-d %H:%M}")
    heads = heading(title, *said, *never_happened(evidence.n, evidence.simulated), offset=22)
    return size(alt.layer(*layers), heads, width, height)


def _marks(estimated: list[datetime], known: Mapping[str, datetime]) -> list[alt.Chart]:
    """Lines down through the picture, named on top; the earlier of two stands left of its line, out of the way."""
    first = min(known.values(), default=None)
    guesses = [("estimated", at, "left" if first is None or at >= first else "right") for at in estimated]
    truths = [(name, at, "right" if any(at < guess for guess in estimated) else "left") for name, at in known.items()]
    layers = []
    for marks, dash in ((guesses, [1, 3]), (truths, [6, 2])):
        if not marks:
            continue
        base = alt.Chart(pl.DataFrame(marks, schema=["name", "at", "side"], orient="row")).encode(x="at:T")
        layers.append(base.mark_rule(color=MUTED, strokeDash=dash, strokeWidth=2))
        for side, dx in SIDES.items():
            text = base.transform_filter(f"datum.side == '{side}'").mark_text(
                y=-7, dx=dx, align=side, color=MUTED, fontSize=11, fontWeight="bold"
            )
            layers.append(text.encode(text="name:N"))
    return layers


# Two windows of one metric: what share of each is at most so large.


WINDOW_LOOK = {BASELINE: (GREY, [5, 3]), RECENT: (BLUE, [1, 0])}
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
    names = list(WINDOW_LOOK)
    colour = alt.Color(
        "window:N",
        scale=alt.Scale(domain=names, range=[look[0] for look in WINDOW_LOOK.values()]),
        legend=legend,
        title="",
    )
    dash = alt.StrokeDash(
        "window:N",
        scale=alt.Scale(domain=names, range=[look[1] for look in WINDOW_LOOK.values()]),
        legend=legend,
        title="",
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
