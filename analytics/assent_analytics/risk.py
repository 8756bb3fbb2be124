"""Where risk is: the risk and the failures of each agent at each action type.

1. `risk_score` lies between 0 and 100; an action without one, or with one outside, does not count.
2. `n` is how many, `mean` their mean risk, `mean_low` and `mean_high` Student's 95% interval of it (`means`), cut at 0
   and 100.
3. `ended` are those that completed or failed, `failed` those that failed, `failure_rate` the share and `failure_low`
   and `failure_high` Wilson's 95% interval (`rates`). Cancelled and blocked actions never ran to an end of their own.
4. `simulated` counts the actions that a simulator made up.
5. Where nothing ended the share is null and its interval reaches from 0 to 1; of one action the mean's interval reaches
   from 0 to 100.
"""

from __future__ import annotations

import polars as pl

from assent.contract.control.actions import ActionStatus
from assent_analytics.frames import Frame, count, need, one_of, simulated, weight
from assent_analytics.means import mean_half_width
from assent_analytics.rates import wilson_band


def by_agent_and_type(actions: Frame) -> pl.LazyFrame:
    """One row of rules 2 to 4 for each `agent_id` and `action_type`, in the order of these names."""
    value, times = pl.col("risk_score"), weight(actions)
    n = count(value.is_not_null(), times)
    mean = (value * times).sum() / n
    squares = (times * (value - mean) ** 2).sum()
    failure_low, failure_high = wilson_band(pl.col("failed"), pl.col("ended"))
    frame = need(actions, ("agent_id", "action_type", "status", "risk_score"), "actions")
    return (
        frame.filter(value.is_between(0, 100))
        .group_by(pl.col("agent_id", "action_type").cast(pl.String))
        .agg(
            n.alias("n"),
            mean.alias("mean"),
            pl.when(n > 1).then((squares / (n - 1)).sqrt()).alias("sd"),
            count(one_of("status", ActionStatus.COMPLETED, ActionStatus.FAILED), times).alias("ended"),
            count(one_of("status", ActionStatus.FAILED), times).alias("failed"),
            count(simulated(actions), times).alias("simulated"),
        )
        .with_columns(half=mean_half_width(pl.col("sd"), pl.col("n")))
        .select(
            *("agent_id", "action_type", "n", "mean"),
            (pl.col("mean") - pl.col("half")).clip(0.0, 100.0).fill_null(0.0).alias("mean_low"),
            (pl.col("mean") + pl.col("half")).clip(0.0, 100.0).fill_null(100.0).alias("mean_high"),
            *("ended", "failed"),
            pl.when(pl.col("ended") > 0).then(pl.col("failed") / pl.col("ended")).alias("failure_rate"),
            failure_low.alias("failure_low"),
            failure_high.alias("failure_high"),
            "simulated",
        )
        .sort("agent_id", "action_type")
    )
