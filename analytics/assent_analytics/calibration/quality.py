"""How good stated confidence, or risk, is as a prediction: Brier score, its parts, and the expected calibration error.

With predictions p, outcomes y (0 or 1), bins k as in `bins` with n_k rows, mean prediction p_k and observed share o_k,
and o the share of all N:

    brier        mean of (p - y)^2; 0 is perfect, a constant o gives o * (1 - o)
    reliability  sum of n_k * (p_k - o_k)^2 / N: how far bins are from what came true; small is good
    resolution   sum of n_k * (o_k - o)^2 / N: how much bins differ from each other; large is good
    uncertainty  o * (1 - o): how hard the question is
    within_bin   what p varies within bins: (sum of (p - p_k)^2 - 2 * (p - p_k) * (y - o_k)) / N
    ece          sum of n_k * |p_k - o_k| / N, the expected calibration error, as a share

and brier = reliability - resolution + uncertainty + within_bin, exactly. The first three parts are A. H. Murphy's ("A
new vector partition of the probability score", Journal of Applied Meteorology 12 (1973), 595-600); he supposes that p
is the same within a bin, and `within_bin` is what is left otherwise (D. B. Stephenson, C. A. S. Coelho, I. T. Jolliffe,
"Two extra components in the Brier score decomposition", Weather and Forecasting 23 (2008), 752-757).

Intervals are 95%: Wilson's for the base rate; the bootstrap's percentiles, from a seed, for the Brier score and the
ECE. Rows that state the same and came out the same are alike, so that how often each kind is drawn is multinomial
(`bootstrap.totals`). Kinds are as fine as 1/1000 within their bin and are drawn with the means of their rows, so whole
percents are resampled exactly; of finer predictions, what varies within a thousandth is left out of the interval. The
ECE is biased upwards: of few rows even a perfect prediction has one, and its interval lies around that.

Fewer than 10 rows are `insufficient_data`: n and the base rate are said, the rest is null.

These intervals take rows as independent. Where a frame says session, thread or agent, `clustered_base` gives the base
rate its interval over clusters. All is of released actions; `stopped` and `cancelled` ones have no outcome, and
`base_least` and `base_most` are the base rates if none of them, or all of them, had come true.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from assent_analytics.bootstrap import band, totals
from assent_analytics.calibration.bins import bin_of, edges_of, judged
from assent_analytics.clusters import ClusterEstimate, cluster_keys, clustered_proportion
from assent_analytics.frames import Frame, count, has
from assent_analytics.rates import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST = 10
FINENESS = 10
"""Kinds in a percent."""

Floats: TypeAlias = "NDArray[np.float64]"

_PARTS = ("brier", "reliability", "resolution", "uncertainty", "within_bin", "ece")


@cache
def _schema() -> dict[str, Any]:
    """The row's members and their types."""
    return {
        "of": pl.String,
        "n": pl.Int64,
        "simulated": pl.Int64,
        "status": pl.String,
        **dict.fromkeys(("base_rate", "base_low", "base_high"), pl.Float64),
        **dict.fromkeys(("brier", "brier_low", "brier_high", *_PARTS[1:], "ece_low", "ece_high"), pl.Float64),
    }


def quality(actions: Frame, of: str = "confidence", *, bins: int = 10, seed: int = 0) -> pl.DataFrame:
    """One row: `of`, `n`, `simulated`, `status` (ok or insufficient_data), `base_rate`, `base_low`, `base_high`,
    `brier`, `brier_low`, `brier_high`, `reliability`, `resolution`, `uncertainty`, `within_bin`, `ece`, `ece_low`,
    `ece_high`. Needs `status` and the column `of`. Raises ValueError as `bins.reliability` does.
    """
    kinds = _kinds(actions, of, bins)
    n, happened = int(kinds["n"].sum()), int(kinds.filter(pl.col("happened"))["n"].sum())
    low, high = wilson(happened, n)
    row: dict[str, Any] = {
        "of": of,
        "n": n,
        "simulated": int(kinds["made"].sum()),
        "status": "ok" if n >= FEWEST else "insufficient_data",
        "base_rate": happened / n if n else None,
        "base_low": low,
        "base_high": high,
    }
    if n >= FEWEST:
        row |= _parts(kinds, bins) | _intervals(kinds, bins, seed)
    return pl.DataFrame([row], schema=_schema())


