"""How the evidence for a change grew, when it was enough, and where the change is put."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

import altair as alt
import polars as pl

from assent_analytics.charts.canvas import CLOSE, Chart, Width, counted, heading, moments, never_happened, nothing, size
from assent_analytics.charts.metrics import named
from assent_analytics.charts.palette import AMBER, BLUE, MUTED
from assent_analytics.evidence import Evidence

LEAST = 0.1
"""Smaller e-values stand here: they say the same, and the axis is better used."""

SIDES: dict[Literal["left", "right"], int] = {"left": 3, "right": -3}


def detector_trace(
    evidence: Evidence,
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
