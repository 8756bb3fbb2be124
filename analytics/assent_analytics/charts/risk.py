"""Who carries risk at what: agents by action types."""

from __future__ import annotations

from typing import Any, Literal

import altair as alt
import polars as pl

from assent_analytics.charts.canvas import CLOSE, Chart, Width, counted, heading, never_happened, nothing, size
from assent_analytics.charts.palette import INK, MUTED, RISK
from assent_analytics.frames import Frame

FEW = 20
"""Below so many actions a cell is pale: its number may change with the next ones."""
MOST_AGENTS, MOST_TYPES = 30, 24
ROW, ROOM_BELOW = 27, 170
"""Pixels of a row, and of everything but the rows."""
Measure = Literal["mean", "failure_rate"]
SAID: dict[Measure, tuple[str, str, str, str, float]] = {
    "mean": ("Mean risk", "actions", "n", ".0f", 100.0),
    "failure_rate": ("Share failed", "ended actions", "ended", ".0%", 1.0),
}
"""Title, what counts, the column that counts it, the form of the number, and the largest it can be."""
NARROW, NARROWER = 26, 17
"""Where a cell has fewer pixels its number is smaller, and has no room at all: the tooltip has to say it."""


def risk_map(
    cells: Frame, *, measure: Measure = "mean", width: Width = "container", height: int | None = None
) -> Chart:
    """`cells` are those of `risk.by_agent_and_type`. Each cell says its number; agents and types with most actions are
    shown, MOST_AGENTS and MOST_TYPES of them. Without `height`, as many pixels as the agents need."""
    title, what, column, form, most = SAID[measure]
    known = cells.lazy().filter(pl.col(column) > 0).collect()
    if known.is_empty():
        return nothing(title, width, height or ROOM_BELOW)
    agents, types = _leading(known, "agent_id", MOST_AGENTS), _leading(known, "action_type", MOST_TYPES)
    shown = known.filter(pl.col("agent_id").is_in(agents) & pl.col("action_type").is_in(types)).with_columns(
        value=pl.col(measure), few=pl.col(column) < FEW
    )
    x = alt.X(
        "action_type:N",
        sort=types,
        title=None,
        scale=alt.Scale(paddingInner=0.06, paddingOuter=0.03),
        axis=alt.Axis(labelAngle=-40, ticks=False, domain=False, labelOverlap=False, labelLimit=130, **CLOSE),
    )
    y = alt.Y(
        "agent_id:N",
        sort=agents,
        title=None,
        scale=alt.Scale(paddingInner=0.1, paddingOuter=0.05),
        axis=alt.Axis(ticks=False, domain=False, labelOverlap=False, labelLimit=150, **CLOSE),
    )
    legend = alt.Legend(
        type="gradient",
        orient="bottom",
        direction="horizontal",
        gradientLength=140,
        gradientThickness=10,
        format=form,
        titleFontSize=12,
    )
    highest = max(float(shown["value"].max() or 0.0), most / 10)  # type: ignore[arg-type]  # a number
    scale = alt.Scale(range=list(RISK), domain=[0, highest])
    colour = alt.Color("value:Q", scale=scale, legend=legend, title=title.lower())
    base = alt.Chart(shown).encode(x=x, y=y, tooltip=_tips(measure))
    bold, pale = "!datum.few", "datum.few"
    letters: dict[str, Any] = {
        "fontSize": alt.ExprRef(f"bandwidth('x') < {NARROW} ? 9 : 11"),
        "opacity": alt.ExprRef(f"bandwidth('x') < {NARROWER} ? 0 : 1"),
    }
    number = base.encode(text=alt.Text("value:Q", format=form))
    layers = [
        base.transform_filter(bold).mark_rect(cornerRadius=2).encode(color=colour),
        base.transform_filter(pale)
        .mark_rect(cornerRadius=2, fillOpacity=0.16, strokeWidth=1, strokeDash=[3, 2], strokeOpacity=0.9)
        .encode(color=colour, stroke=alt.Stroke("value:Q", scale=scale, legend=None)),
        number.transform_filter(bold).mark_text(color=INK, **letters),
        number.transform_filter(pale).mark_text(color=MUTED, fontStyle="italic", **letters),
    ]
    n, simulated = int(known[column].sum()), int(known["simulated"].sum())
    said = [counted(n, what), *never_happened(int(known["n"].sum()), simulated), f"dashed: below {FEW}"]
    left_out = known["agent_id"].n_unique() - len(agents), known["action_type"].n_unique() - len(types)
    if any(left_out):
        said.append(f"{left_out[0]} agents and {left_out[1]} types with fewer not shown")
    return size(alt.layer(*layers), heading(title, *said), width, height or ROOM_BELOW + ROW * len(agents))


def _leading(cells: pl.DataFrame, name: str, most: int) -> list[str]:
    """The names with most actions, the most first."""
    by = cells.group_by(name).agg(pl.col("n").sum()).sort("n", name, descending=[True, False])
    return [str(each) for each in by[name].head(most)]


def _tips(measure: Measure) -> list[alt.Tooltip]:
    number = ".1f" if measure == "mean" else ".1%"
    low, high = ("mean_low", "mean_high") if measure == "mean" else ("failure_low", "failure_high")
    return [
        alt.Tooltip("agent_id:N", title="agent"),
        alt.Tooltip("action_type:N", title="type"),
        alt.Tooltip("value:Q", title=SAID[measure][0].lower(), format=number),
        alt.Tooltip(f"{low}:Q", title="95% from", format=number),
        alt.Tooltip(f"{high}:Q", title="to", format=number),
        alt.Tooltip("n:Q", title="actions", format=","),
        alt.Tooltip("ended:Q", format=","),
        alt.Tooltip("failed:Q", format=","),
    ]
