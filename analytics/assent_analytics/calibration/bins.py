"""Reliability: what was stated beside what came true, bin by bin.

1. Judged are actions that ran to an end (`episodes.ran`), each by one number from 0 to 100: `confidence` states the
   chance that it succeeds (completed), `risk_score` the chance that it fails (failed). A number that is missing, not
   finite or beyond 0 to 100 states nothing and does not count.
2. The number over 100 is the prediction; it is kept in percent until the end, since a hundredth of a percent rounds in
   either direction. Bins are of equal width and hold their upper edge, the first its lower one
   too: the edges of NumPy's linspace(0, 1, bins + 1), compared as scikit-learn's `calibration_curve` does.
3. A bin that nothing falls into has no row. `mean_predicted` and `observed` are shares, `observed_low` and
   `observed_high` Wilson's 95% interval (`rates`). `simulated` counts rows that a simulator made.
4. What was blocked, denied or expired (`episodes.stopped`), and what was cancelled while it ran (`episodes.cancelled`),
   stated a number too, and has no outcome. `bounds` counts both apart, and `least` and `most` are the shares that would
   have come true if none of them, or all of them, had (C. F. Manski, "Nonparametric bounds on treatment effects",
   American Economic Review 80 (1990), 319-323).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nextafter

import numpy as np
import polars as pl

from assent.contract.control.actions import ActionStatus
from assent_analytics.episodes import cancelled, ran, stopped
from assent_analytics.frames import Frame, count, need, numbers_type, one_of, simulated, weight
from assent_analytics.rates import wilson

PREDICTORS = {"confidence": True, "risk_score": False}
"""What states something -> whether it is success that it states."""


def reliability(actions: Frame, of: str = "confidence", *, bins: int = 10) -> pl.DataFrame:
    """One row per bin with something in it, in order: `of`, `bin` (from 0), `low`, `high` (its edges), `n`,
    `mean_predicted`, `observed`, `observed_low`, `observed_high`, `simulated`.

    Needs `status` and the column `of`. Raises ValueError for another predictor and for fewer than 1 bin.
    """
    edges = edges_of(bins)
    times, made = pl.col("n"), pl.col("made")
    return (
        judged(actions, of)
        .with_columns(bin_of(edges))
        .group_by("bin")
        .agg(
            times.sum().alias("n"),
            ((pl.col("stated") * times).sum() / (100 * times.sum())).alias("mean_predicted"),
            count(pl.col("happened"), times).alias("happened"),
            count(made, times).alias("simulated"),
        )
        .sort("bin")
        .with_columns(
            pl.lit(of).alias("of"),
            pl.col("bin").replace_strict(dict(enumerate(edges[:-1])), return_dtype=pl.Float64).alias("low"),
            pl.col("bin").replace_strict(dict(enumerate(edges[1:])), return_dtype=pl.Float64).alias("high"),
            (pl.col("happened") / pl.col("n")).alias("observed"),
            pl.struct("happened", "n")
            .map_elements(_wilson, return_dtype=numbers_type("low", "high"))
            .alias("_interval"),
        )
        .select(
            *("of", "bin", "low", "high", "n", "mean_predicted", "observed"),
            pl.col("_interval").struct.field("low").alias("observed_low"),
            pl.col("_interval").struct.field("high").alias("observed_high"),
            "simulated",
        )
        .collect()
    )


def bounds(actions: Frame, of: str = "confidence", *, bins: int = 10) -> pl.DataFrame:
    """Rule 4, one row per bin with something in it, in order: `of`, `bin`, `n`, `stopped`, `cancelled`, `least`,
    `most`. With `bins=1` it is that of the base rate. Needs and raises what `reliability` does."""
    edges = edges_of(bins)
    stated, times, without = pl.col(of).cast(pl.Float64), pl.col("n"), pl.col("stopped") + pl.col("cancelled")
    none = pl.lit(0, pl.Int64)
    released = judged(actions, of).select("stated", "happened", "n", stopped=none, cancelled=none)
    halted, given_up = stopped(actions), cancelled(actions)
    untold = (
        need(actions, ("status", of), "actions")
        .filter(halted | given_up, stated.is_between(0, 100))
        .select(
            stated.alias("stated"),
            pl.lit(False).alias("happened"),
            none.alias("n"),
            pl.when(halted).then(weight(actions)).otherwise(0).alias("stopped"),
            pl.when(given_up).then(weight(actions)).otherwise(0).alias("cancelled"),
        )
    )
    happened = pl.col("happened") / (times + without)
    return (
        pl.concat([released, untold])
        .with_columns(bin_of(edges))
        .group_by("bin")
        .agg(pl.col("n", "stopped", "cancelled").sum(), count(pl.col("happened"), times).alias("happened"))
        .filter(times + without > 0)
        .sort("bin")
        .select(
            pl.lit(of).alias("of"),
            *("bin", "n", "stopped", "cancelled"),
            happened.alias("least"),
            (happened + without / (times + without)).alias("most"),
        )
        .collect()
    )


def judged(actions: Frame, of: str, more: Sequence[pl.Expr] = ()) -> pl.LazyFrame:
    """The actions that count by rule 1: `stated` (0 to 100), `happened`, `made` (simulated), `n`, and `more`."""
    if of not in PREDICTORS:
        raise ValueError(f"{of!r} predicts nothing here; give one of {', '.join(PREDICTORS)}")
    stated = pl.col(of).cast(pl.Float64)
    completed = one_of("status", ActionStatus.COMPLETED)
    return (
        need(actions, ("status", of), "actions")
        .filter(ran(), stated.is_between(0, 100))
        .select(
            stated.alias("stated"),
            (completed if PREDICTORS[of] else ~completed).alias("happened"),
            simulated(actions).alias("made"),
            weight(actions).alias("n"),
            *more,
        )
    )


def edges_of(bins: int) -> list[float]:
    if bins < 1:
        raise ValueError(f"bins is {bins}; give 1 or more, such as 10")
    return [float(edge) for edge in np.linspace(0.0, 1.0, bins + 1)]


def bin_of(edges: list[float]) -> pl.Expr:
    """`bin`: how many of the inner edges lie below the prediction."""
    below = [(pl.col("stated") > _percent(edge)).cast(pl.Int64) for edge in edges[1:-1]]
    return (pl.sum_horizontal(below) if below else pl.lit(0, pl.Int64)).alias("bin")


def _percent(edge: float) -> float:
    """The largest number whose hundredth is not above the edge."""
    percent = 100 * edge
    while percent / 100 > edge:
        percent = nextafter(percent, -inf)
    while nextafter(percent, inf) / 100 <= edge:
        percent = nextafter(percent, inf)
    return percent


def _wilson(row: dict[str, int]) -> dict[str, float]:
    low, high = wilson(row["happened"], row["n"])
    return {"low": low, "high": high}
