"""What changed between two windows, and by how much: the effect of every metric with its interval."""

from __future__ import annotations

import altair as alt
import polars as pl

from assent_analytics.charts.canvas import CLOSE, NARROW, Chart, Width, heading, never_happened, nothing, size
from assent_analytics.charts.metrics import named
from assent_analytics.charts.palette import AMBER, GREY, MUTED, spoken
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
