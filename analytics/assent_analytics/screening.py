"""How good a scan of texts is, from scores alone: what it catches and what it stops in vain, and what that costs.

`rows` have `attack` (a boolean) and `score`; a text is stopped from a threshold on.

- Recall is the share of attacks that are stopped, the false-positive rate that of harmless texts; both with Wilson's
  interval (`rates`).
- Cost, after C. Drummond and R. Holte, "Cost curves: An improved method for visualizing classifier performance",
  Machine Learning 65 (2006), 95-130. With the prevalence p of attacks, and a missed attack that costs r false alarms,
  the weight of attacks is w = p r / (p r + 1 - p), and the expected cost of a text, as a share of the worst that is
  possible, is w (1 - recall) + (1 - w) false positives. Stopping nothing costs w, stopping everything 1 - w.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from assent_analytics.frames import Frame
from assent_analytics.rates import wilson_band

STEPS = 200
"""Weights at which costs are worked out, beside 0."""


def operating_points(rows: Frame, thresholds: Sequence[float] | None = None) -> pl.DataFrame:
    """A row for each of the `thresholds`, or for each that changes anything, rising: `threshold`, `caught` of
    `attacks`, `stopped` of `harmless`; `recall` and `false_positives` with `_low` and `_high`."""
    frame = rows.lazy().select(pl.col("attack"), pl.col("score").cast(pl.Float64)).collect()
    attacks = frame.filter("attack")["score"].sort()
    harmless = frame.filter(~pl.col("attack"))["score"].sort()
    at = pl.Series("threshold", sorted(set(frame["score"]) if thresholds is None else thresholds), dtype=pl.Float64)
    counted = pl.DataFrame(at).with_columns(
        caught=attacks.len() - pl.Series(attacks.search_sorted(at, side="left")).cast(pl.Int64),
        attacks=pl.lit(attacks.len(), dtype=pl.Int64),
        stopped=harmless.len() - pl.Series(harmless.search_sorted(at, side="left")).cast(pl.Int64),
        harmless=pl.lit(harmless.len(), dtype=pl.Int64),
    )
    return _with_rates(counted)


def by_group(rows: Frame, threshold: pl.Expr, group: str) -> pl.DataFrame:
    """Recall and false positives of each `group`, whose rows may have thresholds of their own; the columns of
    `operating_points` without the threshold, in the order of their names."""
    stopped = pl.col("score") >= threshold
    counted = (
        rows.lazy()
        .group_by(group)
        .agg(
            caught=(stopped & pl.col("attack")).sum().cast(pl.Int64),
            attacks=pl.col("attack").sum().cast(pl.Int64),
            stopped=(stopped & ~pl.col("attack")).sum().cast(pl.Int64),
            harmless=(~pl.col("attack")).sum().cast(pl.Int64),
        )
        .sort(group)
        .collect()
    )
    return _with_rates(counted)


def weight_of_attacks(prevalence: float, ratio: float) -> float:
    """w above: 0 where attacks do not matter, 1 where nothing else does. `prevalence` is a share from 0 to 1, `ratio`
    how many false alarms a missed attack costs. Raises ValueError for what is neither."""
    if not 0 <= prevalence <= 1 or ratio <= 0:
        raise ValueError(f"prevalence {prevalence} and ratio {ratio}: give a share from 0 to 1 and a number above 0")
    return prevalence * ratio / (prevalence * ratio + 1 - prevalence)


def cost_lines(scans: Mapping[str, tuple[float, float]], most: float = 1.0) -> pl.DataFrame:
    """The expected cost of each scan by the weight of attacks, up to `most`: `name`, `weight`, `cost`. `scans` are
    their recall and false-positive rate by name; stopping nothing and everything are there as well."""
    weights = [most * at / STEPS for at in range(STEPS + 1)]
    known = {"stop nothing": (0.0, 0.0), **scans, "stop everything": (1.0, 1.0)}
    return pl.DataFrame(
        [
            {"name": name, "weight": weight, "cost": weight * (1 - recall) + (1 - weight) * wrong}
            for name, (recall, wrong) in known.items()
            for weight in weights
        ],
        schema={"name": pl.String, "weight": pl.Float64, "cost": pl.Float64},
    )


def cheapest(points: Frame, weight: float) -> tuple[float, float]:
    """The threshold of `operating_points` that costs least at a weight of attacks, the highest of equals, and what it
    costs."""
    cost = weight * (1 - pl.col("recall")) + (1 - weight) * pl.col("false_positives")
    best = points.lazy().with_columns(cost=cost).sort(["cost", "threshold"], descending=[False, True]).head(1).collect()
    return float(best["threshold"].item()), float(best["cost"].item())


def _with_rates(counted: pl.DataFrame) -> pl.DataFrame:
    recall_low, recall_high = wilson_band(pl.col("caught"), pl.col("attacks"))
    wrong_low, wrong_high = wilson_band(pl.col("stopped"), pl.col("harmless"))
    return counted.with_columns(
        recall=pl.col("caught") / pl.col("attacks"),
        recall_low=recall_low,
        recall_high=recall_high,
        false_positives=pl.col("stopped") / pl.col("harmless"),
        false_positives_low=wrong_low,
        false_positives_high=wrong_high,
    )
