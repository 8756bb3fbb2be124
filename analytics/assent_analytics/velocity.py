"""Velocity: whether an agent's episodes get better, and how fast.

1. Time is cut into windows of a `period`: days, or weeks from Monday on, both UTC; an episode belongs to the window in
   which it ended. A window's value is the mean score of its episodes.
2. `velocity` is the least-squares slope of these values, in points of score per period, as published; `velocity_low`
   and `velocity_high` are Student's interval of it. A window without episodes has no value and leaves its place free:
   two windows that are a week apart count as seven days.
3. `slope`, `slope_low` and `slope_high` are Theil and Sen's, which one wild window does not move (`trend`; from five
   windows on with an interval). Both intervals suppose windows that scatter alike and independently.
4. `acceleration` is the least-squares slope of the later half of the windows less that of the earlier half, from three
   windows on; where their number is odd, the middle one belongs to both. `score_delta` is the last value less the
   first.
5. Over all its episodes: `avg_score` with Student's interval, `success_rate` with Wilson's, and the maturity
   (`maturity`).
6. `status` is `insufficient_data` below three episodes or two windows: then there is no trend, and rules 2 to 4 are
   null.
"""

from __future__ import annotations

from typing import Any, Literal

import polars as pl

from assent_analytics.frames import Frame, count, need, simulated, utc
from assent_analytics.maturity import maturity_level, maturity_score
from assent_analytics.means import mean_half_width
from assent_analytics.rates import wilson_band
from assent_analytics.trend import least_squares, theil_sen

Period = Literal["daily", "weekly"]
PERIODS: dict[Period, tuple[str, int]] = {"daily": ("1d", 1), "weekly": ("1w", 7)}
"""How each is written, and its days."""
LEAST_EPISODES, LEAST_WINDOWS, LEAST_FOR_ACCELERATION = 3, 2, 3

_NEEDED = ("agent_id", "ended_at", "score", "success")
_TREND: dict[str, pl.DataType] = {
    **dict.fromkeys(
        (
            *("velocity", "velocity_low", "velocity_high", "slope", "slope_low", "slope_high"),
            *("acceleration", "score_delta"),
        ),
        pl.Float64(),
    ),
}


def windows(episodes: Frame, period: Period = "daily") -> pl.LazyFrame:
    """One row for each `agent_id` and `window_start` (UTC) that has episodes, in this order: `n`, `avg_score`,
    `successes`, `squares` (of scores, summed) and `simulated`.

    Raises ValueError for another period, and one that names missing columns.
    """
    every, _ = _period(period)
    once = pl.lit(1, pl.Int64)
    return (
        need(episodes, _NEEDED, "episodes")
        .filter(pl.col("agent_id").is_not_null() & pl.col("ended_at").is_not_null())
        .group_by(
            pl.col("agent_id").cast(pl.String).alias("agent_id"),
            utc("ended_at").dt.truncate(every).alias("window_start"),
        )
        .agg(
            pl.len().cast(pl.Int64).alias("n"),
            pl.col("score").cast(pl.Float64).mean().alias("avg_score"),
            pl.col("success").sum().cast(pl.Int64).alias("successes"),
            (pl.col("score").cast(pl.Float64) ** 2).sum().alias("squares"),
            pl.col("ended_at").min().alias("first"),
            pl.col("ended_at").max().alias("last"),
            count(simulated(episodes), once).alias("simulated"),
        )
        .sort("agent_id", "window_start")
    )


