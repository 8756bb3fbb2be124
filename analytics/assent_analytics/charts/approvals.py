"""Charts of approvals and checkpoints: how long people took, how many approvals waited, how actions stand at the five
checkpoints, and the life of one action."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import altair as alt
import polars as pl

from assent.contract.control.approvals import ApprovalState
from assent.contract.evidence.pcaa import CheckpointStatus
from assent_analytics.charts.canvas import (
    CLOSE,
    Chart,
    Width,
    colours,
    counted,
    counting,
    heading,
    moments,
    never_happened,
    nothing,
    size,
)
from assent_analytics.charts.palette import AMBER, APPROVALS, BLUE, CHECKPOINT_STATUSES, CHECKPOINTS, MUTED, TIMELINE
from assent_analytics.frames import Frame, has
from assent_analytics.replay import LANES
from assent_analytics.spans import measured

LATENCY = "Time to decide"
BACKLOG = "Approvals waiting"
A_DECADE = 6
"""Bars for each power of ten seconds."""
SHORTEST = 0.1
"""Seconds; whatever was quicker stands here, for a log axis has no zero."""
TICKS = [0.1, 1, 10, 60, 300, 1800, 7200, 28800, 86400, 259200, 604800]
IN_WORDS = (
    "datum.value < 60 ? format(datum.value, '~g') + ' s' : datum.value < 3600 ? format(datum.value / 60, '~g') + ' min'"
    " : datum.value < 86400 ? format(datum.value / 3600, '~g') + ' h' : format(datum.value / 86400, '~g') + ' d'"
)
SIDES: dict[str, Literal["left", "right"]] = {"p50": "right", "p95": "left"}
DECIDED = {state.value: APPROVALS[state.value] for state in (ApprovalState.APPROVED, ApprovalState.DENIED)}


def approval_latency(times: Frame, *, width: Width = "container", height: int = 240) -> Chart:
    """`times` are those of `approvals.times_to_decide`. Bars count approvals decided within equal ratios of time."""
    decided = times.lazy().filter(pl.col("seconds").is_not_null()).collect()
    if decided.is_empty():
        return nothing(LATENCY, width, height)
    bars = _bars(decided)
    domain = [float(bars["low"].to_list()[0]), float(bars["high"].to_list()[-1])]
    columns = (
        alt.Chart(bars)
        .mark_rect(stroke=None)
        .encode(
            x=alt.X(
                "low:Q",
                scale=alt.Scale(type="log", domain=domain, nice=False),
                title="time (log scale)",
                axis=alt.Axis(values=TICKS, labelExpr=IN_WORDS, grid=False, labelOverlap=True, **CLOSE),
            ),
            x2="high:Q",
            y=alt.Y("bottom:Q", **counting("approvals")),
            y2="top:Q",
            color=alt.Color("state:N", **colours(DECIDED)),
            tooltip=[
                "state:N",
                "approvals:Q",
                alt.Tooltip("low:Q", title="from (s)", format=".3~g"),
                alt.Tooltip("high:Q", title="to (s)", format=".3~g"),
            ],
        )
    )
    quantiles = [
        (name, float(decided["seconds"].quantile(q, "linear") or 0.0)) for name, q in (("p50", 0.5), ("p95", 0.95))
    ]
    shown = [(name, max(SHORTEST, seconds)) for name, seconds in quantiles]
    base = alt.Chart(pl.DataFrame(shown, schema=["name", "seconds"], orient="row")).encode(x="seconds:Q")
    rules = base.mark_rule(strokeDash=[4, 3], strokeWidth=1.5, color=AMBER)
    # Away from each other, for they may stand at the same place.
    names = [
        base.transform_filter(f"datum.name == '{name}'")
        .mark_text(y=-6, align=side, color=MUTED, fontWeight="bold", fontSize=11)
        .encode(text="name:N")
        for name, side in SIDES.items()
    ]
    simulated = int(decided["simulated"].sum()) if has(decided, "simulated") else 0
    said = [counted(decided.height, "decided"), *(f"{name} {measured(seconds)}" for name, seconds in quantiles)]
    title = heading(LATENCY, *said, *never_happened(decided.height, simulated), offset=20)
    return size(alt.layer(columns, rules, *names), title, width, height)


def approval_backlog(
    waiting: Frame, *, asked: int, simulated: int = 0, width: Width = "container", height: int = 200
) -> Chart:
    """`waiting` is what `approvals.backlog` gives; `asked` is how many approvals it stands on. The line is each step's
    `most`, so that no crowd is lost that came and went between two steps."""
    steps = waiting.lazy().collect()
    if steps.is_empty() or asked == 0:
        return nothing(BACKLOG, width, height)
    moment, most = steps["at"].to_list(), max(steps["most"].to_list())
    chart = (
        alt.Chart(steps)
        .mark_area(interpolate="step-after", color=BLUE, opacity=0.35, line={"color": BLUE, "strokeWidth": 1.5})
        .encode(
            x=alt.X("at:T", scale=alt.Scale(type="utc"), title="time (UTC)", axis=moments(moment[0], moment[-1])),
            y=alt.Y("most:Q", **counting("most waiting at once")),
            tooltip=[
                alt.Tooltip("utcyearmonthdatehoursminutes(at):T", title="from"),
                alt.Tooltip("most:Q", title="most at once"),
                alt.Tooltip("waiting:Q", title="waiting at first"),
            ],
        )
    )
    said = (counted(asked, "asked"), f"most at once {most:,}", *never_happened(asked, simulated))
    return size(chart, heading(BACKLOG, *said), width, height)


def _bars(decided: pl.DataFrame) -> pl.DataFrame:
    """Approvals by time, in steps of equal ratio, stacked by state."""
    step = (pl.col("seconds").clip(lower_bound=SHORTEST).log(10) * A_DECADE).floor().cast(pl.Int64)
    top = pl.col("approvals").cum_sum().over("step")
    return (
        decided.group_by(step=step, state=pl.col("state").cast(pl.String))
        .agg(approvals=pl.len().cast(pl.Int64))
        .sort("step", "state")
        .with_columns(
            low=pl.lit(10.0) ** (pl.col("step") / A_DECADE),
            high=pl.lit(10.0) ** ((pl.col("step") + 1) / A_DECADE),
            bottom=top - pl.col("approvals"),
            top=top,
        )
    )


# The checkpoint funnel: how the window's actions stand at each of the five checkpoints.


CHECKPOINTS_TITLE = "Checkpoints passed"


def rounded_share(part: pl.Expr, whole: pl.Expr) -> pl.Expr:
    """A share of 0 to 1 that, written as a percentage with one decimal, is 100.0% only where it is all."""
    share = part / whole
    return pl.when(part < whole).then(pl.min_horizontal(share, pl.lit(0.999))).otherwise(share)


def checkpoint_funnel(counts: Frame, *, simulated: int = 0, width: Width = "container", height: int = 240) -> Chart:
    """`counts` are those of `pcaa.checkpoint_counts`, or the member `checkpoints` of PCAA health as a frame. The number
    at the end of a bar is complete and denied ones / expected ones."""
    wide = counts.lazy().collect()
    statuses = [status.value for status in CheckpointStatus]
    totals = wide.select(n=pl.sum_horizontal(statuses))["n"]
    n = int(totals.max() or 0)  # type: ignore[arg-type]  # a sum of integers
    if n == 0:
        return nothing(CHECKPOINTS_TITLE, width, height)
    order = list(CHECKPOINTS.values())
    wide = wide.with_columns(checkpoint=pl.col("id").cast(pl.String).replace_strict(CHECKPOINTS))
    rank = {status: at for at, status in enumerate(CHECKPOINT_STATUSES)}
    long = wide.unpivot(statuses, index="checkpoint", variable_name="status", value_name="actions").with_columns(
        rank=pl.col("status").replace_strict(rank, return_dtype=pl.Int64)
    )
    y = alt.Y(
        "checkpoint:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, labelOverlap=False, **CLOSE)
    )
    bars = (
        alt.Chart(long)
        .mark_bar(cornerRadius=2, height={"band": 0.68})
        .encode(
            x=alt.X("actions:Q", scale=alt.Scale(domain=[0, n], nice=False), **counting("actions")),
            y=y,
            color=alt.Color("status:N", **colours(CHECKPOINT_STATUSES)),
            order=alt.Order("rank:Q"),
            tooltip=["checkpoint:N", "status:N", alt.Tooltip("actions:Q", format=",")],
        )
    )
    expected = pl.sum_horizontal(status for status in statuses if status != CheckpointStatus.NOT_REQUIRED.value)
    answered = pl.col(CheckpointStatus.COMPLETE.value) + pl.col(CheckpointStatus.DENIED.value)
    share = wide.select("checkpoint", expected=expected, share=rounded_share(answered, expected))
    ends = (
        alt.Chart(share.filter(pl.col("expected") > 0))
        .mark_text(x=alt.ExprRef("width + 6"), align="left", color=MUTED, fontSize=12, fontWeight="bold")
        .encode(y=y, text=alt.Text("share:Q", format=".1%"))
    )
    title = heading(CHECKPOINTS_TITLE, counted(n, "actions"), *never_happened(n, simulated))
    return size(alt.layer(bars, ends), title, width, height)


# One action's life: bars for what took time, marks for what was recorded.
#
# A tree head is signed every few minutes, which would press a life of a second into a line. Where it came later than
# the life was long, its mark stands at the right edge as a triangle that points beyond it, and says how much later.


REPLAY_TITLE = "What happened"
BARS = ("waiting", "running")


def replay_gantt(timeline: Frame, *, simulated: bool = False, width: Width = "container", height: int = 200) -> Chart:
    """`timeline` is what `replay.timeline` gives."""
    told = timeline.lazy().collect().with_columns(pl.col("lane").cast(pl.String))
    if told.is_empty():
        return nothing(REPLAY_TITLE, width, height)
    entries, later = _near(told)
    kinds = entries["kind"].unique(maintain_order=True).to_list()
    scale = alt.Scale(domain=kinds, range=[TIMELINE[each] for each in kinds])
    kind, outline = alt.Color("kind:N", scale=scale, legend=None), alt.Stroke("kind:N", scale=scale, legend=None)
    shown = [lane for lane in LANES if lane in set(entries["lane"])]
    moment = [*entries["start"].to_list(), *entries["end"].drop_nulls().to_list()]
    axis = alt.Axis(ticks=False, domain=False, labelOverlap=False, grid=True, gridOpacity=0.35, **CLOSE)
    y = alt.Y("lane:N", sort=shown, scale=alt.Scale(domain=shown), title=None, axis=axis)
    x = alt.X(
        "start:T",
        scale=alt.Scale(type="utc", nice=False, padding=14),
        title="time (UTC)",
        axis=moments(min(moment), max(moment)),
    )
    tips = [
        alt.Tooltip("text:N", title="what"),
        alt.Tooltip("utcyearmonthdatehoursminutesseconds(at):T", title="at"),
    ]
    bars = (
        alt.Chart(entries.filter(pl.col("kind").is_in(BARS)))
        # The outline keeps a moment's work visible beside a day's wait.
        .mark_bar(height={"band": 0.5}, cornerRadius=3, opacity=0.6, strokeWidth=2)
        .encode(x=x, x2="end:T", y=y, color=kind, stroke=outline, tooltip=tips)
    )
    is_mark = ~pl.col("kind").is_in(BARS)
    marks = (
        alt.Chart(entries.filter(is_mark & ~pl.col("beyond")))
        .mark_point(shape="diamond", filled=True, size=110, opacity=1)
        .encode(x=x, y=y, color=kind, tooltip=tips)
    )
    layers: list[alt.Chart] = [bars, marks]
    if later is not None:
        edge = alt.Chart(entries.filter(is_mark & pl.col("beyond"))).encode(x=x, y=y, color=kind, tooltip=tips)
        layers.append(edge.mark_point(shape="triangle-right", filled=True, size=130, opacity=1))
        layers.append(edge.mark_text(text=later, align="right", dx=-12, color=MUTED).encode(color=alt.value(MUTED)))
    return size(alt.layer(*layers), _heading(entries, moment, simulated), width, height)


def _near(told: pl.DataFrame) -> tuple[pl.DataFrame, str | None]:
    """The entries with `beyond`, whether the mark stands at the edge, and `at`, when it was; and how much later."""
    told = told.with_columns(at=pl.col("start"))
    life = told.filter(pl.col("lane") != "proof")
    moments = [*life["start"].to_list(), *life["end"].drop_nulls().to_list()]
    proven = told.filter(pl.col("lane") == "proof")["start"].to_list()
    if not moments or not proven:
        return told.with_columns(beyond=pl.lit(False)), None
    begin, end = min(moments), max(moments)
    if proven[0] - end <= end - begin:
        return told.with_columns(beyond=pl.lit(False)), None
    later = f"{measured((proven[0] - end).total_seconds())} later"
    is_proof = pl.col("lane") == "proof"
    start = pl.when(is_proof).then(pl.lit(end).cast(told.schema["start"])).otherwise(pl.col("start"))
    text = pl.when(is_proof).then(pl.format("{}, {}", "text", pl.lit(later))).otherwise(pl.col("text"))
    return told.with_columns(start=start, text=text, beyond=is_proof), later


def _heading(entries: pl.DataFrame, moment: list[datetime], simulated: bool) -> alt.TitleParams:
    said = [counted(entries.height, "entries"), f"over {measured((max(moment) - min(moment)).total_seconds())}"]
    if entries["open"].any():
        said.append("still open")
    if simulated:
        said.append("simulated")
    return heading(REPLAY_TITLE, *said)
