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

from assent_analytics.clusters import cluster_keys, clustered_difference, named_runs
from assent_analytics.frames import Frame, bounded, columns, count, need, simulated, stated_risk, utc
from assent_analytics.means import mean_half_width, t_quantile
from assent_analytics.one_thread import one_thread
from assent_analytics.rates import wilson_band
from assent_analytics.same_work import BAND, part_of_week, seasons, standardized

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
#    the first. What belongs together within these two windows makes its interval, `score_delta_low` to
#    `score_delta_high`: the clustered difference of the episodes of the last and of the first, in
#    `score_delta_clusters` clusters worth `score_delta_n_effective` independent episodes (`clusters`;
#    `score_delta_basis` says what they are). With one cluster in either window nothing tells chance, and it has none.
# 5. Over all its episodes: `avg_score` with Student's interval, `success_rate` with Wilson's, and the maturity
#    (above).
# 6. `status` is `insufficient_data` below three episodes or two windows: then there is no trend, and rules 2 to 4 are
#    null.
# 7. A trend may come from easier work, or from other hours, alone. `standardized` is the slope at the same work and the
#    same season (`same_work`), and `mix` the rest of `velocity`. Both add up exactly, and without any change of the
#    work and its hours `mix` is 0. `direction` is improving or declining where the intervals of `standardized` and of
#    `without_season`, the slope at the same work alone, both leave out 0 on that side, else unclear. Difficulty that
#    nothing records is not taken out; and of an agent that states lower risks as it learns, some of the learning is.
# 8. A session (`session_id`; of an episode that has none its thread, `thread_id`, as in `clusters`) that lasts longer
#    than a window may make two blocks of windows alike. Where such sessions have more than `LONG_SHARE` of an agent's
#    episodes, each of its sessions counts whole in the block of its mean window. Of more than `SESSION_ROWS` episodes
#    an agent, a part of the sessions tells how long they are.
# 9. An episode counts that has an agent, an end, a score that is a finite number, and a success. `left_out` are those
#    of an agent that have ended and lack the score or the success: as a zero they would be a decline where more of them
#    lack it than before. Where what lacks it differs from the rest, the rest alone is told of.


Period = Literal["daily", "weekly"]
PERIODS: dict[Period, tuple[str, int]] = {"daily": ("1d", 1), "weekly": ("1w", 7)}
"""How each is written, and its days."""
LEAST_EPISODES, LEAST_WINDOWS, LEAST_FOR_ACCELERATION = 3, 2, 3

_NEEDED = ("agent_id", "ended_at", "score", "success")
_CELL = (
    *("agent_id", "_agent", "_pair", "_place", "_at", "_sort", "_home", "_part", "n", "total", "successes", "squares"),
    *("_risk", "_risk_squared", "_risk_score", "first", "last", "simulated"),
)
_DAY = 86_400_000_000
LONG_SHARE = 0.1
"""From which share of the episodes on sessions that are longer than a window count whole."""
SESSION_ROWS = 2000
"""Of about so many episodes an agent the sessions tell how long they are."""


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
    `successes`, `squares` (of scores, summed) and `simulated`; of the episodes that count (rule 9).

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


