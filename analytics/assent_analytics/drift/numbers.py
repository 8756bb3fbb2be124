"""Two samples of numbers, compared as distributions.

1. `ks` is the largest distance of the two empirical distribution functions.
2. `wasserstein` is the area between them, in the unit of the values: how far mass has to move (Ramdas, Trillos and
   Cuturi, Entropy 19, 2017). Over the baseline's standard deviation, as Evidently has it, it is `wasserstein_normed`;
   that is null where the baseline does not vary.
3. `delta` is Cliff's delta and `variance` that of it (`effects`, rule 1).
4. The bins of `psi` and `jensen_shannon` (`categories`, rules 4 and 5) are the ten deciles of the baseline, each up to
   and with the least value that has k tenths of the baseline at or below it (type 1 of Hyndman and Fan 1996), and one
   bin each for what lies below and above the whole baseline. Deciles that ties make one are one bin.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl

from assent_analytics.drift import categories
from assent_analytics.drift.values import (
    BASELINE,
    GROUP,
    LATER,
    OF_BASELINE,
    OF_RECENT,
    RECENT,
    WIDTH,
    counted,
    merged,
    moments,
)

DECILES = 10


class Sample(NamedTuple):
    """How many finite values, their mean and sample standard deviation; null for too few."""

    n: int = 0
    mean: float | None = None
    sd: float | None = None


class Distances(NamedTuple):
    ks: float
    wasserstein: float
    delta: float
    variance: float
    psi: float
    jensen_shannon: float


class Numbers(NamedTuple):
    """Two samples, and how far apart they are; nothing of that where one is empty."""

    baseline: Sample = Sample()
    recent: Sample = Sample()
    distances: Distances | None = None

    @property
    def wasserstein_normed(self) -> float | None:
        sd = self.baseline.sd
        return self.distances.wasserstein / sd if self.distances and sd else None


def compared(baseline: pl.Series, recent: pl.Series) -> Numbers:
    """Rules 1 to 4 of two samples of finite values (`values.known`)."""
    first, second = _sample(baseline), _sample(recent)
    if not first.n or not second.n:
        return Numbers(first, second, None)
    found = merged(baseline, recent).select(_distances()).row(0, named=True)
    return Numbers(first, second, _of(found))


def compared_groups(frame: pl.DataFrame) -> dict[int, Numbers]:
    """The same for each group of a frame of `group`, `later` and finite `value`, in one pass over all of them."""
    samples = {
        (row[GROUP], row[LATER]): Sample(row["n"], row["mean"], row["sd"])
        for row in frame.group_by(GROUP, LATER).agg(moments()).iter_rows(named=True)
    }
    both = [group for group, later in samples if later and (group, False) in samples]
    tables = counted(frame.filter(pl.col(GROUP).is_in(both)))
    distances = {
        row[GROUP]: _of(row)
        for row in tables.group_by(GROUP, maintain_order=True).agg(_distances()).iter_rows(named=True)
    }
    return {
        group: Numbers(
            samples.get((group, False), Sample()), samples.get((group, True), Sample()), distances.get(group)
        )
        for group in sorted({group for group, _ in samples})
    }


def _sample(values: pl.Series) -> Sample:
    return Sample(*values.to_frame().select(moments()).row(0))


def _distances() -> list[pl.Expr]:
    """Rules 1 to 4 for `select` on one table or `agg` on tables grouped."""
    b, r, of_b, of_r = (pl.col(name) for name in (BASELINE, RECENT, OF_BASELINE, OF_RECENT))
    m, n = b.last(), r.last()
    apart = (b / m - r / n).abs()
    # Of each value: how much of the recent sample is above less below it, and of the baseline below less above it.
    dominated, dominates = 1 - (2 * r - of_r) / n, (2 * b - of_b) / m - 1
    delta = dominated.dot(of_b) / m
    return [
        apart.max().alias("ks"),
        apart.dot(pl.col(WIDTH)).alias("wasserstein"),
        delta.alias("delta"),
        (dominated * dominated).dot(of_b).alias("squares_b"),
        (dominates * dominates).dot(of_r).alias("squares_r"),
        of_b.dot(of_r).alias("tied"),
        *_edges(b, r, m, n),
    ]


def _edges(b: pl.Expr, r: pl.Expr, m: pl.Expr, n: pl.Expr) -> list[pl.Expr]:
    """Baseline's and recent's counts up to each edge of rule 4."""
    below = pl.when(b == 0).then(r).max().fill_null(0.0)
    places = [(b * DECILES < k * m).sum() for k in range(1, DECILES + 1)]
    return [
        pl.concat_list(pl.lit(0.0), *(b.get(place) for place in places), m).alias("baseline_up_to"),
        pl.concat_list(below, *(r.get(place) for place in places), n).alias("recent_up_to"),
    ]


def _of(row: dict[str, Any]) -> Distances:
    in_baseline, in_recent = (_in_bins(row[name]) for name in ("baseline_up_to", "recent_up_to"))
    m, n, delta = row["baseline_up_to"][-1], row["recent_up_to"][-1], row["delta"]
    return Distances(
        ks=row["ks"],
        wasserstein=row["wasserstein"],
        delta=delta,
        variance=_variance(delta, m, n, row["squares_b"], row["squares_r"], row["tied"]),
        psi=categories.psi(in_baseline, in_recent),
        jensen_shannon=categories.jensen_shannon(in_baseline, in_recent),
    )


def _variance(delta: float, m: float, n: float, squares_b: float, squares_r: float, tied: float) -> float:
    """Rule 3, from sums of squared dominances; 0 for samples of one value."""
    if m < 2 or n < 2:
        return 0.0
    square = delta * delta
    spread = (squares_b / m - square) * n + (squares_r / n - square) * m - (1 - tied / (m * n) - square)
    return spread / ((m - 1) * (n - 1))


def _in_bins(up_to: list[float]) -> list[float]:
    return [high - low for low, high in zip([0.0, *up_to[:-1]], up_to, strict=True)]
