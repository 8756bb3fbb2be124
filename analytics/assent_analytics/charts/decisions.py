"""Charts of guard's decisions: the mix by day, which verdicts other policies would change, which agents carry risk at
what, and what each threshold of risk would have cost."""

from __future__ import annotations

from datetime import date, timedelta
from math import ceil
from typing import Any, Literal

import altair as alt
import polars as pl

from assent.contract.control.guard import Decision
from assent_analytics.charts.canvas import (
    CLOSE,
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
from assent_analytics.charts.palette import AMBER, BLUE, DECISIONS, GREY, INK, MUTED, RISK
from assent_analytics.frames import Frame, need

TITLE = "How guard decided"
LABELS = 6
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
        pl.col("day").cast(pl.String), rank=pl.col("decision").replace_strict(rank, return_dtype=pl.Int64)
    )
    chart = (
        alt.Chart(long)
        .mark_bar(cornerRadiusEnd=1)
        .encode(
            x=by_day(wide["day"].to_list()),
            y=alt.Y("decisions:Q", **counting("decisions a day")),
            color=alt.Color("decision:N", **colours(DECISIONS)),
            order=alt.Order("rank:Q"),
            tooltip=[
                "day:N",
                "decision:N",
                alt.Tooltip("decisions:Q", format=","),
            ],
        )
    )
    title = heading(TITLE, counted(n, "decisions"), *never_happened(n, simulated))
    return size(chart, title, width, height)


def by_day(days: list[date]) -> alt.X:
    """A place for every day from the first to the last; labels on every one or on every so many. A day is its name and
    not a moment, which another time zone would move to the day before."""
    first, span = min(days), (max(days) - min(days)).days + 1
    every = [(first + timedelta(days=after)).isoformat() for after in range(span)]
    axis = alt.Axis(
        values=every[:: ceil(span / LABELS)],
        labelExpr="utcFormat(utcParse(datum.value, '%Y-%m-%d'), '%b %-d')",
        labelAngle=0,
        labelFlush=False,
        labelOverlap=True,
        grid=False,
        ticks=False,
        **CLOSE,
    )
    scale = alt.Scale(domain=every, paddingInner=0.12, paddingOuter=0.06)
    return alt.X("day:O", title="day (UTC)", scale=scale, axis=axis)


# The difference of verdicts: which decisions have become which, under other policies.


CHANGES_TITLE = "What was decided, and what would be"
SAME, STRICTER, MILDER = "same", "stricter", "milder"
KINDS = {SAME: GREY, STRICTER: AMBER, MILDER: BLUE}
NARROW_CELL = 46
"""Where a cell has fewer pixels its number is smaller."""
SHORT_NAMES = "{'require_approval': 'ask', 'allow': 'allow', 'warn': 'warn', 'block': 'block'}[datum.label]"
"""The names of decisions, short enough for the narrowest cell."""


