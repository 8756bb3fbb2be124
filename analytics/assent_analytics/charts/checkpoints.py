"""The checkpoint funnel: how the window's actions stand at each of the five checkpoints."""

from __future__ import annotations

import altair as alt
import polars as pl

from assent.contract.pcaa import CheckpointStatus
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
from assent_analytics.charts.palette import CHECKPOINT_STATUSES, CHECKPOINTS, MUTED
from assent_analytics.frames import Frame

TITLE = "Checkpoints passed"


def shown_share(part: pl.Expr, whole: pl.Expr) -> pl.Expr:
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
        return nothing(TITLE, width, height)
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
    share = wide.select("checkpoint", expected=expected, share=shown_share(answered, expected))
    ends = (
        alt.Chart(share.filter(pl.col("expected") > 0))
        .mark_text(x=alt.ExprRef("width + 6"), align="left", color=MUTED, fontSize=12, fontWeight="bold")
        .encode(y=y, text=alt.Text("share:Q", format=".1%"))
    )
    title = heading(TITLE, counted(n, "actions"), *never_happened(n, simulated))
    return size(alt.layer(bars, ends), title, width, height)
