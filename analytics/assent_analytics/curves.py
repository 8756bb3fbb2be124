"""Learning curves: how an agent's episodes of one action type change as it does more of them.

1. The *exposure* of an episode is the how-manieth of its agent and action type it is, in the order in which they ended
   (episodes of one moment in the order of the frame).
2. `by_exposure` cuts exposure where it doubles: the first 10, up to 20, up to 40, and so on. Learning is a matter of
   ratios (the power law of practice: A. Newell and P. S. Rosenbloom, "Mechanisms of skill acquisition and the law of
   practice", 1981), and every later step then has at least as many episodes as all before it.
3. `by_week` cuts time into weeks from Monday on, UTC, and gives the exposure reached with each.
4. Of each step: the success rate with Wilson's 95% interval; the mean score with Student's, and its quantiles (linear
   between neighbours, type 7); mean duration in ms and mean cost in US dollars with Student's, over the `duration_n`
   and `cost_n` episodes that have one.
5. `status` is `insufficient_data` below three episodes. The interval then says as much, and nobody should draw a line
   through the point.
"""

from __future__ import annotations

import polars as pl

from assent_analytics.frames import KEYS, PAIR, Frame, count, has, need, paired, simulated, time_type, unpaired, utc
from assent_analytics.means import mean_half_width
from assent_analytics.rates import wilson_band

LEAST_EPISODES = 3
FIRST = 10

_NEEDED = (*KEYS, "ended_at", "score", "success")
_QUANTILES = {"p25_score": 0.25, "p50_score": 0.5, "p75_score": 0.75}
_SCORE, _EXPOSURE = "score", "_exposure"
_NUMBERS = (
    *("n", "successes", "success_rate", "success_low", "success_high"),
    *("avg_score", "score_low", "score_high", *_QUANTILES),
    *("duration_n", "avg_duration_ms", "duration_low", "duration_high"),
    *("cost_n", "avg_cost", "cost_low", "cost_high"),
    *("window_start", "window_end", "status", "simulated"),
)


def by_exposure(episodes: Frame, first: int = FIRST) -> pl.LazyFrame:
    """One row for each `agent_id`, `action_type` and `step` (from 0 on), in this order: `exposure_from` and
    `exposure_to` (from 1 on, as reached), `n`, the numbers of rule 4, `window_start` and `window_end` (when its first
    and last episode ended), `status` and `simulated`. `first` is how many episodes the first step has.

    Raises ValueError for a `first` below 1, and one that names missing columns.
    """
    if first < 1:
        raise ValueError(f"first is {first}; give 1 or more episodes")
    # The step of exposure e is how often first has to double to reach it, found without rounding errors.
    over = ((pl.col(_EXPOSURE) - 1) // first).cast(pl.UInt32)
    step = pl.when(over == 0).then(0).otherwise(32 - over.bitwise_leading_zeros()).cast(pl.Int64)
    exposure = pl.col("ended_at").rank("ordinal").over(PAIR).cast(pl.Int64).alias(_EXPOSURE)
    counted = _known(episodes).with_columns(exposure).with_columns(step.alias("step"))
    return _with_exposure(_steps(counted, "step")).select(*KEYS, "step", "exposure_from", "exposure_to", *_NUMBERS)


def by_week(episodes: Frame) -> pl.LazyFrame:
    """One row for each `agent_id`, `action_type` and `week` (its Monday, UTC) that has episodes, in this order,
    and the same as `by_exposure`.

    Raises ValueError that names missing columns.
    """
    counted = _known(episodes).with_columns(pl.col("ended_at").dt.truncate("1w").alias("week"))
    return _with_exposure(_steps(counted, "week")).select(*KEYS, "week", "exposure_from", "exposure_to", *_NUMBERS)


def _with_exposure(steps: pl.LazyFrame) -> pl.LazyFrame:
    """Steps in order, with the exposure of their first and last episode: each step follows the one before."""
    reached = pl.col("n").cum_sum().over(KEYS)
    return steps.with_columns(exposure_from=reached - pl.col("n") + 1, exposure_to=reached)


def _known(episodes: Frame) -> pl.LazyFrame:
    """The episodes that say whose they are and when they ended."""
    frame = need(episodes, _NEEDED, "episodes")
    measures = [
        (pl.col(name) if has(episodes, name) else pl.lit(None)).cast(pl.Float64).alias(name)
        for name in ("duration_ms", "cost_estimate")
    ]
    return paired(
        frame.filter(pl.col("ended_at").is_not_null()).select(
            *KEYS,
            utc("ended_at").alias("ended_at"),
            pl.col(_SCORE).cast(pl.Float64),
            pl.col("success"),
            *measures,
            simulated(episodes).alias("_simulated"),
        )
    )


def _steps(counted: pl.LazyFrame, step: str) -> pl.LazyFrame:
    once = pl.lit(1, pl.Int64)
    keys = [PAIR, step]
    n, successes = pl.col("n"), pl.col("successes")
    low, high = wilson_band(successes, n)
    return (
        counted.group_by(keys)
        .agg(
            pl.len().cast(pl.Int64).alias("n"),
            pl.col("success").sum().cast(pl.Int64).alias("successes"),
            *_sums("score", "score"),
            *_sums("duration_ms", "duration"),
            *_sums("cost_estimate", "cost"),
            *unpaired(),
            pl.col("ended_at").min().cast(time_type()).alias("window_start"),
            pl.col("ended_at").max().cast(time_type()).alias("window_end"),
            count(pl.col("_simulated"), once).alias("simulated"),
        )
        .join(_quantiles(counted, keys), on=keys, how="left")
        .with_columns(
            success_rate=successes / n,
            success_low=low,
            success_high=high,
            status=pl.when(n >= LEAST_EPISODES).then(pl.lit("ok")).otherwise(pl.lit("insufficient_data")),
            avg_score=pl.col("score_mean"),
            avg_duration_ms=pl.col("duration_mean"),
            avg_cost=pl.col("cost_mean"),
            **_interval("score", 0.0, 100.0),
            **_interval("duration", 0.0, None),
            **_interval("cost", 0.0, None),
        )
        .sort(*KEYS, step)
    )


def _quantiles(counted: pl.LazyFrame, keys: list[str]) -> pl.LazyFrame:
    """The quantiles of rule 4, from how often each score occurs: there are at most 101, however many episodes."""
    score, upto = pl.col(_SCORE), pl.col("times").cum_sum()
    found = []
    for name, share in _QUANTILES.items():
        position = (pl.col("times").sum() - 1) * share
        below = score.filter(upto > position.floor()).first()
        above = score.filter(upto > position.ceil()).first()
        found.append((below + (above - below) * (position - position.floor())).alias(name))
    times = counted.group_by(*keys, _SCORE).agg(pl.len().cast(pl.Int64).alias("times"))
    return times.sort(_SCORE).group_by(keys, maintain_order=True).agg(found)


def _sums(column: str, name: str) -> list[pl.Expr]:
    value = pl.col(column)
    return [
        value.count().cast(pl.Int64).alias(f"{name}_n"),
        value.mean().alias(f"{name}_mean"),
        value.std().alias(f"{name}_sd"),
    ]


def _interval(name: str, low: float, high: float | None) -> dict[str, pl.Expr]:
    """Student's interval of a mean, cut at what the values can be."""
    mean, half = pl.col(f"{name}_mean"), mean_half_width(pl.col(f"{name}_sd"), pl.col(f"{name}_n"))
    return {f"{name}_low": (mean - half).clip(low, high), f"{name}_high": (mean + half).clip(low, high)}