def verdict_changes(transitions: Frame, *, simulated: int = 0, width: Width = "container", height: int = 320) -> Chart:
    """`transitions` have a row for each pair of `before` and `after` with its number `n`. Each cell says its number;
    a filled one has changed, and stands right of the diagonal where it has become stricter, left where milder."""
    cells = need(transitions, ("before", "after", "n"), "transitions").filter(pl.col("n") > 0).collect()
    total = int(cells["n"].sum())
    if not total:
        return nothing(CHANGES_TITLE, width, height)
    order = [decision.value for decision in Decision]
    rank = {name: at for at, name in enumerate(order)}
    step = pl.col("after").replace_strict(rank, return_dtype=pl.Int8) - pl.col("before").replace_strict(
        rank, return_dtype=pl.Int8
    )
    cells = cells.with_columns(
        kind=pl.when(step > 0).then(pl.lit(STRICTER)).when(step < 0).then(pl.lit(MILDER)).otherwise(pl.lit(SAME))
    )
    axis = {"ticks": False, "domain": False, "labelExpr": SHORT_NAMES, "labelAngle": 0, **CLOSE}
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
    letters = alt.ExprRef(f"bandwidth('x') < {NARROW_CELL} ? 9 : 13")
    changed, same = f"datum.kind != '{SAME}'", f"datum.kind == '{SAME}'"
    layers = [
        base.transform_filter(changed).mark_rect(cornerRadius=2).encode(color=colour),
        base.transform_filter(same).mark_rect(cornerRadius=2, fillOpacity=0.14).encode(color=colour),
        number.transform_filter(changed).mark_text(color=INK, fontSize=letters, fontWeight="bold"),
        number.transform_filter(same).mark_text(color=MUTED, fontSize=letters),
    ]
    moved = int(cells.filter(pl.col("kind") != SAME)["n"].sum())
    said = [counted(total, "decisions"), f"{moved:,} changed", *never_happened(total, simulated)]
    return size(alt.layer(*layers), heading(CHANGES_TITLE, *said), width, height)


# Who carries risk at what: agents by action types.


FEW = 20
"""Below so many actions a cell is pale: its number may change with the next ones."""
MOST_AGENTS, MOST_TYPES = 30, 24
ROW, ROOM_BELOW = 27, 170
"""Pixels of a row, and of everything but the rows."""
Measure = Literal["mean", "failure_rate"]
MEASURES: dict[Measure, tuple[str, str, str, str, float]] = {
    "mean": ("Mean risk", "actions", "n", ".0f", 100.0),
    "failure_rate": ("Share failed", "ended actions", "ended", ".0%", 1.0),
}
"""Title, what counts, the column that counts it, the form of the number, and the largest it can be."""
NARROW_NUMBER, NARROWER = 26, 17
"""Where a cell has fewer pixels its number is smaller, and has no room at all: the tooltip has to say it."""


