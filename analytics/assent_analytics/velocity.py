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
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
import polars as pl

from assent_analytics.clusters import FEWEST, clustered_mean
from assent_analytics.frames import Frame, columns, count, need, simulated, utc
from assent_analytics.means import mean_half_width, t_quantile
from assent_analytics.rates import wilson_band

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

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
# 7. A trend may come from easier work alone. So the score is also regressed on time *within* kinds of work, which are
#    action type, whether it can be taken back, and stated risk in bands of 20, with a line over the risk within bands.
#    Each window has the same weight, as in rule 2. `standardized` is the slope within kinds, of the same work as it
#    were; `mix` is the rest of `velocity`, what moved because other work was done. Both add up exactly, and without
#    any change of the work `mix` is 0.
# 8. Its interval is the cluster jackknife's of `clusters`, over `clusters` blocks of neighbouring windows: one window
#    each below 20 of them, else as many as leave 10 blocks or more (up to 3). What belongs together within a block does
#    not make it too narrow. It is widened by sqrt(n / (n - kinds - 1)), since the kinds are fitted.
#    Each block weighs as much as it tells of the slope, and the effective number of them is (sum of w)^2 / (sum of w^2)
#    (L. Kish, Survey Sampling (1965), section 11.7). With fewer than `FEWEST_BLOCKS` blocks that tell something, or 2
#    effective ones, as where one day lies far from all others, there is no interval; nor where they differ by rounding
#    alone. Student's degrees of freedom are the effective blocks, rounded down; from 10 blocks on twice as many; and
#    never more than the blocks less one.
# 9. `direction` is improving or declining where this interval leaves out 0, else unclear. Difficulty that nothing
#    records is not taken out; and of an agent that states lower risks as it learns, some of the learning is.


Period = Literal["daily", "weekly"]
PERIODS: dict[Period, tuple[str, int]] = {"daily": ("1d", 1), "weekly": ("1w", 7)}
"""How each is written, and its days."""
LEAST_EPISODES, LEAST_WINDOWS, LEAST_FOR_ACCELERATION = 3, 2, 3

BAND = 20
"""Points of risk in a band."""

