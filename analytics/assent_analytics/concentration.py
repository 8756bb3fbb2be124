"""Whether what happens is concentrated in time beyond the clusters: failures that sessions share, as in an outage.

Clusters are taken to be independent of each other (`clusters`, rule 1). Where sessions of one hour fail together they
are not, and every interval over clusters is too narrow.

1. A cell is what one cluster has in one hour: the sum of its values less the mean of all. With S_h the sum of an hour's
   cells and Q that of all squared cells,

       ratio = sum of S_h^2 / Q = 1 + sum over pairs of clusters of one hour of their cells' product / Q

   It is about 1 where the clusters of an hour share nothing, and how many times larger the variance of a sum is where
   they do: the design effect of hours over clusters (L. Kish, Survey Sampling, 1965).
2. Where nothing is shared, cells may change hours. The p-value is that of `PERMUTATIONS` permutations of the cells,
   hours keeping their number (E. J. G. Pitman, Supplement to the Journal of the Royal Statistical Society 4 (1937),
   119-130).
3. It is `concentrated` from a ratio of `RATIO` on (an interval that heeds it is 12 % wider) with a p-value of `LEVEL`
   at most. A rhythm of the day and hours of riskier work are concentrated, too.
4. Fewer than 10 clusters, no hour with two, and values that are all alike tell nothing: no ratio. Values that are not
   finite do not count. Of more than `MOST` cells, whole hours are drawn until there are so many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from assent_analytics.clusters import FEWEST

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

PERMUTATIONS = 999
RATIO, LEVEL = 1.25, 0.01
MOST = 20_000


class Concentration(NamedTuple):
    """Of `clusters` in `hours`; `ratio` and `p_value` are None where nothing tells them. `worst` is the hour with the
    largest sum above the mean, None where there is none."""

    clusters: int
    hours: int
    ratio: float | None
    p_value: float | None
    worst: int | None
    concentrated: bool


def concentration(values: ArrayLike, clusters: ArrayLike, hours: ArrayLike, *, seed: int = 0) -> Concentration:
    """By the rules above, for one value, cluster and hour (whole numbers) for each row. The same rows give the same
    answer. Raises ValueError for lengths that differ."""
    known, codes, places = (np.asarray(each).ravel() for each in (values, clusters, hours))
    known = known.astype(np.float64)
    if not len(known) == len(codes) == len(places):
        raise ValueError(
            f"there are {len(known)} values, {len(codes)} clusters and {len(places)} hours; give one for each value"
        )
    finite = np.isfinite(known)
    known, codes, places = known[finite], codes[finite].astype(np.int64), places[finite].astype(np.int64)
    numbers, cluster = np.unique(codes, return_inverse=True)
    named, hour = np.unique(places, return_inverse=True)
    nothing = Concentration(len(numbers), len(named), None, None, None, concentrated=False)
    if len(numbers) < FEWEST or np.ptp(known) == 0:
        return nothing
    keys, cell = np.unique(hour * len(numbers) + cluster, return_inverse=True)
    held: Floats = np.bincount(cell, known - known.mean()).astype(np.float64)
    of_hour = keys // len(numbers)
    random = np.random.default_rng(seed)
    sums = np.bincount(of_hour, held)
    worst = int(named[int(np.argmax(sums))])
    if len(held) > MOST:
        order = random.permutation(len(named))
        kept = order[np.cumsum(np.bincount(of_hour)[order]) <= MOST]
        chosen = np.isin(of_hour, kept)
        held, of_hour = held[chosen], np.unique(of_hour[chosen], return_inverse=True)[1]
    square = float(held @ held)
    if square <= 0 or np.bincount(of_hour).max(initial=0) < 2:
        return nothing

    def together(cells: Floats) -> float:
        each = np.bincount(of_hour, cells)
        return float(each @ each) / square

    ratio = together(held)
    larger = sum(together(held[random.permutation(len(held))]) >= ratio * (1 - 1e-12) for _ in range(PERMUTATIONS))
    p_value = (1 + larger) / (1 + PERMUTATIONS)
    return nothing._replace(ratio=ratio, p_value=p_value, worst=worst, concentrated=ratio >= RATIO and p_value <= LEVEL)
