"""Whether an agent's scores rise: its trend over days or weeks (velocity), and its level of maturity; also the trend of
any few points.

The trend of a few points is how much a number changes from one step to the next.

1. Theil and Sen's slope is the median of the slopes between all pairs of points (P. K. Sen, "Estimates of the
   regression coefficient based on Kendall's tau", Journal of the American Statistical Association 63 (1968),
   1379-1389). One wild point in four does not move it far.
2. Its interval follows from the variance of Kendall's S under no trend, ties counted (Sen 1968, section 6),

       18 * variance = n(n - 1)(2n + 5) - sum of t(t - 1)(2t + 5) over the groups of t equal values:

   with N slopes and z the normal quantile, it lies between the ones that stand at (N -+ z * sqrt(variance)) / 2 in
   order. Below 5 points even the outermost slopes cover less than 95%, and there is none.
3. The least-squares slope has Student's interval with n - 2 degrees of freedom, from 3 points on. It supposes errors
   that are alike and normal.
4. Points at the same place have no slope between them. Of fewer than 2 places there is no slope. Points of one height
   have the slope 0 and no interval: nothing shows how much they scatter. Nor is there one where so many points share
   places and heights that the variance of rule 2 is not above 0.

Time and memory grow with the square of the points: 400 of them make 80,000 slopes.
"""

from __future__ import annotations

from functools import cache
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
import numpy as np
import polars as pl

from assent_analytics.frames import Frame, count, need, simulated, utc
from assent_analytics.means import mean_half_width, t_quantile
from assent_analytics.rates import wilson_band

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

LEAST_FOR_SEN = 5
LEAST_FOR_STUDENT = 3


class Slope(NamedTuple):
    """Per step of x. `low` and `high` are None where the points are too few for an interval, all three where they
    have no slope."""

    slope: float | None
    low: float | None
    high: float | None


