"""What scores of actions add up to.

1. A score lies between 0 and 1; rows without one, or with one outside, do not count.
2. `n` is how many, `mean`, `min` and `max` are of the scores themselves, `sd` is the sample's (n - 1) and null for
   fewer than two.
3. `mean_low` and `mean_high` are Student's 95% interval of the mean (`means`), cut at 0 and 1. It supposes that scores
   judge actions independently; of scores that are all alike it has no width, and then the shares say more.
4. A score of 0.5 or more has `passed`. `pass_rate` is the share, `pass_low` and `pass_high` Wilson's 95% interval.
5. `simulated` counts the scores of actions that a simulator made up.
6. Of nothing, n is 0, means and shares are null, and intervals reach from 0 to 1.
"""

from __future__ import annotations

import polars as pl

from assent_analytics.frames import Frame, count, need, numbers_type, simulated, utc, weight
from assent_analytics.means import mean_interval
from assent_analytics.rates import wilson

PASSED = 0.5
EXCELLENT = 0.8
BUCKETS = ("excellent", "acceptable", "poor")


def summary(scores: Frame) -> pl.LazyFrame:
    """One row of rules 2 to 5 over all scores."""
    frame = _known(scores, "score")
    return _finished(frame.select(*_sums(scores)))


def by_scorer(scores: Frame) -> pl.LazyFrame:
    """The same for each `scorer_name`, in the order of names."""
    frame = _known(scores, "score", "scorer_name")
    return _finished(frame.group_by("scorer_name").agg(*_sums(scores))).sort("scorer_name")


def by_day(scores: Frame) -> pl.LazyFrame:
    """The same for each `date` (UTC, by `created_at`) that has scores, in order."""
    frame = _known(scores, "score", "created_at")
    return _finished(frame.group_by(utc("created_at").dt.date().alias("date")).agg(*_sums(scores))).sort("date")


def distribution(scores: Frame) -> pl.LazyFrame:
    """`bucket`, `count` and `avg_score` of those that are there: excellent from 0.8 on, acceptable from 0.5 on, else
    poor; in this order."""
    value, times = pl.col("score"), weight(scores)
    bucket = pl.when(value >= EXCELLENT).then(0).when(value >= PASSED).then(1).otherwise(2)
    known = _known(scores, "score").group_by(bucket.alias("rank"))
    counted = known.agg(count(value.is_not_null(), times).alias("count"), _mean(value, times).alias("avg_score"))
    name = pl.col("rank").replace_strict(dict(enumerate(BUCKETS)), return_dtype=pl.String)
    return counted.sort("rank").select(name.alias("bucket"), "count", "avg_score")


def _known(scores: Frame, *names: str) -> pl.LazyFrame:
    return need(scores, names, "scores").filter(pl.col("score").is_between(0, 1))


def _mean(value: pl.Expr, times: pl.Expr) -> pl.Expr:
    return (value * times).sum() / (value.is_not_null() * times).sum()


def _sums(scores: Frame) -> list[pl.Expr]:
    value, times = pl.col("score"), weight(scores)
    n = count(value.is_not_null(), times)
    mean = _mean(value, times)
    squares = (times * (value - mean) ** 2).sum()
    return [
        n.alias("n"),
        pl.when(n > 0).then(mean).alias("mean"),
        value.min().alias("min"),
        value.max().alias("max"),
        pl.when(n > 1).then((squares / (n - 1)).sqrt()).alias("sd"),
        count(value >= PASSED, times).alias("passed"),
        count(simulated(scores), times).alias("simulated"),
    ]


def _finished(sums: pl.LazyFrame) -> pl.LazyFrame:
    n = pl.col("n")
    of_mean = pl.struct("mean", "sd", "n").map_elements(_of_mean, return_dtype=numbers_type("low", "high"))
    of_share = pl.struct("passed", "n").map_elements(_of_share, return_dtype=numbers_type("low", "high"))
    return (
        sums.with_columns(
            pl.when(n > 0).then(pl.col("passed") / n).alias("pass_rate"),
            of_mean.alias("_mean"),
            of_share.alias("_share"),
        )
        .with_columns(
            pl.col("_mean").struct.field("low").alias("mean_low"),
            pl.col("_mean").struct.field("high").alias("mean_high"),
            pl.col("_share").struct.field("low").alias("pass_low"),
            pl.col("_share").struct.field("high").alias("pass_high"),
        )
        .drop("_mean", "_share")
    )


def _of_mean(row: dict[str, float | None]) -> dict[str, float]:
    low, high = mean_interval(row["mean"] or 0.0, row["sd"], int(row["n"] or 0), 0.0, 1.0)
    return {"low": low, "high": high}


def _of_share(row: dict[str, int]) -> dict[str, float]:
    low, high = wilson(row["passed"], row["n"])
    return {"low": low, "high": high}
