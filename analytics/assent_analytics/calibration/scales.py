"""Percentile scales: what is usual of a metric, and the four steps that score it.

1. A metric's values are the finite numbers among its actions; `tokens_total` is tokens read and written, and known
   where either is. `n` is how many values there are. Metrics with fewer than 5, and all of them when fewer than 10
   actions are given, are `insufficient_data`; their percentiles are null then, and so are their intervals.
2. The percentile p is the value at the index floor(n * p) of the sorted values, counted from 0: the published rule, so
   that it is always a value that occurred.
3. Its interval is that of the bootstrap, 95%. Resampling rows is not needed for it: the k-th smallest of n rows that
   are drawn with replacement is the row of rank ceil(n * U), where U, the k-th smallest of n uniforms, is
   Beta(k, n - k + 1) (B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7 (1979),
   section 3). So 2,000 draws of one Beta each, from a seed, say which ranks the ends of the interval have, and only
   these ranks are looked up: no sort, whatever n is.
4. Where a frame says session, thread or agent, its rows are not taken as independent: the interval of a percentile p is
   Woodruff's, between the values at p less and more as much as the clustered interval of the share of values up to it
   is wide (R. S. Woodruff, Journal of the American Statistical Association 47 (1952), 635-646; `clusters`). `clusters`,
   `basis` and `n_effective`, of the median, stand beside it. One cluster tells nothing: its intervals reach from the
   smallest to the largest value.
5. The steps are the published ones. Where less is better: up to p25 100, up to p50 75, up to p75 50, above 20. Where
   more is better (confidence): from p75 on 100, from p50 75, from p25 50, below 20. Weights are the published ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import floor
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from assent_analytics.clusters import ClusterKeys, cluster_keys, clustered_proportion
from assent_analytics.frames import WEIGHT, Frame, columns, has, need, simulated

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST_ACTIONS, FEWEST_VALUES = 10, 5
AT = {"p10": 0.10, "p25": 0.25, "p50": 0.50, "p75": 0.75, "p90": 0.90}
RESAMPLES = 2000

Floats: TypeAlias = "NDArray[np.float64]"
Codes: TypeAlias = "NDArray[np.int64]"

METRICS: dict[str, tuple[float, bool]] = {
    "duration_ms": (0.2, True),
    "cost_estimate": (0.2, True),
    "tokens_total": (0.1, True),
    "risk_score": (0.3, True),
    "confidence": (0.2, False),
}
"""Metric -> suggested weight, and whether less is better."""

_TOKENS = ("tokens_in", "tokens_out")


@cache
def _schema() -> dict[str, Any]:
    """A row's members and their types."""
    return {
        "metric": pl.String,
        "data_source": pl.String,
        "lower_is_better": pl.Boolean,
        "n": pl.Int64,
        "simulated": pl.Int64,
        "status": pl.String,
        **dict.fromkeys((*AT, "min", "max"), pl.Float64),
        **{f"{name}_{end}": pl.Float64 for name in AT for end in ("low", "high")},
        "suggested_weight": pl.Float64,
        "clusters": pl.Int64,
        "n_effective": pl.Float64,
        "basis": pl.String,
    }


def scales(actions: Frame, metrics: Sequence[str] | None = None, *, seed: int = 0) -> pl.DataFrame:
    """One row per metric, in the order of METRICS: `metric`, `data_source`, `lower_is_better`, `n`, `simulated`,
    `status` (ok or insufficient_data), `p10` to `p90`, `min`, `max`, `p10_low`, `p10_high` and so on,
    `suggested_weight`, `clusters`, `n_effective` and `basis` (null where nothing says what belongs together, and for
    alike rows with their number in `n`). A column that actions lack has no values.

    Raises ValueError for a metric that is not one of METRICS.
    """
    chosen = list(METRICS) if metrics is None else [name for name in METRICS if name in metrics]
    unknown = [name for name in metrics or () if name not in METRICS]
    if unknown:
        raise ValueError(f"there is no metric {unknown[0]!r} to calibrate; there are {', '.join(METRICS)}")
    present = set(columns(actions))
    made = simulated(actions)
    times = [pl.col(WEIGHT).cast(pl.Int64)] if has(actions, WEIGHT) else []
    frame = (
        need(actions, (), "actions")
        .select(*(_value(name, present).alias(name) for name in chosen), made.alias("_made"), *times)
        .collect()
    )
    weights = frame[WEIGHT].to_numpy() if times else None
    total = frame.height if weights is None else int(weights.sum())
    keys = None
    if weights is None and present & {"session_id", "thread_id", "agent_id"}:
        keys = cluster_keys(actions, time="timestamp_start")
    # NumPy lets others run while it looks for ranks, which is most of the work.
    with ThreadPoolExecutor() as pool:
        rows = list(pool.map(lambda name: _row(name, frame, weights, total, seed, keys), chosen))
    return pl.DataFrame(rows, schema=_schema())


