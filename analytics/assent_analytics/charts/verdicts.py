"""The difference of verdicts: which decisions have become which, under other policies."""

from __future__ import annotations

import altair as alt
import polars as pl

from assent.contract.guard import Decision
from assent_analytics.charts.canvas import CLOSE, Chart, Width, counted, heading, never_happened, nothing, size
from assent_analytics.charts.palette import AMBER, BLUE, GREY, INK, MUTED
from assent_analytics.frames import Frame, need

TITLE = "What was decided, and what would be"
SAME, STRICTER, MILDER = "same", "stricter", "milder"
KINDS = {SAME: GREY, STRICTER: AMBER, MILDER: BLUE}
NARROW = 46
"""Where a cell has fewer pixels its number is smaller."""
SAID = "{'require_approval': 'ask', 'allow': 'allow', 'warn': 'warn', 'block': 'block'}[datum.label]"
"""The names of decisions, short enough for the narrowest cell."""


def verdict_changes(transitions: Frame, *, simulated: int = 0, width: Width = "container", height: int = 320) -> Chart:
    """`transitions` have a row for each pair of `before` and `after` with its number `n`. Each cell says its number;
    a filled one has changed, and stands right of the diagonal where it has become stricter, left where milder."""
    cells = need(transitions, ("before", "after", "n"), "transitions").filter(pl.col("n") > 0).collect()
    total = int(cells["n"].sum())
    if not total:
        return nothing(TITLE, width, height)
    order = [decision.value for decision in Decision]
    rank = {name: at for at, name in enumerate(order)}
    step = pl.col("after").replace_strict(rank, return_dtype=pl.Int8) - pl.col("before").replace_strict(
        rank, return_dtype=pl.Int8
    )
    cells = cells.with_columns(
        kind=pl.when(step > 0).then(pl.lit(STRICTER)).when(step < 0).then(pl.lit(MILDER)).otherwise(pl.lit(SAME))
    )
    axis = {"ticks": False, "domain": False, "labelExpr": SAID, "labelAngle": 0, **CLOSE}
    scale = alt.Scale(domain=order, paddingInner=0.06)
    colour = alt.Color(
        "kind:N",
        title="",
        scale=alt.Scale(domain=list(KINDS), range=list(KINDS.values())),
        legend=alt.Legend(orient="bottom", direction="horizontal", labelFontSize=12, symbolType="square"),
    )
    base = alt.Chart(cells).encode(
        x=alt.X("after:N", title="would be", scale=scale, axis=alt.Axis(**axis)),
        y=alt.Y("before:N", title="was", scale=scale, axis=alt.Axis(**axis)),
        tooltip=["before:N", "after:N", alt.Tooltip("n:Q", title="decisions", format=","), "kind:N"],
    )
    number = base.encode(text=alt.Text("n:Q", format=","))
    letters = alt.ExprRef(f"bandwidth('x') < {NARROW} ? 9 : 13")
    changed, same = f"datum.kind != '{SAME}'", f"datum.kind == '{SAME}'"
    layers = [
        base.transform_filter(changed).mark_rect(cornerRadius=2).encode(color=colour),
        base.transform_filter(same).mark_rect(cornerRadius=2, fillOpacity=0.14).encode(color=colour),
        number.transform_filter(changed).mark_text(color=INK, fontSize=letters, fontWeight="bold"),
        number.transform_filter(same).mark_text(color=MUTED, fontSize=letters),
    ]
    moved = int(cells.filter(pl.col("kind") != SAME)["n"].sum())
    said = [counted(total, "decisions"), f"{moved:,} changed", *never_happened(total, simulated)]
    return size(alt.layer(*layers), heading(TITLE, *said), width, height)
