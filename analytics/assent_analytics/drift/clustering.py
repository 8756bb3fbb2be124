"""Which rows of a comparison belong together, and as how many independent ones they count.

1. The cluster of a row is its session where it has one (`session_id`), else its thread (`thread_id`), else the row
   itself. These are taken to be independent of each other: what follows each other among them is not looked at.
2. The design effect of a group's metric is that of the difference of its two means (`clusters.clustered_difference`),
   of numbers that of their ranks in both windows together, which heavy tails do not move. A cluster that reaches into
   both windows counts once. It is never below 1.
3. That of a mix is the mean over its categories, each weighted by the share of rows of others: 1 - p (Rao and Scott's
   first-order correction).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from assent_analytics.clusters import clustered_difference, named_runs, numbered
from assent_analytics.drift.rows import Clustering
from assent_analytics.frames import Frame, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int64]
    Flags: TypeAlias = NDArray[np.bool_]

SESSION, CLUSTER = "session_id", "_cluster"


def session_of(frame: Frame) -> pl.Expr:
    """The session of each row, or its thread, as text; null where there is neither."""
    ways = [text for _, text in named_runs(columns(frame))]
    return pl.coalesce(*ways, pl.lit(None, pl.String)).alias(CLUSTER)


def coded(sessions: pl.Series) -> tuple[Codes, str]:
    """A number for each row's cluster by rule 1, and what the clusters are."""
    known = sessions.is_not_null().to_numpy()
    codes = np.arange(len(sessions), dtype=np.int64) + len(sessions)
    codes[known] = numbered(sessions.drop_nulls().cast(pl.Categorical).to_physical().to_numpy())[0]
    kinds = sessions.drop_nulls().str.extract("^([a-z]+):").unique().to_list()
    words = [*(word for word in ("session", "thread") if word in kinds), *([] if known.all() else ["value"])]
    return codes, ", else ".join(words)


def of_values(values: pl.Series, later: pl.Series, codes: Codes, basis: str, *, ranked: bool) -> Clustering:
    """The clustering of one metric of one group; `ranked` for numbers, of which what is not finite does not count."""
    numbers = values.cast(pl.Float64)
    kept = (numbers.is_not_null() & numbers.is_finite().fill_null(False)).to_numpy()
    recent, clusters = later.to_numpy()[kept], codes[kept]
    sample = numbers.filter(pl.Series(kept))
    known = (sample.rank("average") if ranked else sample).to_numpy()
    return _of(clusters, recent, basis, [(known.astype(np.float64), 1.0)])


def of_mix(values: pl.Series, later: pl.Series, codes: Codes, times: Codes, basis: str) -> Clustering:
    """The same of a mix of categories, of rows that stand for so many each."""
    texts = np.repeat(values.cast(pl.String).to_numpy(), times)
    recent, clusters = np.repeat(later.to_numpy(), times), np.repeat(codes, times)
    names, counts = np.unique(texts.astype(str), return_counts=True)
    shares = counts / max(1, len(texts))
    wanted = [((texts == name).astype(np.float64), 1 - share) for name, share in zip(names, shares, strict=True)]
    return _of(clusters, recent, basis, wanted)


def _of(clusters: Codes, recent: Flags, basis: str, wanted: Sequence[tuple[Floats, float]]) -> Clustering:
    before, after = clusters[~recent], clusters[recent]
    numbers = [np.unique(each).size for each in (before, after)]
    single = np.unique(clusters).size == len(clusters)
    weights = sum(weight for _, weight in wanted)
    if single or min(numbers) < 2 or weights <= 0:
        return Clustering(numbers[0], numbers[1], 1.0, single, basis)
    total = 0.0
    for values, weight in wanted:
        found = clustered_difference((values[~recent], before), (values[recent], after))
        total += weight * (1.0 if found.design_effect is None else found.design_effect)
    return Clustering(numbers[0], numbers[1], max(1.0, total / weights), single, basis)