def risk_map(
    cells: Frame, *, measure: Measure = "mean", width: Width = "container", height: int | None = None
) -> Chart:
    """`cells` are those of `risk.by_agent_and_type`. Each cell says its number; agents and types with most actions are
    shown, MOST_AGENTS and MOST_TYPES of them. Without `height`, as many pixels as the agents need."""
    title, what, column, form, most = MEASURES[measure]
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
    base = alt.Chart(shown).encode(x=x, y=y, tooltip=_risk_tips(measure))
    bold, pale = "!datum.few", "datum.few"
    letters: dict[str, Any] = {
        "fontSize": alt.ExprRef(f"bandwidth('x') < {NARROW_NUMBER} ? 9 : 11"),
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


def _risk_tips(measure: Measure) -> list[alt.Tooltip]:
    number = ".1f" if measure == "mean" else ".1%"
    low, high = ("mean_low", "mean_high") if measure == "mean" else ("failure_low", "failure_high")
    return [
        alt.Tooltip("agent_id:N", title="agent"),
        alt.Tooltip("action_type:N", title="type"),
        alt.Tooltip("value:Q", title=MEASURES[measure][0].lower(), format=number),
        alt.Tooltip(f"{low}:Q", title="95% from", format=number),
        alt.Tooltip(f"{high}:Q", title="to", format=number),
        alt.Tooltip("n:Q", title="actions", format=","),
        alt.Tooltip("ended:Q", format=","),
        alt.Tooltip("failed:Q", format=","),
    ]


# What each threshold of risk would have cost, and where it would have cost least.


COST_TITLE = "Cost by threshold"
Per = Literal["per_day", "per_1000"]
PER: dict[Per, str] = {"per_day": "a day", "per_1000": "per 1,000"}


def cost_curve(
    curve: Frame,
    *,
    n: int,
    what: str = "decisions",
    chosen: int | None = None,
    per: Per = "per_day",
    simulated: int = 0,
    width: Width = "container",
    height: int = 280,
) -> Chart:
    """`curve` is what `backtest.curve_frame` gives of a backtest of `n` decisions, or of `what` else
    was decided. A diamond marks where it costs least, a dashed line the `chosen` threshold. The amber band goes from
    all unknown outcomes good to all bad; where the best threshold is not identified there is no diamond, and the
    subtitle says between which it lies."""
    frame = (
        curve.lazy()
        .select(
            *("threshold", "interruptions", "missed", "unknown", "possible", "best"),
            cost=per,
            low=f"{per}_low",
            high=f"{per}_high",
            most=f"{per}_most",
        )
        .sort("threshold")
        .collect()
    )
    if frame.is_empty() or n == 0:
        return nothing(COST_TITLE, width, height)
    x = alt.X(
        "threshold:Q",
        scale=alt.Scale(domain=[frame["threshold"].to_list()[0], frame["threshold"].to_list()[-1]], nice=False),
        title="ask from this risk on",
        axis=alt.Axis(tickCount=6, grid=False, **CLOSE),
    )
    ticks = "format(datum.value, '~s')"
    axis = alt.Axis(labelExpr=ticks, tickCount=5, gridOpacity=0.35, domain=False, ticks=False, **CLOSE)
    base = alt.Chart(frame).encode(x=x)
    band = base.mark_area(color=BLUE, opacity=0.18, line=False).encode(
        y=alt.Y("low:Q", title=f"expected cost {PER[per]}", axis=axis), y2="high:Q"
    )
    bounds = base.mark_area(color=AMBER, opacity=0.16, line=False).encode(y="cost:Q", y2="most:Q")
    line = base.mark_line(color=BLUE, strokeWidth=2).encode(y="cost:Q")
    # Invisible, and wide enough to be hit.
    hits = base.mark_rule(strokeWidth=6, opacity=0).encode(tooltip=_cost_tips())
    least = frame.filter("best").head(1)
    marks: list[alt.Chart] = [
        alt.Chart(least)
        .mark_point(shape="diamond", filled=True, size=110, color=AMBER, opacity=1)
        .encode(x=x, y="cost:Q", tooltip=_cost_tips())
    ]
    said = [counted(n, what), "95% band", *(f"least at {_sentence(row)}" for row in least.iter_rows(named=True))]
    possible = frame.filter("possible")["threshold"].to_list()
    if least.is_empty() and possible:
        said.append(f"not identified: best between {possible[0]} and {possible[-1]}")
    if frame["unknown"].sum() > 0:
        said.append("amber: from all unknown outcomes good to all bad")
    if chosen is not None:
        at = frame.filter(pl.col("threshold") == chosen)
        there = alt.Chart(at).encode(x=x)
        marks.append(there.mark_rule(color=AMBER, strokeDash=[4, 3], strokeWidth=1.5))
        marks.append(
            there.mark_text(y=-7, color=MUTED, fontSize=11, fontWeight="bold").encode(text=alt.value("chosen"))
        )
        said += [f"chosen {_sentence(row)}" for row in at.iter_rows(named=True) if not row["best"]]
    title = heading(COST_TITLE, *said, *never_happened(n, simulated), offset=20)
    return size(alt.layer(bounds, band, line, hits, *marks), title, width, height)


def _cost_tips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("threshold:Q"),
        *(
            alt.Tooltip(f"{name}:Q", title=title, format=",.4~g")
            for name, title in {"cost": "cost", "low": "95% from", "high": "to", "most": "if all unknown fail"}.items()
        ),
        alt.Tooltip("interruptions:Q", format=","),
        alt.Tooltip("missed:Q", title="failures missed", format=","),
        alt.Tooltip("unknown:Q", title="below it without outcome", format=","),
    ]


def _sentence(row: dict[str, float]) -> str:
    return f"{row['threshold']:g}: {row['cost']:,.4g} ({row['low']:,.4g} to {row['high']:,.4g})"
