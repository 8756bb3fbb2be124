"""How events are proven to be in the log: from their own hashes, past those that are given, up to the signed root."""

from __future__ import annotations

import altair as alt
import polars as pl

from assent_analytics.charts.canvas import NARROW, Chart, Width, heading, nothing, size
from assent_analytics.charts.palette import BLUE, GREEN, GREY, MUTED, VIOLET
from assent_analytics.frames import Frame
from assent_analytics.inclusion import COMPUTED, EVENT, GIVEN, ROOT

TITLE = "From event to signed root"
LOOK = {
    EVENT: ("recorded event", VIOLET, "circle"),
    COMPUTED: ("worked out", GREEN, "circle"),
    ROOT: ("signed root", BLUE, "diamond"),
    GIVEN: ("given", GREY, "square"),
}
"""Words, colour and shape of each kind of node."""


def inclusion_tree(tree: Frame, *, simulated: bool = False, width: Width = "container", height: int = 340) -> Chart:
    """`tree` is what `inclusion.proving_tree` gives. Events are numbered from 1 in the order of the log; a square's
    number is how many other events it stands for."""
    nodes = tree.lazy().collect()
    if nodes.is_empty():
        return nothing(TITLE, width, height)
    nodes = nodes.with_columns(node=pl.col("kind").replace_strict({kind: look[0] for kind, look in LOOK.items()}))
    top, right = int(nodes["height"].max()), float(nodes["place"].max())  # type: ignore[arg-type]  # numbers
    x = alt.X("place:Q", axis=None, scale=alt.Scale(domain=[-0.7, right + 0.7], nice=False, zero=False))
    y = alt.Y("height:Q", axis=None, scale=alt.Scale(domain=[-0.8 - top / 20, top + 0.8], nice=False, zero=False))
    layers = [_edges(nodes, x, y), _points(nodes, x, y), *_labels(nodes, x, y)]
    return size(alt.layer(*layers), _heading(nodes, simulated), width, height)


def _edges(nodes: pl.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    edges = nodes.filter(pl.col("parent_place").is_not_null()).with_columns(worked=pl.col("kind") != GIVEN)
    chart: alt.Chart = (
        alt.Chart(edges)
        .mark_rule()
        .encode(
            x=x,
            y=y,
            x2="parent_place:Q",
            y2="parent_height:Q",
            color=alt.condition("datum.worked", alt.value(GREEN), alt.value(GREY)),
            opacity=alt.condition("datum.worked", alt.value(0.9), alt.value(0.45)),
            strokeWidth=alt.condition("datum.worked", alt.value(2), alt.value(1)),
        )
    )
    return chart


def _points(nodes: pl.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    kinds = [look for kind, look in LOOK.items() if kind in set(nodes["kind"])]
    names = [words for words, _, _ in kinds]
    legend = alt.Legend(
        orient="bottom",
        direction="horizontal",
        columns=alt.ExprRef(f"width < {NARROW} ? 2 : {len(kinds)}"),
        labelFontSize=12,
        columnPadding=16,
        rowPadding=4,
        padding=0,
        offset=6,
        symbolSize=90,
    )
    chart: alt.Chart = (
        alt.Chart(nodes)
        .mark_point(filled=True, opacity=1)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "node:N",
                scale=alt.Scale(domain=names, range=[colour for _, colour, _ in kinds]),
                legend=legend,
                title="",
            ),
            shape=alt.Shape(
                "node:N", scale=alt.Scale(domain=names, range=[shape for _, _, shape in kinds]), legend=legend, title=""
            ),
            size=alt.condition(f"datum.kind === '{ROOT}'", alt.value(220), alt.value(80)),
            tooltip=[
                alt.Tooltip("node:N", title="node"),
                alt.Tooltip("text:N", title="event"),
                alt.Tooltip("first:Q", title="from event", format=","),
                alt.Tooltip("last:Q", title="to event", format=","),
                alt.Tooltip("hash:N", title="hash"),
            ],
        )
    )
    return chart


def _labels(nodes: pl.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Which event is which, and how many events a given hash stands for."""
    wide = alt.ExprRef(f"width < {NARROW} ? 0 : 1")
    counts = alt.Chart(nodes.filter(pl.col("kind") == GIVEN)).mark_text(dy=13, fontSize=9.5, color=MUTED, opacity=wide)
    events = nodes.filter(pl.col("kind") == EVENT).sort("first").with_columns(number=pl.int_range(1, pl.len() + 1))
    numbers = alt.Chart(events).mark_text(dy=9, baseline="top", fontSize=12, fontWeight="bold", color=MUTED)
    return [
        counts.encode(x=x, y=y, text=alt.Text("events:Q", format=",")),
        numbers.encode(x=x, y=y, text="number:Q"),
    ]


def _heading(nodes: pl.DataFrame, simulated: bool) -> alt.TitleParams:
    kinds = nodes["kind"].to_list()
    events, given = kinds.count(EVENT), kinds.count(GIVEN)
    of = int(nodes["events"].max())  # type: ignore[arg-type]  # a number
    said = [f"n = {events:,} of {of:,} events", f"{given:,} hashes are enough"]
    return heading(TITLE, *said, *(["simulated"] if simulated else []))
