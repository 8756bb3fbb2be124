"""What asking at each risk would have cost: for every threshold from 0 to 100,

    cost(t) = interruptions(t) * cost of one + missed(t) * cost of one

where interruptions are the decisions whose risk is t or more, whatever became of them, and missed the failed actions
below it. What was blocked, denied, expired or never ended has no outcome, and is neither a failure nor none. So the
cost of a threshold is known within bounds (C. F. Manski, "Nonparametric bounds on treatment effects", American Economic
Review 80 (1990), 319-323): `cost` where all unknown decisions below it would have ended well, `most` where all would
have failed. No assumption stands behind these bounds, and outcomes alone cannot make them narrower.

Which thresholds can be best follows exactly. Outcomes at and above t make asking from t on better than from further up
if they are bad, and outcomes below t make it better than from further down if they are good. So t is best for some
outcomes if and only if it is best where all unknown ones from t on fail and all below t end well: one sum for each t.
The threshold is identified where this leaves one.

Only whole points matter to whole thresholds, so the decisions are 101 bins, of failed ones and of others. The band is
the percentile bootstrap over decisions (Efron 1979), which resamples those 202 counts by the multinomial law: the same
as drawing decisions with replacement. The interval of the best threshold is that of the best one of each resample;
where several cost the same, the highest is best, which asks least.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import polars as pl

from assent.contract.analysis.backtest import BacktestStatus, CostCurve, CostPoint, Costs
from assent_analytics.bootstrap import band, totals

THRESHOLDS = 101
RESAMPLES = 2000

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


def cost_curve(
    decisions: Array,
    failed: Array,
    costs: Costs,
    *,
    days: int,
    unknown: Array | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> CostCurve:
    """`decisions` and `failed` count, for each point of risk from 0 to 100, all decisions and those that failed;
    `unknown` those without an outcome, by default none.

    Raises ValueError for other than 101 bins, and where more failed or are unknown than there were.
    """
    if unknown is None:
        unknown = np.zeros(THRESHOLDS, np.int64)
    if len(decisions) != THRESHOLDS or len(failed) != THRESHOLDS:
        raise ValueError(f"{len(decisions)} and {len(failed)} bins; give 101, one for each point of risk")
    if (failed < 0).any() or (failed > decisions).any():
        raise ValueError("each bin holds at least as many decisions as failures, and no fewer than 0")
    if len(unknown) != THRESHOLDS:
        raise ValueError(f"{len(unknown)} bins of unknown outcomes; give 101, one for each point of risk")
    if (unknown < 0).any() or (failed + unknown > decisions).any():
        raise ValueError(
            "each bin holds at least as many decisions as failures and unknown outcomes, and no fewer than 0"
        )
    n, failures, outcomeless = int(decisions.sum()), int(failed.sum()), int(unknown.sum())
    counts = np.concatenate([failed, decisions - failed]).astype(np.int64)
    asked = np.arange(THRESHOLDS)[:, None] >= np.arange(THRESHOLDS)[None, :]
    interruption, failure = float(costs.interruption), float(costs.failure)
    values = np.concatenate([np.where(asked, interruption, failure), np.where(asked, interruption, 0.0)])
    interruptions, missed = counts_at(decisions, failed)
    cost = interruptions * interruption + missed * failure
    enough = n >= 2 and failures > 0
    replicates = totals(counts, values, seed=seed, resamples=resamples)
    low, high = band(replicates)
    most, most_high = cost, high
    if outcomeless:
        most = cost + (np.cumsum(unknown) - unknown) * failure
        worst = np.concatenate([failed + unknown, decisions - failed - unknown]).astype(np.int64)
        most_high = np.maximum(high, band(totals(worst, values, seed=seed, resamples=resamples))[1])
    best = _best(cost[None, :])[0]
    possible = possible_thresholds(decisions, failed, unknown, costs)
    best_low, best_high = np.quantile(_best(replicates), [0.025, 0.975], method="nearest")
    per_1000 = 1000 / n if n else 0.0
    points = [
        CostPoint(
            threshold=t,
            interruptions=int(interruptions[t]),
            missed=int(missed[t]),
            cost=float(cost[t]),
            low=float(low[t]),
            high=float(high[t]),
            per_day=float(cost[t] / days),
            per_day_low=float(low[t] / days),
            per_day_high=float(high[t] / days),
            per_1000=float(cost[t] * per_1000),
            per_1000_low=float(low[t] * per_1000),
            per_1000_high=float(high[t] * per_1000),
            unknown=int(unknown[:t].sum()),
            most=float(most[t]),
            most_high=float(most_high[t]),
            per_day_most=float(most[t] / days),
            per_day_most_high=float(most_high[t] / days),
            per_1000_most=float(most[t] * per_1000),
            per_1000_most_high=float(most_high[t] * per_1000),
        )
        for t in range(THRESHOLDS)
    ]
    return CostCurve(
        interruption=interruption,
        failure=failure,
        n=n,
        failures=failures,
        days=days,
        resamples=resamples,
        seed=seed,
        never=failures * failure,
        best=int(best) if enough else None,
        best_low=int(best_low) if enough else None,
        best_high=int(best_high) if enough else None,
        unknown=outcomeless,
        possible_low=possible[0] if enough else None,
        possible_high=possible[-1] if enough else None,
        identified=enough and len(possible) == 1,
        points=points,
        status=BacktestStatus.OK if enough else BacktestStatus.INSUFFICIENT_DATA,
    )


def counts_at(decisions: Array, failed: Array) -> tuple[Array, Array]:
    """For each threshold: how many decisions are at or above it, and how many failures below."""
    interruptions = np.cumsum(decisions[::-1])[::-1]
    return interruptions, np.cumsum(failed) - failed


def possible_thresholds(decisions: Array, failed: Array, unknown: Array, costs: Costs) -> list[int]:
    """The thresholds, in order, that are best for some outcomes of the `unknown` decisions; never none."""
    interruption, failure = float(costs.interruption), float(costs.failure)
    at = np.arange(THRESHOLDS)
    # Row t: the failures of each bin where what is unknown fails from t on and ends well below.
    failures = failed + unknown * (at[None, :] >= at[:, None])
    missed = np.cumsum(failures, axis=1) - failures
    interruptions, _ = counts_at(decisions, failed)
    cost = interruptions * interruption + missed * failure
    return [int(t) for t in np.flatnonzero(_best(cost) == at)]


def curve_frame(curve: CostCurve) -> pl.DataFrame:
    """The curve as a frame, one row for each threshold, with the members of its points, `best` (Boolean; of none where
    the best is not identified) and `possible` (whether it lies within the bounds of the best)."""
    names = CostPoint.__struct_fields__
    rows = [{name: getattr(point, name) for name in names} for point in curve.points]
    threshold = pl.col("threshold")
    return pl.DataFrame(rows).with_columns(
        best=(threshold == curve.best).fill_null(False) & curve.identified,
        possible=threshold.is_between(curve.possible_low, curve.possible_high).fill_null(False),
    )


def _best(costs: Array) -> Array:
    """The highest of the cheapest thresholds, for each row."""
    turned = np.argmin(costs[:, ::-1], axis=1)
    return np.asarray(THRESHOLDS - 1 - turned)
