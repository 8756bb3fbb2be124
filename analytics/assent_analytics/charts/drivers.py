"""The picture of what moved a number: from its level before to its level after, group by group."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

import altair as alt
import polars as pl

from assent_analytics.charts.canvas import CLOSE, Chart, Width, counted, heading, never_happened, nothing, size
from assent_analytics.charts.palette import AMBER, BLUE, GREY, MUTED
from assent_analytics.drivers import BY, METRICS, Drivers, amount

STEPS = 6
"""So many effects have a bar of their own; what is left is one bar."""
ROOM_FOR_NUMBERS = 0.3
LABEL, LINE_HEIGHT, GAP = 24, 13, 12
"""Characters of a line of a label, and pixels of a line and around a label: names are told to their end."""
TITLES = {
    "block_rate": "What moved the share blocked",
    "approval_rate": "What moved the share asked about",
    "denial_rate": "What moved the share denied",
    "failure_rate": "What moved the share failed",
    "risk_score": "What moved the mean risk",
    "cost_estimate": "What moved the mean cost",
    "duration_ms": "What moved the mean duration",
    "waited_seconds": "What moved the mean wait",
}
MOVED = {"rise": AMBER, "fall": BLUE, "level": GREY}
AXES = {"share": ".0%", "points": ".0f", "USD": "~g", "ms": "~s", "s": "~s"}


def waterfall(found: Drivers, by: str | None = None, *, width: Width = "container", height: int = 260) -> Chart:
    """`found` is what `drivers` gives; `by` is the column whose groups are shown, without it that of the largest
    driver, else of the largest effect. Bars of effects that are no drivers are pale: chance can explain them."""
    title = TITLES[found.metric]
    groups = found.table.filter(pl.col("name").is_not_null())
    if groups.is_empty() or found.before is None or found.after is None:
        return nothing(title, width, height)
    chosen = by or groups.sort("driver", descending=True, maintain_order=True)["by"][0]
    groups = groups.filter(pl.col("by") == chosen)
    if groups.is_empty():
        return nothing(title, width, height)
    bars = pl.DataFrame(_steps(found, groups, found.before, found.after), orient="row")
    order = bars["step"].to_list()
    ends = [*bars["start"], *bars["end"]]
    # The numbers stand to the right of the bars.
    span = [min(ends), max(ends) + max(max(ends) - min(ends), 1e-12) * ROOM_FOR_NUMBERS]
    split = "split(datum.label, '\\n')"
    lines = alt.Axis(ticks=False, domain=False, labelOverlap=False, labelLimit=0, labelExpr=split, **CLOSE)
    y = alt.Y("step:N", sort=order, title=None, axis=lines)
    scale = alt.Scale(domain=span, nice=False, zero=False, padding=8)
    axis = alt.Axis(
        format=AXES[found.unit], grid=True, gridOpacity=0.35, tickCount=5, domain=False, ticks=False, **CLOSE
    )
    base = alt.Chart(bars)
    drawn = base.mark_bar(cornerRadius=2, height={"band": 0.62}).encode(
        x=alt.X("start:Q", scale=scale, axis=axis, title=METRICS[found.metric].words.lower()),
        x2="end:Q",
        y=y,
        color=alt.Color("moved:N", scale=alt.Scale(domain=list(MOVED), range=list(MOVED.values())), legend=None),
        opacity=alt.Opacity("sure:Q", scale=alt.Scale(domain=[0, 1], range=[0.35, 1.0]), legend=None),
        tooltip=[alt.Tooltip("what:N"), alt.Tooltip("told:N", title="moved by"), "interval:N", "found:N"],
    )
    levels = base.transform_filter("datum.moved == 'level'").mark_tick(thickness=3, color=GREY, height={"band": 0.62})
    texts = base.mark_text(align="left", dx=6, color=MUTED, fontSize=11).encode(
        x=alt.X("right:Q", scale=scale), y=y, text="told:N"
    )
    n = sum(found.n)
    said = (counted(n, METRICS[found.metric].rows), f"by {BY.get(chosen, chosen)}", *never_happened(n, found.simulated))
    chart = alt.layer(drawn, levels.encode(x=alt.X("end:Q", scale=scale), y=y), texts)
    tallest = max(each.count("\n") + 1 for each in order)
    return size(chart, heading(title, *said), width, max(height, len(order) * (tallest * LINE_HEIGHT + GAP)))


def _steps(found: Drivers, groups: pl.DataFrame, before: float, after: float) -> list[dict[str, Any]]:
    largest = groups.sort("driver", pl.col("effect").abs(), descending=True, maintain_order=True).head(STEPS)
    steps = [_step("before", before, before, "level", amount(before, found.unit))]
    at = before
    for row in largest.iter_rows(named=True):
        what = "mix of" if row["part"] == "mix" else "rate of"
        effect, moved = row["effect"], amount(row["effect"], found.unit, signed=True)
        interval = ""
        if row["low"] is not None:
            interval = " to ".join(amount(row[end], found.unit, signed=True) for end in ("low", "high"))
        step = _step(f"{what} {row['name']}", at, at + effect, "rise" if effect > 0 else "fall", moved)
        steps.append(step | {"interval": interval, "sure": int(row["driver"]), "found": _found(row)})
        at += effect
    if groups.height > largest.height:
        rest = after - at
        step = _step("all else", at, after, "rise" if rest > 0 else "fall", amount(rest, found.unit, signed=True))
        steps.append(step | {"sure": 0})
    return [*steps, _step("after", after, after, "level", amount(after, found.unit))]


def _found(row: dict[str, Any]) -> str:
    if row["driver"]:
        return "a driver"
    return "chance can explain it" if row["p_value"] is not None else "not tested"


def _step(step: str, start: float, end: float, moved: str, told: str) -> dict[str, Any]:
    """`step` is the label, in lines."""
    label = "\n".join(wrap(step, LABEL)) or step
    whole: dict[str, Any] = {"step": label, "what": step, "start": start, "end": end}
    whole |= {"right": max(start, end), "moved": moved}
    return whole | {"told": told, "interval": "", "sure": 1, "found": ""}