def suggested_scale(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The four steps of a row of `scales`; none where it is `insufficient_data`."""
    if row["status"] != "ok":
        return []
    low, middle, high = row["p25"], row["p50"], row["p75"]
    if row["lower_is_better"]:
        steps = (("excellent", "lte", low), ("good", "lte", middle), ("acceptable", "lte", high), ("poor", "gt", high))
    else:
        steps = (("excellent", "gte", high), ("good", "gte", middle), ("acceptable", "gte", low), ("poor", "lt", low))
    return [
        {"label": label, "operator": operator, "value": value, "score": score}
        for (label, operator, value), score in zip(steps, (100, 75, 50, 20), strict=True)
    ]


def order_statistics(values: Floats, ranks: Sequence[int]) -> Floats:
    """The values at these ranks (from 1) of the sorted values, without sorting them."""
    places = np.asarray(ranks, dtype=np.int64) - 1
    found = np.partition(values, np.unique(places))
    return np.asarray(found[places], dtype=np.float64)


def bootstrap_ranks(k: int, n: int, random: np.random.Generator, confidence: float = 0.95) -> tuple[int, int]:
    """The ranks between which the k-th smallest of n drawn rows lies (rule 3)."""
    drawn = np.ceil(n * random.beta(k, n - k + 1, RESAMPLES))
    low, high = np.quantile(np.clip(drawn, 1, n), [(1 - confidence) / 2, (1 + confidence) / 2], method="inverted_cdf")
    return int(low), int(high)


def _value(name: str, present: set[str]) -> pl.Expr:
    if name == "tokens_total" and not present.isdisjoint(_TOKENS):
        parts = [_number(part) for part in _TOKENS if part in present]
        known = pl.any_horizontal(part.is_not_null() for part in parts)
        return pl.when(known).then(pl.sum_horizontal(parts))
    return _number(name) if name in present else pl.lit(None, pl.Float64)


def _number(name: str) -> pl.Expr:
    column = pl.col(name).cast(pl.Float64)
    return pl.when(column.is_finite()).then(column)


def _row(
    name: str, frame: pl.DataFrame, weights: Codes | None, total: int, seed: int, keys: ClusterKeys | None
) -> dict[str, Any]:
    weight, lower = METRICS[name]
    known = frame[name].is_not_null()
    made = (frame["_made"] & known).to_numpy()
    values = frame[name].drop_nulls().to_numpy()
    if weights is not None:
        values, made = np.repeat(values, weights[known.to_numpy()]), made * weights
    n = len(values)
    row: dict[str, Any] = {
        "metric": name,
        "data_source": name,
        "lower_is_better": lower,
        "n": n,
        "simulated": int(made.sum()),
        "status": "ok" if total >= FEWEST_ACTIONS and n >= FEWEST_VALUES else "insufficient_data",
        "suggested_weight": weight,
    }
    if row["status"] != "ok":
        return row
    if keys is None:
        return row | _percentiles(values, seed)
    return row | {"basis": keys.basis} | _clustered(values, keys.codes[known.to_numpy()])


def _clustered(values: Floats, codes: Codes) -> dict[str, float]:
    """The percentiles with their intervals over clusters (rule 4)."""
    n = len(values)
    row = dict(zip(("min", "max"), order_statistics(values, (1, n)).tolist(), strict=True))
    places = {name: floor(n * share) + 1 for name, share in AT.items()}
    found = order_statistics(values, list(places.values()))
    ranks: dict[str, int] = {}
    for (name, share), value in zip(AT.items(), found.tolist(), strict=True):
        of = clustered_proportion((values <= value).astype(np.float64), codes)
        row[name] = value
        low, high = 0.0, 1.0
        if of.estimate is not None and of.low is not None and of.high is not None:
            low, high = share - (of.estimate - of.low), share + (of.high - of.estimate)
        ranks[f"{name}_low"] = min(max(floor(n * low) + 1, 1), places[name])
        ranks[f"{name}_high"] = max(min(floor(n * high) + 1, n), places[name])
        if name == "p50":
            row |= {"clusters": of.clusters, "n_effective": of.n_effective}
    return row | dict(zip(ranks, order_statistics(values, list(ranks.values())).tolist(), strict=True))


def _percentiles(values: Floats, seed: int) -> dict[str, float]:
    n = len(values)
    random = np.random.default_rng(seed)
    wanted: dict[str, int] = {"min": 1, "max": n}
    for name, share in AT.items():
        k = floor(n * share) + 1
        wanted[name] = k
        wanted[f"{name}_low"], wanted[f"{name}_high"] = bootstrap_ranks(k, n, random)
    found = order_statistics(values, list(wanted.values()))
    return dict(zip(wanted, found.tolist(), strict=True))