@one_thread()
def velocity(episodes: Frame, period: Period = "daily") -> pl.DataFrame:
    """One row for each agent, in the order of ids: `agent_id`, `period`, `period_start` and `period_end` (when its
    first and last episode ended, UTC), `n`, `windows`, the numbers of rules 2 to 6, `standardized`, `standardized_low`,
    `standardized_high`, `mix`, `without_season`, `without_season_low`, `without_season_high`, `kinds`, `clusters`,
    `basis`, `unmatched` and `direction` (rules 7 and 8), the members of `score_delta_` (rule 4), `left_out` (rule 9)
    and `simulated`. An agent of which nothing counts has no row.

    Kinds of work are told by `action_type`, `reversible` and `agent_risk_score` (`risk_score` in frames without such a
    column), where they are there, clusters by `session_id` and `thread_id`. Raises ValueError for another period,
    and one that names missing columns.
    """
    every, days = _period(period)
    # Looked at more than once: what it takes to make a lazy frame is taken once.
    known = _known(episodes)
    rows, named = _numbers(known, days), bool(named_runs(known.columns))
    visits = _visits(rows)
    whole, season = _long(rows, visits) if named else {}, seasons(visits, days)
    seasonal = season.filter(pl.col("hours") | pl.col("days"))["_agent"].to_list()
    cells = _cells(_placed(rows, list(whole), seasonal), *["_part"] * bool(seasonal), *["_home"] * bool(whole))
    n, successes, squares = pl.col("n"), pl.col("successes"), pl.col("squares")
    rate, mean = successes / n, pl.col("avg_score")
    low, high = wilson_band(successes, n)
    half = mean_half_width(pl.col("sd"), n)
    cut = (
        cells.lazy()
        .group_by("agent_id", "_at")
        .agg(
            pl.col("first").min(),
            pl.col("last").max(),
            pl.col("n", "total", "successes", "squares", "simulated").sum(),
        )
        .sort("agent_id", "_at")
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
            (pl.col("_at") - pl.col("_at").min()).cast(pl.Float64).alias("_places"),
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
    trends = [_trend(*row) for row in found.select("_places", "_values", "enough").iter_rows()]
    trend = pl.DataFrame(trends, schema=_trend_types(), orient="row")
    delta = _deltas(episodes, every, found["enough"].to_list())
    of_agent = [whole.get(agent) for agent in season["_agent"]]
    season = season.with_columns(pl.Series("whole", of_agent, dtype=pl.String))
    within = standardized(cells, found["enough"].to_numpy(), season, days)
    better = pl.min_horizontal("standardized_low", "without_season_low") > 0
    worse = pl.max_horizontal("standardized_high", "without_season_high") < 0
    both = pl.all_horizontal(pl.col("standardized_low", "without_season_low").is_not_null())
    told = pl.concat([found, trend, within, delta], how="horizontal").join(_left_out(known), on="agent_id", how="left")
    return told.sort("agent_id").select(
        "agent_id",
        pl.lit(period).alias("period"),
        *("period_start", "period_end", "n", "windows", *_trend_types()),
        *("avg_score", "avg_low", "avg_high", "success_rate", "success_low", "success_high"),
        *("maturity_level", "maturity_score", "status"),
        *("standardized", "standardized_low", "standardized_high"),
        (pl.col("velocity") - pl.col("standardized")).alias("mix"),
        *("without_season", "without_season_low", "without_season_high"),
        *("kinds", "clusters", "basis", "unmatched"),
        pl.when(both & better)
        .then(pl.lit("improving"))
        .when(both & worse)
        .then(pl.lit("declining"))
        .otherwise(pl.lit("unclear"))
        .alias("direction"),
        *delta.columns,
        pl.col("left_out").fill_null(0),
        "simulated",
    )


def overall(episodes: Frame) -> pl.LazyFrame:
    """One row over all episodes that have a score and a success, by rule 5: `total_episodes`, `avg_score`, `avg_low`,
    `avg_high`, `success_rate`, `success_low`, `success_high`, `status`, `left_out` (those that lack one of them) and
    `simulated`. Of none, the numbers are null."""
    score, success = pl.col("score").cast(pl.Float64), pl.col("success")
    n, mean, half = (
        pl.col("total_episodes"),
        pl.col("avg_score"),
        mean_half_width(pl.col("sd"), pl.col("total_episodes")),
    )
    low, high = wilson_band(pl.col("successes"), n)
    once = pl.lit(1, pl.Int64)
    return (
        need(episodes, ("score", "success"), "episodes")
        .select(
            count(_scored(), once).alias("total_episodes"),
            score.filter(_scored()).mean().alias("avg_score"),
            score.filter(_scored()).std().alias("sd"),
            success.filter(_scored()).sum().cast(pl.Int64).alias("successes"),
            count(~_scored(), once).alias("left_out"),
            count(simulated(episodes) & _scored(), once).alias("simulated"),
        )
        .select(
            *("total_episodes", "avg_score"),
            (mean - half).clip(0, 100).alias("avg_low"),
            (mean + half).clip(0, 100).alias("avg_high"),
            pl.when(n > 0).then(pl.col("successes") / n).alias("success_rate"),
            pl.when(n > 0).then(low).alias("success_low"),
            pl.when(n > 0).then(high).alias("success_high"),
            pl.when(n >= LEAST_EPISODES).then(pl.lit("ok")).otherwise(pl.lit("insufficient_data")).alias("status"),
            *("left_out", "simulated"),
        )
    )


def _period(period: Period) -> tuple[str, int]:
    if period not in PERIODS:
        raise ValueError(f"period is {period!r}; give one of {', '.join(PERIODS)}")
    return PERIODS[period]


def _counts() -> pl.Expr:
    """Whether an episode is of an agent, has ended, and has a score and a success."""
    return _ended() & _scored()


def _ended() -> pl.Expr:
    return pl.col("agent_id").is_not_null() & pl.col("ended_at").is_not_null()


def _scored() -> pl.Expr:
    return pl.col("score").cast(pl.Float64).is_finite().fill_null(False) & pl.col("success").is_not_null()


def _left_out(episodes: pl.DataFrame) -> pl.DataFrame:
    """How many episodes of each agent have ended and lack a score or a success; no row of an agent that has none."""
    return (
        episodes.lazy()
        .filter(_ended() & ~_scored())
        .group_by(pl.col("agent_id").cast(pl.String))
        .agg(pl.len().cast(pl.Int64).alias("left_out"))
        .collect()
    )


def _known(episodes: Frame) -> pl.DataFrame:
    """The columns that count. Raises ValueError that names those that are missing or hold something else."""
    further = ("action_type", "reversible", "agent_risk_score", "risk_score", "session_id", "thread_id", "source")
    there = columns(episodes)
    known = need(episodes, _NEEDED, "episodes").select(*_NEEDED, *(name for name in further if name in there))
    return bounded(known.collect(), "score", "episodes")


def _numbers(episodes: pl.DataFrame, days: int) -> pl.LazyFrame:
    """What counts of each episode, as numbers: its agent and type, its window (`_at`), its kind of work (rule 7) and
    its risk; its part of the week; and its session, else its thread, where the episodes have them."""
    there = episodes.columns
    number = stated_risk(episodes)
    risk = pl.when(number.is_finite()).then(number.clip(0, 100))
    # Texts as numbers: grouping is three times as fast so.
    agent = pl.col("agent_id").cast(pl.String).cast(pl.Categorical)
    kind = (pl.col("action_type").cast(pl.String) if "action_type" in there else pl.lit(None, pl.String)).cast(
        pl.Categorical
    )
    undo = pl.col("reversible").cast(pl.Boolean) if "reversible" in there else pl.lit(None, pl.Boolean)
    band = (risk / BAND).floor().clip(0, 100 / BAND - 1).cast(pl.Int64).fill_null(7)
    at = utc("ended_at").dt.epoch("us") // _DAY
    # The first of January 1970 was a Thursday, and weeks begin on Monday.
    at = at if days == 1 else (at + 3) // days
    session = pl.coalesce(*(key for _, key in named_runs(there)), pl.lit(None, pl.String))
    return (
        episodes.lazy()
        .filter(_counts())
        .select(
            agent.alias("agent_id"),
            (
                agent.to_physical().cast(pl.UInt64) * 2**32 + kind.to_physical().cast(pl.UInt64).fill_null(2**32 - 1)
            ).alias("_pair"),
            (at * 32 + undo.cast(pl.Int64).fill_null(2) * 8 + band).alias("_place"),
            utc("ended_at").alias("ended_at"),
            pl.col("score").cast(pl.Float64).alias("score"),
            pl.col("success").cast(pl.Boolean).alias("success"),
            risk.fill_null(0.0).alias("_risk"),
            part_of_week(utc("ended_at")).alias("_part"),
            simulated(episodes).alias("simulated"),
            session.alias("_session"),
        )
    )


def _cells(rows: pl.LazyFrame, *more: str) -> pl.DataFrame:
    """Episodes added up by agent, window and kind of work, and by `more`: the part of the week (`_part`, 0 otherwise)
    and the window in whose block they count (`_home`, their own otherwise); with what the regression needs of risk."""
    score, within = pl.col("score"), pl.col("_risk")
    cells = (
        rows.group_by("_pair", "_place", *more)
        .agg(
            pl.col("agent_id").first(),
            pl.len().cast(pl.Int64).alias("n"),
            score.sum().alias("total"),
            pl.col("success").sum().cast(pl.Int64).alias("successes"),
            (score * score).sum().alias("squares"),
            within.sum(),
            (within * within).sum().alias("_risk_squared"),
            (within * score).sum().alias("_risk_score"),
            pl.col("ended_at").min().alias("first"),
            pl.col("ended_at").max().alias("last"),
            pl.col("simulated").sum().cast(pl.Int64),
        )
        .with_columns(
            pl.col("agent_id").cast(pl.String),
            (pl.col("_pair") // 2**32).alias("_agent"),
            (pl.col("_place") // 32).alias("_at"),
            (pl.col("_place") % 32).alias("_sort"),
        )
    )
    own = {"_part": pl.lit(0, pl.Int64), "_home": pl.col("_at")}
    cells = cells.with_columns(value.alias(name) for name, value in own.items() if name not in more)
    # The streaming engine groups as it reads, in half the time.
    return cells.select(*_CELL).collect(engine="streaming")


def _visits(rows: pl.LazyFrame) -> pl.DataFrame:
    """How many episodes `n` each agent has in each window and part of the week."""
    agent, at = (pl.col("_pair") // 2**32).alias("_agent"), (pl.col("_place") // 32).alias("_at")
    return rows.group_by(agent, at, "_part").agg(pl.len().cast(pl.Int64).alias("n")).collect(engine="streaming")


def _long(rows: pl.LazyFrame, visits: pl.DataFrame) -> dict[int, str]:
    """The numbers of the agents of which more than LONG_SHARE of the episodes with a session or thread are of one that
    lasts longer than a window; and which of both they have."""
    agent, at = (pl.col("_pair") // 2**32).alias("_agent"), (pl.col("_place") // 32).alias("_at")
    known = rows.select(agent, at, "_session")
    part = max(1, int(visits["n"].sum()) // (SESSION_ROWS * max(1, visits["_agent"].n_unique())))
    lasts = [_lengths(known if part == 1 else known.filter(pl.col("_session").hash() % part == 0))]
    # Few sessions of an agent with few episodes may be among these, or none.
    if part > 1 and (rest := visits.join(lasts[0], on="_agent", how="anti")["_agent"].unique().to_list()):
        lasts.append(_lengths(known.filter(pl.col("_agent").is_in(rest))))
    n = pl.col("n")
    share = n.filter(pl.col("lasts") > 1).sum() / n.sum()
    threads = pl.col("thread")
    word = (
        pl.when(threads.all()).then(pl.lit("threads")).when(threads.any()).then(pl.lit("sessions and threads"))
    ).otherwise(pl.lit("sessions"))
    shares = pl.concat(lasts).group_by("_agent").agg(share.alias("share"), word.alias("word"))
    return dict(shares.filter(pl.col("share") > LONG_SHARE).select("_agent", "word").iter_rows())


def _lengths(rows: pl.LazyFrame) -> pl.DataFrame:
    """Over how many windows each session lasts, its episodes, and whether it is a thread."""
    return (
        rows.filter(pl.col("_session").is_not_null())
        .group_by("_agent", "_session")
        .agg((pl.col("_at").max() - pl.col("_at").min() + 1).alias("lasts"), pl.len().alias("n"))
        .select("_agent", "lasts", "n", pl.col("_session").str.starts_with("thread:").alias("thread"))
        .collect(engine="streaming")
    )


def _deltas(episodes: Frame, every: str, enough: list[bool]) -> pl.DataFrame:
    """The interval of rule 4 for each agent, in the order of ids."""
    there = columns(episodes)
    window, of = pl.col("window"), "agent_id"
    rows = (
        need(episodes, _NEEDED, "episodes")
        .filter(_counts())
        .select(
            pl.col(of).cast(pl.String),
            utc("ended_at").alias("ended_at"),
            pl.col("score").cast(pl.Float64),
            *(name for name in ("session_id", "thread_id") if name in there),
            window=utc("ended_at").dt.truncate(every),
        )
        .with_columns(last=window == window.max().over(of), first=window == window.min().over(of))
        .filter(pl.col("first") | pl.col("last"))
        .sort(of)
        .collect()
    )
    keys = cluster_keys(rows, time="ended_at")
    lengths = rows.group_by(of, maintain_order=True).len()["len"].to_list()
    begins = np.cumsum([0, *lengths])[:-1].tolist()
    score, first = rows["score"].to_numpy(), rows["first"].to_numpy()
    told: list[tuple[Any, ...]] = []
    for begin, length, trend in zip(begins, lengths, enough, strict=True):
        own = slice(begin, begin + length)
        before, value, codes = first[own], score[own], keys.codes[own]
        if not trend:
            told.append((None,) * 5)
            continue
        found = clustered_difference((value[before], codes[before]), (value[~before], codes[~before]))
        told.append((found.low, found.high, found.clusters, found.n_effective, keys.basis))
    kinds = (pl.Float64(), pl.Float64(), pl.Int64(), pl.Float64(), pl.String())
    names = (f"score_delta_{name}" for name in ("low", "high", "clusters", "n_effective", "basis"))
    return pl.DataFrame(told, schema=dict(zip(names, kinds, strict=True)), orient="row")


def _placed(rows: pl.LazyFrame, whole: list[int], seasonal: list[int]) -> pl.LazyFrame:
    """The rows with a part of the week (0 for agents that are not `seasonal`) and the window in whose block they count
    (`_home`): for agents of `whole` the mean window of their session, if there are any."""
    agent, at = pl.col("_pair") // 2**32, pl.col("_place") // 32
    rows = rows.with_columns(pl.when(agent.is_in(seasonal)).then("_part").otherwise(0).alias("_part"))
    if not whole:
        return rows
    mean = pl.when(pl.col("_session").is_null()).then(at).otherwise(at.mean().over(agent, "_session").round())
    short, long = rows.filter(~agent.is_in(whole)), rows.filter(agent.is_in(whole))
    return pl.concat([short.with_columns(at.alias("_home")), long.with_columns(mean.cast(pl.Int64).alias("_home"))])


def _trend(at: list[float], values: list[float], enough: bool) -> tuple[Any, ...]:
    if not enough:
        return (None,) * len(_trend_types())
    half = (len(at) + 1) // 2
    acceleration = None
    if len(at) >= LEAST_FOR_ACCELERATION:
        earlier, later = least_squares(at[:half], values[:half]), least_squares(at[-half:], values[-half:])
        acceleration = (later.slope or 0.0) - (earlier.slope or 0.0)
    return *least_squares(at, values), *theil_sen(at, values), acceleration, values[-1] - values[0]
