"""Snapshots: what a metric of an agent was like, day by day or over a whole window.

1. The metrics are those of `drift.metrics` but for `action_mix`, which has no mean. Episodes count by the day (UTC) on
   which they ended, decisions by that on which guard was asked.
2. n values have a mean and a sample standard deviation (n - 1). What is null or not finite is no value.
3. The mean of a number has Student's interval, from two values on; a rate has Wilson's.
4. Days, agents and metrics without a value have no row.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import polars as pl

from assent_analytics.drift.metrics import MetricDefinition, chosen
from assent_analytics.frames import Frame, need, simulated, utc
from assent_analytics.means import mean_half_width
from assent_analytics.rates import wilson_band

_TIMES = {"episodes": "ended_at", "decisions": "occurred_at"}


def snapshots(
    episodes: Frame, decisions: Frame, *, metrics: Iterable[str] | None = None, daily: bool = True
) -> pl.LazyFrame:
    """Columns `agent_id`, `metric`, `kind`, `day`, `n`, `mean`, `mean_low`, `mean_high`, `sd`, `simulated`, in the
    order of the first two and of each the newest day first. Without `daily` there is one row for each agent and metric,
    and `day` is the first day with a value. Raises ValueError for a metric that there is not.
    """
    frames = {"episodes": episodes, "decisions": decisions}
    wanted = [each for each in chosen(None if metrics is None else tuple(metrics)) if each.kind != "category"]
    parts = [_of_metric(frames[each.frame], each, daily) for each in wanted]
    if not parts:
        return pl.LazyFrame(schema=_shape())
    return pl.concat(parts).sort("agent_id", "metric", "day", descending=[False, False, True])


@cache
def _shape() -> dict[str, pl.DataType]:
    """The columns of the frame and their types."""
    return {
        **dict.fromkeys(("agent_id", "metric", "kind"), pl.String()),
        "day": pl.Date(),
        "n": pl.Int64(),
        **dict.fromkeys(("mean", "mean_low", "mean_high", "sd"), pl.Float64()),
        "simulated": pl.Int64(),
    }


def _of_metric(frame: Frame, metric: MetricDefinition, daily: bool) -> pl.LazyFrame:
    at = _TIMES[metric.frame]
    given = need(frame, ("agent_id", at, metric.column), metric.frame)
    column = pl.col(metric.column)
    value = (column.cast(pl.Float64) if metric.counted is None else (column == metric.counted).cast(pl.Float64)).alias(
        "value"
    )
    values = given.select(
        pl.col("agent_id").cast(pl.String), utc(at).dt.date().alias("day"), value, simulated(frame).alias("simulated")
    ).filter(pl.col("value").is_finite() & pl.col("day").is_not_null())
    keys = ["agent_id", "day"] if daily else ["agent_id"]
    sums = values.group_by(keys).agg(
        pl.col("day").min().alias("first"),
        pl.len().cast(pl.Int64).alias("n"),
        _known(pl.col("value").mean()).alias("mean"),
        _known(pl.col("value").std()).alias("sd"),
        pl.col("simulated").sum().cast(pl.Int64),
    )
    mean, n = pl.col("mean"), pl.col("n")
    if metric.kind == "proportion":
        low, high = wilson_band((mean * n).round(), n)
    else:
        half = mean_half_width(pl.col("sd"), n.cast(pl.Float64))
        low, high = mean - half, mean + half
    return sums.with_columns(
        pl.lit(metric.name).alias("metric"),
        pl.lit(metric.kind).alias("kind"),
        pl.col("first").alias("day"),
        low.alias("mean_low"),
        high.alias("mean_high"),
    ).select(list(_shape()))


def _known(number: pl.Expr) -> pl.Expr:
    return pl.when(number.is_finite()).then(number)
