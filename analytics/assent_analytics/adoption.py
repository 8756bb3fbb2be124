"""Adoption: how often recommendations are followed, and how it went with them and without.

1. An agent says that it `applied` a recommendation or has `overridden` it; `fetched` ones it only looked at.
   `adoption_rate` is applied / (applied + overridden), with Wilson's interval.
2. What was said belongs to the action it names, else to the agent's next action of the type, if that starts within ten
   minutes: published clients say it just before they act.
3. `with_*` are the finished episodes that belong to an applied recommendation, `without_*` all others of the same agent
   and action type; both have Wilson's intervals. Nobody drew lots who follows: a difference may be due to what the
   actions were.
4. `status` is `insufficient_data` while either side has fewer than five episodes.
"""

from __future__ import annotations

from datetime import timedelta

import polars as pl

from assent_analytics.frames import Frame, count, need, simulated, utc
from assent_analytics.rates import wilson_band

LEAST_EPISODES = 5
NEXT_WITHIN = timedelta(minutes=10)
APPLIED, OVERRIDDEN, FETCHED = "applied", "overridden", "fetched"

_KEYS = ["agent_id", "action_type"]


def adoption(said: Frame, episodes: Frame) -> pl.LazyFrame:
    """One row for each `agent_id` and `action_type` that anything was said of, in this order: `fetched`, `applied`,
    `overridden`, `adoption_rate` with `adoption_low` and `adoption_high`; `with_n`, `with_successes`, `with_rate`,
    `with_low`, `with_high`, and the same of `without`; `status` and `simulated` (of these episodes).

    `said` needs `agent_id`, `action_type`, `event_type`, `action_id` and `created_at`. Rates are null of nothing.
    Raises ValueError that names missing columns.
    """
    asked = (*_KEYS, "event_type", "action_id", "created_at")
    told = need(said, asked, "what was said").select(
        *(pl.col(name).cast(pl.String) for name in (*_KEYS, "event_type", "action_id")), utc("created_at")
    )
    known = need(episodes, (*_KEYS, "action_id", "started_at", "success"), "episodes").select(
        *(pl.col(name).cast(pl.String) for name in (*_KEYS, "action_id")),
        utc("started_at"),
        "success",
        simulated(episodes).alias("simulated"),
    )
    once = pl.lit(1, pl.Int64)
    counted = told.group_by(_KEYS).agg(
        *(count(pl.col("event_type") == name, once).alias(name) for name in (FETCHED, APPLIED, OVERRIDDEN))
    )
    joined = counted.join(_outcomes(known, _followed(told, known)), on=_KEYS, how="left")
    numbers = ["with_n", "with_successes", "without_n", "without_successes", "simulated"]
    enough = (pl.col("with_n") >= LEAST_EPISODES) & (pl.col("without_n") >= LEAST_EPISODES)
    return (
        joined.with_columns(pl.col(numbers).fill_null(0))
        .with_columns(
            **_rate("adoption", pl.col(APPLIED), pl.col(APPLIED) + pl.col(OVERRIDDEN)),
            **_rate("with", pl.col("with_successes"), pl.col("with_n")),
            **_rate("without", pl.col("without_successes"), pl.col("without_n")),
            status=pl.when(enough).then(pl.lit("ok")).otherwise(pl.lit("insufficient_data")),
        )
        .sort(_KEYS)
    )


def _followed(told: pl.LazyFrame, known: pl.LazyFrame) -> pl.LazyFrame:
    """The ids of the actions that belong to an applied recommendation (rule 2)."""
    applied = told.filter(pl.col("event_type") == APPLIED)
    ids = [*_KEYS, "action_id"]
    named = applied.filter(pl.col("action_id").is_not_null()).select(ids)
    unnamed = applied.filter(pl.col("action_id").is_null()).drop("action_id").sort("created_at")
    following = unnamed.join_asof(
        known.sort("started_at").select(*_KEYS, "action_id", "started_at"),
        left_on="created_at",
        right_on="started_at",
        by=_KEYS,
        strategy="forward",
        tolerance=NEXT_WITHIN,
        check_sortedness=False,
    )
    return pl.concat([named, following.select(ids)]).drop_nulls().unique()


def _outcomes(known: pl.LazyFrame, followed: pl.LazyFrame) -> pl.LazyFrame:
    once = pl.lit(1, pl.Int64)
    marked = known.join(followed.with_columns(followed=pl.lit(True)), on=[*_KEYS, "action_id"], how="left")
    follows, success = pl.col("followed").fill_null(False), pl.col("success")
    return marked.group_by(_KEYS).agg(
        count(follows, once).alias("with_n"),
        count(follows & success, once).alias("with_successes"),
        count(~follows, once).alias("without_n"),
        count(~follows & success, once).alias("without_successes"),
        count(pl.col("simulated"), once).alias("simulated"),
    )


def _rate(name: str, successes: pl.Expr, n: pl.Expr) -> dict[str, pl.Expr]:
    low, high = wilson_band(successes, n)
    return {f"{name}_rate": pl.when(n > 0).then(successes / n), f"{name}_low": low, f"{name}_high": high}