def theil_sen(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> Slope:
    """Rules 1 and 2, for points that are finite. Raises ValueError for x and y of different lengths."""
    places, values = _points(x, y)
    upper, lower = np.triu_indices(len(places), 1)
    across = places[lower] - places[upper]
    rise = values[lower] - values[upper]
    slopes = np.sort(rise[across != 0] / across[across != 0])
    if not len(slopes):
        return Slope(None, None, None)
    middle = float(np.median(slopes)) + 0.0
    variance = _variance(places, values)
    if len(places) < LEAST_FOR_SEN or variance <= 0:
        return Slope(middle, None, None)
    spread = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(variance)
    count = len(slopes)
    last = min(round((count + spread) / 2), count - 1)
    first = max(round((count - spread) / 2) - 1, 0)
    return Slope(middle, float(slopes[first]), float(slopes[last]))


def least_squares(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> Slope:
    """Rule 3, for points that are finite. Raises ValueError for x and y of different lengths."""
    places, values = _points(x, y)
    n = len(places)
    if n < 2:
        return Slope(None, None, None)
    across, rise = places - places.mean(), values - values.mean()
    square = float(across @ across)
    if square == 0:
        return Slope(None, None, None)
    slope = float(across @ rise) / square
    if n < LEAST_FOR_STUDENT or _flat(values):
        return Slope(slope, None, None)
    left = rise - slope * across
    half = t_quantile(n - 2, confidence) * sqrt(float(left @ left) / (n - 2) / square)
    return Slope(slope, slope - half, slope + half)


def _points(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    places, values = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if places.shape != values.shape or places.ndim != 1:
        raise ValueError(f"x has the shape {places.shape}, y {values.shape}; give as many of one as of the other")
    return places, values


def _flat(values: NDArray[np.float64]) -> bool:
    return bool((values == values[0]).all())


def _variance(*sides: NDArray[np.float64]) -> float:
    n = len(sides[0])
    total = n * (n - 1) * (2 * n + 5)
    for side in sides:
        counts = np.unique(side, return_counts=True)[1]
        total -= int((counts * (counts - 1) * (2 * counts + 5)).sum())
    return total / 18


# Maturity: how much an agent has done, and how well, in one word and one number.
#
# An agent has the highest level whose three thresholds it reaches: episodes, success rate and mean score. Its maturity
# score is 30 * min(episodes / 1000, 1) + 40 * success rate + 0.3 * mean score, from 0 to 100. Levels, thresholds and
# formula are those of the published system. A level says nothing of chance: a success rate of 0.6 from 50 episodes may
# be 0.46 or 0.72, which is why velocity gives the interval beside it.


class LevelThreshold(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent has to reach: `episodes`, `success_rate` (0 to 1) and `avg_score` (0 to 100)."""

    level: str
    episodes: int
    success_rate: float
    avg_score: float


LEVELS = (
    LevelThreshold(level="novice", episodes=0, success_rate=0.0, avg_score=0.0),
    LevelThreshold(level="developing", episodes=10, success_rate=0.4, avg_score=40.0),
    LevelThreshold(level="competent", episodes=50, success_rate=0.6, avg_score=55.0),
    LevelThreshold(level="proficient", episodes=150, success_rate=0.75, avg_score=65.0),
    LevelThreshold(level="expert", episodes=500, success_rate=0.85, avg_score=75.0),
    LevelThreshold(level="master", episodes=1000, success_rate=0.92, avg_score=85.0),
)
_ENOUGH = 1000


def maturity_level(episodes: pl.Expr, success_rate: pl.Expr, avg_score: pl.Expr) -> pl.Expr:
    """The name of the level; novice where the rates are null."""
    level = pl.lit(LEVELS[0].level)
    for each in LEVELS[1:]:
        enough = episodes >= each.episodes
        reached = enough & (success_rate >= each.success_rate) & (avg_score >= each.avg_score)
        level = pl.when(reached).then(pl.lit(each.level)).otherwise(level)
    return level


def maturity_score(episodes: pl.Expr, success_rate: pl.Expr, avg_score: pl.Expr) -> pl.Expr:
    """0 to 100; null where the rates are."""
    return 30 * (episodes / _ENOUGH).clip(0, 1) + 40 * success_rate + 0.3 * avg_score


# Velocity: whether an agent's episodes get better, and how fast.
#
# 1. Time is cut into windows of a `period`: days, or weeks from Monday on, both UTC; an episode belongs to the window
#    in which it ended. A window's value is the mean score of its episodes.
# 2. `velocity` is the least-squares slope of these values, in points of score per period, as published; `velocity_low`
#    and `velocity_high` are Student's interval of it. A window without episodes has no value and leaves its place free:
#    two windows that are a week apart count as seven days.
# 3. `slope`, `slope_low` and `slope_high` are Theil and Sen's, which one wild window does not move (`theil_sen`; from
#    five windows on with an interval). Both intervals suppose windows that scatter alike and independently.
# 4. `acceleration` is the least-squares slope of the later half of the windows less that of the earlier half, from
#    three windows on; where their number is odd, the middle one belongs to both. `score_delta` is the last value less
#    the first.
# 5. Over all its episodes: `avg_score` with Student's interval, `success_rate` with Wilson's, and the maturity
#    (above).
# 6. `status` is `insufficient_data` below three episodes or two windows: then there is no trend, and rules 2 to 4 are
#    null.


Period = Literal["daily", "weekly"]
PERIODS: dict[Period, tuple[str, int]] = {"daily": ("1d", 1), "weekly": ("1w", 7)}
"""How each is written, and its days."""
LEAST_EPISODES, LEAST_WINDOWS, LEAST_FOR_ACCELERATION = 3, 2, 3

_NEEDED = ("agent_id", "ended_at", "score", "success")


@cache
def _trend_types() -> dict[str, pl.DataType]:
    """What a trend has beside its keys."""
    return {
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
    return pl.concat([found, pl.DataFrame(trends, schema=_trend_types(), orient="row")], how="horizontal").select(
        "agent_id",
        pl.lit(period).alias("period"),
        *("period_start", "period_end", "n", "windows", *_trend_types()),
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
        return (None,) * len(_trend_types())
    half = (len(at) + 1) // 2
    acceleration = None
    if len(at) >= LEAST_FOR_ACCELERATION:
        earlier, later = least_squares(at[:half], values[:half]), least_squares(at[-half:], values[-half:])
        acceleration = (later.slope or 0.0) - (earlier.slope or 0.0)
    return *least_squares(at, values), *theil_sen(at, values), acceleration, values[-1] - values[0]
