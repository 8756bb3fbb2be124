"""Two samples of numbers: how large each is, and how far apart both are (`distances`)."""

from __future__ import annotations

from math import isfinite, sqrt
from typing import NamedTuple

import polars as pl

from assent_analytics.drift.distances import Distances, distances
from assent_analytics.drift.values import GROUP, LATER, counted, merged, moments, tame


class Sample(NamedTuple):
    """How many finite values, their mean and sample standard deviation; null for too few."""

    n: int = 0
    mean: float | None = None
    sd: float | None = None


class Numbers(NamedTuple):
    """Two samples, and how far apart they are; nothing of that where one is empty."""

    baseline: Sample = Sample()
    recent: Sample = Sample()
    distances: Distances | None = None

    @property
    def wasserstein_normed(self) -> float | None:
        """The Wasserstein distance over the baseline's standard deviation, that of n as Evidently has it; None where
        the baseline does not vary, or by more than a float can say."""
        n, sd = self.baseline.n, self.baseline.sd
        if self.distances is None or not sd or not isfinite(sd) or not isfinite(self.distances.wasserstein):
            return None
        return self.distances.wasserstein / (sd * sqrt((n - 1) / n))


def compared(baseline: pl.Series, recent: pl.Series) -> Numbers:
    """Two samples of finite values (`values.known`)."""
    first, second = _sample(baseline), _sample(recent)
    apart = distances(merged(baseline, recent))[0] if first.n and second.n else None
    return Numbers(first, second, apart)


def compared_groups(frame: pl.DataFrame) -> dict[int, Numbers]:
    """The same for each group of a frame of `group`, `later` and finite `value`, in one pass over all of them."""
    samples = {
        (row[GROUP], row[LATER]): Sample(row["n"], row["mean"], row["sd"])
        for row in frame.group_by(GROUP, LATER).agg(moments(scaled=True)).iter_rows(named=True)
    }
    both = sorted(group for group, later in samples if later and (group, False) in samples)
    tables = distances(counted(frame.filter(pl.col(GROUP).is_in(both)))) if both else []
    apart = dict(zip(both, tables, strict=True))
    return {
        group: Numbers(samples.get((group, False), Sample()), samples.get((group, True), Sample()), apart.get(group))
        for group in sorted({group for group, _ in samples})
    }


def _sample(values: pl.Series) -> Sample:
    return Sample(*values.to_frame().select(moments(scaled=not tame(values))).row(0))
