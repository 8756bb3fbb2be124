"""What profile scores add up to.

1. A score lies between 0 and 100; rows without one, or with one outside (NaN too), do not count.
2. `n` is how many, `avg`, `min` and `max` are of the scores, `stddev` is the sample's (n - 1).
3. Quantiles interpolate linearly between the two nearest scores (type 7 of Hyndman and Fan 1996, as NumPy does).
4. `avg_low` and `avg_high` are Student's 95% interval of the mean (`means`), cut at 0 and 100. It supposes that actions
   are scored independently; of scores that are all alike it has no width.
5. `simulated` counts the scores of actions that a simulator made up.
6. `clustered_average` takes scores of one session (of one agent within an hour, where they have none) as one: the
   mean's interval is that of `clusters`, cut at 0 and 100.
7. With fewer than two scores `status` is `insufficient_data` and the interval reaches from 0 to 100: one score says
   nothing about how much scores vary.
"""

from __future__ import annotations

import polars as pl

from assent_analytics.clusters import ClusterEstimate, cluster_keys, clustered_mean
from assent_analytics.frames import Frame, need, numbers_type, simulated, weight
from assent_analytics.means import mean_interval

QUANTILES = {"p10": 0.10, "p25": 0.25, "p50": 0.50, "p75": 0.75, "p90": 0.90}
HIGHEST = 100.0


def stats(scores: Frame, column: str = "composite_score") -> pl.LazyFrame:
    """One row of rules 2 to 6: `n`, `avg`, `avg_low`, `avg_high`, `min`, `max`, `stddev`, the quantiles `p10`, `p25`,
    `p50`, `p75` and `p90`, `simulated` and `status`. Alike rows may come once with their number in `n`."""
    frame = need(scores, (column,), "scores")
    known = (
        frame.select(_value=pl.col(column).cast(pl.Float64), _times=weight(scores), _simulated=simulated(scores))
        .filter(pl.col("_value").is_between(0, HIGHEST) & (pl.col("_times") > 0))
        # Scores have two decimals, so that there are few distinct ones however many rows there are.
        .group_by("_value")
        .agg(pl.col("_times").sum(), pl.col("_times").filter("_simulated").sum().alias("_simulated"))
        .sort("_value")
        .with_columns(_until=pl.col("_times").cum_sum())
    )
    value, times = pl.col("_value"), pl.col("_times")
    n = times.sum()
    avg = (value * times).sum() / n
    squares = (times * (value - avg) ** 2).sum()
    numbers = known.select(
        n.cast(pl.Int64).alias("n"),
        pl.when(n > 0).then(avg).alias("avg"),
        value.first().alias("min"),
        value.last().alias("max"),
        pl.when(n > 1).then((squares / (n - 1)).sqrt()).alias("stddev"),
        *(_quantile(share).alias(name) for name, share in QUANTILES.items()),
        pl.col("_simulated").sum().cast(pl.Int64).alias("simulated"),
        pl.when(n > 1).then(pl.lit("ok")).otherwise(pl.lit("insufficient_data")).alias("status"),
    )
    interval = pl.struct("avg", "stddev", "n").map_elements(_interval, return_dtype=numbers_type("avg_low", "avg_high"))
    return numbers.with_columns(interval.alias("_interval")).unnest("_interval")


def clustered_average(
    scores: Frame, column: str = "composite_score", *, time: str = "occurred_at"
) -> tuple[ClusterEstimate, str]:
    """Rule 6, and what the clusters are. A score is a row, with what `cluster_keys` looks at. Raises ValueError as that
    does."""
    value = pl.col(column).cast(pl.Float64)
    known = need(scores, (column,), "scores").filter(value.is_between(0, HIGHEST)).collect()
    keys = cluster_keys(known, time=time)
    found = clustered_mean(known.select(value).to_series(), keys.codes)
    if found.low is None or found.high is None:
        return found, keys.basis
    return found._replace(low=max(found.low, 0.0), high=min(found.high, HIGHEST)), keys.basis


def _quantile(share: float) -> pl.Expr:
    """Of values in order, each as often as its row counts: `_until` is how many come up to and with it."""
    value, until = pl.col("_value"), pl.col("_until")
    place = (until.last() - 1).cast(pl.Float64) * share
    low, high = (
        value.get(until.search_sorted(at.cast(pl.Int64), side="right"), null_on_oob=True)
        for at in (place.floor(), place.ceil())
    )
    return low + (high - low) * (place - place.floor())


def _interval(row: dict[str, float | None]) -> dict[str, float]:
    low, high = mean_interval(row["avg"] or 0.0, row["stddev"], int(row["n"] or 0), 0.0, HIGHEST)
    return {"avg_low": low, "avg_high": high}