def clustered_base(
    actions: Frame, of: str = "confidence", *, time: str = "timestamp_start"
) -> tuple[ClusterEstimate, str]:
    """The base rate with its interval over clusters, and what these are, by `clusters.cluster_keys` with this `time`.
    Needs what `quality` needs, and one of session_id, thread_id and agent_id; raises ValueError otherwise."""
    keys = ("session_id", "thread_id", "agent_id", time)
    frame = actions.lazy()
    there = [pl.col(name) for name in keys if has(frame, name)]
    rows = judged(frame, of, there).collect()
    codes, basis = cluster_keys(rows, time=time)
    times = rows["n"].to_numpy()
    return clustered_proportion(np.repeat(rows["happened"].to_numpy(), times), np.repeat(codes, times)), basis


def _kinds(actions: Frame, of: str, bins: int) -> pl.DataFrame:
    """Alike rows: `bin`, `fine`, `happened`, `n`, and sums of p, p^2 and (p - y)^2."""
    stated, times = pl.col("stated"), pl.col("n")
    error = stated - pl.when(pl.col("happened")).then(100.0).otherwise(0.0)
    return (
        judged(actions, of)
        .with_columns(bin_of(edges_of(bins)), (stated * FINENESS).floor().cast(pl.Int64).alias("fine"))
        .group_by("bin", "fine", "happened")
        .agg(
            times.sum(),
            ((stated * times).sum() / 100).alias("p"),
            ((stated * stated * times).sum() / 10_000).alias("pp"),
            ((error * error * times).sum() / 10_000).alias("squared"),
            count(pl.col("made"), times).alias("made"),
        )
        .filter(times > 0)
        .sort("bin", "fine", "happened")
        .collect()
    )


def _parts(kinds: pl.DataFrame, bins: int) -> dict[str, float]:
    happened = kinds["happened"].to_numpy().astype(np.float64)
    n, p, pp = (kinds[name].to_numpy().astype(np.float64) for name in ("n", "p", "pp"))
    at = kinds["bin"].to_numpy()

    def per_bin(values: Floats) -> Floats:
        return np.bincount(at, weights=values, minlength=bins).astype(np.float64)

    rows, sum_p, sum_y = per_bin(n), per_bin(p), per_bin(n * happened)
    there = rows > 0
    rows, sum_p, sum_y = rows[there], sum_p[there], sum_y[there]
    mean, observed = sum_p / rows, sum_y / rows
    total = float(rows.sum())
    base = float(sum_y.sum()) / total
    spread = per_bin(pp)[there] - rows * mean**2
    together = per_bin(p * happened)[there] - rows * mean * observed
    return {
        "brier": float(kinds["squared"].sum()) / total,
        "reliability": float((rows * (mean - observed) ** 2).sum()) / total,
        "resolution": float((rows * (observed - base) ** 2).sum()) / total,
        "uncertainty": base * (1 - base),
        "within_bin": float((spread - 2 * together).sum()) / total,
        "ece": float((rows * np.abs(mean - observed)).sum()) / total,
    }


def _intervals(kinds: pl.DataFrame, bins: int, seed: int) -> dict[str, float]:
    """Both statistics of 2,000 resamples. Of a resample, n_k * |p_k - o_k| is |sum of p - sum of y| in bin k."""
    n = kinds["n"].to_numpy()
    gap = kinds["p"].to_numpy() / n - kinds["happened"].to_numpy()
    values = np.zeros((len(n), bins + 1))
    values[np.arange(len(n)), kinds["bin"].to_numpy()] = gap
    values[:, bins] = kinds["squared"].to_numpy() / n
    drawn = totals(n, values, seed=seed) / n.sum()
    both = np.column_stack([drawn[:, bins], np.abs(drawn[:, :bins]).sum(axis=1)])
    (brier_low, ece_low), (brier_high, ece_high) = band(both)
    return {
        "brier_low": float(brier_low),
        "brier_high": float(brier_high),
        "ece_low": float(ece_low),
        "ece_high": float(ece_high),
    }
