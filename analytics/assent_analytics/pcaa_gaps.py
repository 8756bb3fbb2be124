"""Where the numbers of PCAA health come from: whose actions miss which checkpoints.

1. `groups` gives the numbers of `pcaa.health` for each value of a column, with 95% intervals. All three are Wilson's
   (`rates`). Coverage and evidence are means of shares, whose sum stands for the successes: what lies between 0 and 1
   varies at most as much as a coin of the same mean, so their intervals are, if anything, too wide. They also hold
   where all actions are alike, and Student's would say that nothing is left open.
2. An action is *incomplete* that misses a checkpoint: expected, and it will not come by itself. What is pending may.
3. `gaps` counts the missing ones of each checkpoint by agent and action type, of those that were expected.
"""

from __future__ import annotations

import polars as pl

from assent.contract.pcaa import CheckpointId, CheckpointStatus
from assent_analytics.frames import Frame, count, need, one_of, weight
from assent_analytics.rates import wilson_band

_CHECKPOINTS = tuple(each.value for each in CheckpointId)
_NUMBERS = ("coverage", "approval", "evidence")


def groups(states: Frame, by: str | None = None) -> pl.LazyFrame:
    """One row for each value of the column `by`, those with most incomplete actions first; one row without it.

    `name`, `n`, `incomplete`, `simulated`, and `coverage`, `approval` and `evidence` (0 to 100, null of no action),
    each with `_low` and `_high`. `states` are those of `pcaa.checkpoint_states` or `pcaa.judge`.
    """
    times, n = weight(states), pl.col("n")
    missing = pl.any_horizontal(one_of(each, CheckpointStatus.MISSING.value) for each in _CHECKPOINTS)
    sums = [
        count(pl.col("expected").is_not_null(), times).alias("n"),
        count(missing, times).alias("incomplete"),
        count(pl.col("simulated"), times).alias("simulated"),
        (times * pl.col("answered") / pl.col("expected")).sum().alias("coverage"),
        count(pl.col("reached_approval"), times).cast(pl.Float64).alias("approval"),
        (times * pl.col("observed") / pl.col("expected")).sum().alias("evidence"),
    ]
    frame = states.lazy()
    if by is None:
        summed = frame.select(sums).with_columns(name=pl.lit(None, pl.String))
    else:
        summed = frame.group_by(pl.col(by).cast(pl.String).alias("name")).agg(sums)
    bands = {each: wilson_band(pl.min_horizontal(pl.col(each), n), n) for each in _NUMBERS}
    return summed.select(
        *("name", "n", "incomplete", "simulated"),
        *(pl.when(n > 0).then(100.0 * pl.col(each) / n).alias(each) for each in _NUMBERS),
        *((100 * low).alias(f"{each}_low") for each, (low, _) in bands.items()),
        *((100 * high).alias(f"{each}_high") for each, (_, high) in bands.items()),
    ).sort("incomplete", "n", "name", descending=[True, True, False])


def gaps(states: Frame) -> pl.LazyFrame:
    """`id`, `agent_id`, `action_type`, `expected`, `missing` (1 or more) and `newest_action_id` (of those that miss
    it, the last by its id), those with most missing first."""
    times = weight(states)
    frame = need(states, ("action_id", "agent_id", "action_type"), "states")
    return (
        pl.concat(_of_checkpoint(frame, each, times) for each in _CHECKPOINTS)
        .filter(pl.col("missing") > 0)
        .sort("missing", "expected", "agent_id", "action_type", "id", descending=[True, True, False, False, False])
    )


def _of_checkpoint(frame: pl.LazyFrame, checkpoint: str, times: pl.Expr) -> pl.LazyFrame:
    missing = one_of(checkpoint, CheckpointStatus.MISSING.value)
    return (
        frame.group_by(pl.col("agent_id", "action_type").cast(pl.String))
        .agg(
            count(~one_of(checkpoint, CheckpointStatus.NOT_REQUIRED.value), times).alias("expected"),
            count(missing, times).alias("missing"),
            pl.col("action_id").cast(pl.String).filter(missing).max().alias("newest_action_id"),
        )
        .select(pl.lit(checkpoint).alias("id"), pl.all())
    )