_NEEDED = ("agent_id", "ended_at", "score", "success")
_KIND = ("_pair", "_sort")
"""Which kind of work within an agent's."""
_FLAT = 1e-9
FEWEST_BLOCKS = 4
"""From how many blocks on, which tell something of the slope, it has an interval."""


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
        .filter(_counts())
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
    first and last episode ended, UTC), `n`, `windows`, the numbers of rules 2 to 6, `standardized`, `standardized_low`,
    `standardized_high`, `mix`, `kinds`, `clusters`, `basis` and `direction` (rules 7 to 9), and `simulated`.

    Kinds of work are told by `action_type`, `reversible` and `risk_score`, where they are there. Raises ValueError for
    another period, and one that names missing columns.
    """
    every, days = _period(period)
    cells = _cells(episodes, every).collect()
    n, successes, squares = pl.col("n"), pl.col("successes"), pl.col("squares")
    rate, mean = successes / n, pl.col("avg_score")
    low, high = wilson_band(successes, n)
    half = mean_half_width(pl.col("sd"), n)
    cut = (
        cells.lazy()
        .group_by("agent_id", "window_start")
        .agg(
            pl.col("first").min(),
            pl.col("last").max(),
            pl.col("n", "total", "successes", "squares", "simulated").sum(),
        )
        .sort("agent_id", "window_start")
    )
    found = (
        cut.group_by("agent_id", maintain_order=True)
        .agg(
            pl.col("first").min().alias("period_start"),
            pl.col("last").max().alias("period_end"),
            (pl.col("total").sum() / n.sum()).alias("avg_score"),
            n.sum(),
            pl.len().cast(pl.Int64).alias("windows"),
            pl.col("successes", "squares", "simulated").sum(),
            _places(days).alias("_at"),
            (pl.col("total") / n).alias("_values"),
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
    trend = pl.DataFrame(trends, schema=_trend_types(), orient="row")
    within = _standardized(cells.sort("agent_id"), found["enough"].to_list(), period)
    return pl.concat([found, trend, within], how="horizontal").select(
        "agent_id",
        pl.lit(period).alias("period"),
        *("period_start", "period_end", "n", "windows", *_trend_types()),
        *("avg_score", "avg_low", "avg_high", "success_rate", "success_low", "success_high"),
        *("maturity_level", "maturity_score", "status"),
        *("standardized", "standardized_low", "standardized_high"),
        (pl.col("velocity") - pl.col("standardized")).alias("mix"),
        *("kinds", "clusters", "basis"),
        pl.when(pl.col("standardized_low") > 0)
        .then(pl.lit("improving"))
        .when(pl.col("standardized_high") < 0)
        .then(pl.lit("declining"))
        .otherwise(pl.lit("unclear"))
        .alias("direction"),
        "simulated",
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


def _counts() -> pl.Expr:
    """Whether an episode is of an agent, has ended and has no score that is not finite."""
    finite = pl.col("score").cast(pl.Float64).is_finite().fill_null(True)
    return pl.col("agent_id").is_not_null() & pl.col("ended_at").is_not_null() & finite


def _cells(episodes: Frame, every: str) -> pl.LazyFrame:
    """Episodes added up by agent, window and kind of work (rule 7), with what the regression needs of risk."""
    frame = need(episodes, _NEEDED, "episodes")
    there = columns(episodes)
    score = pl.col("score").cast(pl.Float64)
    number = pl.col("risk_score").cast(pl.Float64) if "risk_score" in there else pl.lit(None, pl.Float64)
    risk = pl.when(number.is_finite()).then(number.clip(0, 100))
    # Texts as numbers, and what else tells kinds and windows apart as one: grouping is three times as fast so.
    agent = pl.col("agent_id").cast(pl.String).cast(pl.Categorical)
    kind = (pl.col("action_type").cast(pl.String) if "action_type" in there else pl.lit(None, pl.String)).cast(
        pl.Categorical
    )
    undo = pl.col("reversible").cast(pl.Boolean) if "reversible" in there else pl.lit(None, pl.Boolean)
    band = (risk / BAND).floor().clip(0, 100 / BAND - 1).cast(pl.Int64).fill_null(7)
    start = utc("ended_at").dt.truncate(every)
    place = start.dt.epoch("d").cast(pl.Int64) * 32 + undo.cast(pl.Int64).fill_null(2) * 8 + band
    within = risk.fill_null(0.0)
    numbers = frame.filter(_counts()).select(
        (agent.to_physical().cast(pl.UInt64) * 2**32 + kind.to_physical().cast(pl.UInt64).fill_null(2**32 - 1)).alias(
            "_pair"
        ),
        place.alias("_place"),
        agent.alias("agent_id"),
        utc("ended_at").alias("ended_at"),
        score.alias("score"),
        pl.col("success").cast(pl.Boolean).alias("success"),
        within.alias("_risk"),
        simulated(episodes).alias("simulated"),
    )
    once, score, within = pl.lit(1, pl.Int64), pl.col("score"), pl.col("_risk")
    return (
        numbers.group_by("_pair", "_place")
        .agg(
            pl.col("agent_id").first(),
            pl.len().cast(pl.Int64).alias("n"),
            score.sum().alias("total"),
            pl.col("success").sum().cast(pl.Int64).alias("successes"),
            (score**2).sum().alias("squares"),
            within.sum(),
            (within**2).sum().alias("_risk_squared"),
            (within * score).sum().alias("_risk_score"),
            pl.col("ended_at").min().alias("first"),
            pl.col("ended_at").max().alias("last"),
            count(pl.col("simulated"), once).alias("simulated"),
        )
        .with_columns(
            pl.col("agent_id").cast(pl.String),
            (pl.col("_place") % 32).alias("_sort"),
            pl.col("first").dt.truncate(every).alias("window_start"),
        )
    )


def _standardized(cells: pl.DataFrame, enough: list[bool], period: Period) -> pl.DataFrame:
    """Rules 7 and 8 for each agent, in the order of the cells."""
    word = {"daily": "day", "weekly": "week"}[period]
    lengths = cells.group_by("agent_id", maintain_order=True).len()["len"].to_list()
    begins = np.cumsum([0, *lengths])[:-1].tolist()
    rows = [
        _within(cells.slice(begin, length), PERIODS[period][1], word) if trend else (None,) * 6
        for begin, length, trend in zip(begins, lengths, enough, strict=True)
    ]
    types = dict.fromkeys(("standardized", "standardized_low", "standardized_high"), pl.Float64())
    schema = types | {"kinds": pl.Int64(), "clusters": pl.Int64(), "basis": pl.String()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _within(own: pl.DataFrame, days: int, word: str) -> tuple[Any, ...]:
    start = own["window_start"]
    at = ((start - start.min()).dt.total_days() // days).to_numpy()
    kind = np.unique(np.column_stack([own[name].to_numpy() for name in _KIND]), axis=0, return_inverse=True)[1].ravel()
    n, total, risk, risk_squared, risk_score = (
        own[name].to_numpy().astype(np.float64) for name in ("n", "total", "_risk", "_risk_squared", "_risk_score")
    )
    # The same weight for each window.
    each = 1 / np.bincount(at, n)[at]
    heavy = n * each

    def centre(sums: Floats) -> Floats:
        """The mean within the row's kind."""
        return np.asarray((np.bincount(kind, sums * each) / np.bincount(kind, heavy))[kind])

    time, score, stated = at - centre(at * n), centre(total), centre(risk)
    # Sums of products, each of what is left within kinds.
    of_risk = risk - n * stated
    risk_risk = risk_squared - 2 * stated * risk + n * stated**2
    score_risk = risk_score - stated * total - score * of_risk
    spread = float((each * risk_risk).sum())
    line = float((each * time * of_risk).sum()) / spread if spread > _FLAT else 0.0
    rise = float((each * score_risk).sum()) / spread if spread > _FLAT else 0.0
    left = each * (time**2 * n - 2 * line * time * of_risk + line**2 * risk_risk)
    moved = each * (time * (total - n * score) - rise * time * of_risk - line * score_risk + line * rise * risk_risk)
    width = _block(len(np.unique(at)))
    blocks = np.unique(at, return_inverse=True)[1] // width
    weights, sums = np.bincount(blocks, left), np.bincount(blocks, moved)
    kinds, episodes = int(kind.max()) + 1, int(n.sum())
    basis = word if width == 1 else f"{width} {word}s"
    if weights.sum() <= _FLAT:
        return None, None, None, kinds, len(weights), basis
    slope = float(sums.sum() / weights.sum())
    informed = weights > _FLAT * weights.sum()
    known, heavy = sums[informed] / weights[informed], weights[informed]
    found = clustered_mean(known, np.flatnonzero(informed), weights=heavy)
    free = episodes - kinds - 1
    if found.clusters < FEWEST_BLOCKS or found.standard_error is None or free < 1:
        return slope, None, None, kinds, len(weights), basis
    effective = float(heavy.sum() ** 2 / (heavy**2).sum())
    # A window's scores reach to 100, and what is left of them within kinds is exact to some twelve digits.
    if effective < 2 or found.standard_error <= _FLAT:
        return slope, None, None, kinds, len(weights), basis
    freedom = min(found.clusters - 1, int(effective if found.clusters < FEWEST else 2 * effective))
    half = t_quantile(freedom) * found.standard_error * sqrt(episodes / free)
    return slope, slope - half, slope + half, kinds, found.clusters, basis


def _block(windows: int) -> int:
    return 1 if windows < 2 * FEWEST else min(3, windows // FEWEST)


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