def velocity(episodes: Frame, period: Period = "daily") -> pl.DataFrame:
    """One row for each agent, in the order of ids: `agent_id`, `period`, `period_start` and `period_end` (when its
    first and last episode ended, UTC), `n`, `windows`, the numbers of rules 2 to 6, and `simulated`.

    Raises ValueError for another period, and one that names missing columns.
    """
    cut = windows(episodes, period).collect()
    _, days = _period(period)
    n, successes, squares = pl.col("n"), pl.col("successes"), pl.col("squares")
    rate, mean = successes / n, pl.col("avg_score")
    low, high = wilson_band(successes, n)
    half = mean_half_width(pl.col("sd"), n)
    total = (pl.col("n") * pl.col("avg_score")).sum()
    found = (
        cut.lazy()
        .group_by("agent_id", maintain_order=True)
        .agg(
            pl.col("first").min().alias("period_start"),
            pl.col("last").max().alias("period_end"),
            (total / pl.col("n").sum()).alias("avg_score"),
            pl.col("n").sum(),
            pl.len().cast(pl.Int64).alias("windows"),
            pl.col("successes", "squares", "simulated").sum(),
            _places(days).alias("_at"),
            pl.col("avg_score").alias("_values"),
        )
        .with_columns(
            sd=pl.when(n > 1).then(((squares - n * mean**2) / (n - 1)).clip(0).sqrt()),
            enough=(n >= LEAST_EPISODES) & (pl.col("windows") >= LEAST_WINDOWS),
        )
        .with_columns(
            avg_low=(mean - half).clip(0, 100),
            avg_high=(mean + half).clip(0, 100),
            success_rate=rate,
            success_low=low,
            success_high=high,
            maturity_level=maturity_level(n, rate, mean),
            maturity_score=maturity_score(n, rate, mean),
            status=pl.when("enough").then(pl.lit("ok")).otherwise(pl.lit("insufficient_data")),
        )
        .collect()
    )
    trends = [_trend(*row) for row in found.select("_at", "_values", "enough").iter_rows()]
    return pl.concat([found, pl.DataFrame(trends, schema=_TREND, orient="row")], how="horizontal").select(
        "agent_id",
        pl.lit(period).alias("period"),
        *("period_start", "period_end", "n", "windows", *_TREND),
        *("avg_score", "avg_low", "avg_high", "success_rate", "success_low", "success_high"),
        *("maturity_level", "maturity_score", "status", "simulated"),
    )


def overall(episodes: Frame) -> pl.LazyFrame:
    """One row over all episodes, by rule 5: `total_episodes`, `avg_score`, `avg_low`, `avg_high`, `success_rate`,
    `success_low`, `success_high`, `status` and `simulated`. Of none, the numbers are null."""
    score, success = pl.col("score").cast(pl.Float64), pl.col("success")
    n, mean, half = (
        pl.col("total_episodes"),
        pl.col("avg_score"),
        mean_half_width(pl.col("sd"), pl.col("total_episodes")),
    )
    low, high = wilson_band(pl.col("successes"), n)
    return (
        need(episodes, ("score", "success"), "episodes")
        .select(
            pl.len().cast(pl.Int64).alias("total_episodes"),
            score.mean().alias("avg_score"),
            score.std().alias("sd"),
            success.sum().cast(pl.Int64).alias("successes"),
            count(simulated(episodes), pl.lit(1, pl.Int64)).alias("simulated"),
        )
        .select(
            *("total_episodes", "avg_score"),
            (mean - half).clip(0, 100).alias("avg_low"),
            (mean + half).clip(0, 100).alias("avg_high"),
            pl.when(n > 0).then(pl.col("successes") / n).alias("success_rate"),
            pl.when(n > 0).then(low).alias("success_low"),
            pl.when(n > 0).then(high).alias("success_high"),
            pl.when(n >= LEAST_EPISODES).then(pl.lit("ok")).otherwise(pl.lit("insufficient_data")).alias("status"),
            "simulated",
        )
    )


def _period(period: Period) -> tuple[str, int]:
    if period not in PERIODS:
        raise ValueError(f"period is {period!r}; give one of {', '.join(PERIODS)}")
    return PERIODS[period]


def _places(days: int) -> pl.Expr:
    """The number of each window, counted from the agent's first."""
    start = pl.col("window_start")
    return ((start - start.min()).dt.total_days() // days).cast(pl.Float64)


def _trend(at: list[float], values: list[float], enough: bool) -> tuple[Any, ...]:
    if not enough:
        return (None,) * len(_TREND)
    half = (len(at) + 1) // 2
    acceleration = None
    if len(at) >= LEAST_FOR_ACCELERATION:
        earlier, later = least_squares(at[:half], values[:half]), least_squares(at[-half:], values[-half:])
        acceleration = (later.slope or 0.0) - (earlier.slope or 0.0)
    return *least_squares(at, values), *theil_sen(at, values), acceleration, values[-1] - values[0]
