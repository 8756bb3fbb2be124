"""The slope of one column beside fixed effects and other columns, with every block left out in turn.

    slope of y on x, beside a level for each kind and the columns o:  y = level(kind) + slope * x + o @ b

1. Levels are taken out by centring within kinds (Y. Mundlak, "On the pooling of time series and cross section data",
   Econometrica 46 (1978), 69-85), other columns by partialling out (R. Frisch, F. V. Waugh, Econometrica 1 (1933),
   387-401). All of it follows from sums of products, so that rows can be given added up.
2. Blocks are taken to be independent. The fit is made anew without each of them, levels and columns too, and the
   variance is the jackknife's, (G - 1) / G * sum of (m - m_g)^2 over the G blocks that tell something of the slope
   (CV3: R. M. Bell, D. F. McCaffrey, Survey Methodology 28 (2002), 169-181). A variance that takes the levels as known
   is too small where few blocks share one, as before and after a step.
3. A block tells as much as is lost without it of the variance of x that kinds and other columns leave. The blocks are
   worth (sum of w)^2 / sum of w^2 alike ones by these weights. Where a block carries the slope alone there is no error.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import isqrt
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int64]

TELLS = 1e-9
"""Below this share of its variance, what is left of a column is rounding."""


class Slopes(NamedTuple):
    """One for each problem. `slope` is nan where x says nothing beside the others, `error` where rule 3 says so;
    `blocks` are those that tell something, and `effective` how many alike ones they are worth."""

    slope: Floats
    error: Floats
    blocks: Codes
    effective: Floats


def slopes(products: Sequence[Floats], kinds: Codes, blocks: Codes, problems: Codes) -> Slopes:
    """Of many problems at once. `products` are the sums of products of the columns 1, x, others, y of each row, with
    its weight: 1 * 1, 1 * x, ..., 1 * y, x * x, x * o, ..., y * y. `kinds` and `blocks` number each row's from 0
    without a gap; a kind is of one problem, and `problems` has that of each block.

    Columns are best centred beforehand: what is left of them is a difference of sums.
    """
    size, groups = (isqrt(8 * len(products) + 1) - 1) // 2, len(problems)
    keys, where = np.unique(kinds * groups + blocks, return_inverse=True)
    kind, block = keys // groups, keys % groups
    own = np.empty((len(keys), size, size))
    for (row, column), sums in zip(combinations_with_replacement(range(size), 2), products, strict=True):
        own[:, row, column] = own[:, column, row] = np.bincount(where, sums, len(keys))
    first = np.flatnonzero(np.diff(kind, prepend=-1))
    of_kind = np.add.reduceat(own, first, axis=0)
    rest = of_kind[kind] - own
    rest[rest[:, 0, 0] <= TELLS * of_kind[kind, 0, 0]] = 0.0
    number, problem = int(problems.max()) + 1, problems[block[first]]
    levelled = _levelled(of_kind)
    total = _summed(levelled, problem, number)
    without = total[problems] - _summed(levelled[kind] - _levelled(rest), block, groups)
    # A column of zeros, centred, may have a square of less than nothing by rounding.
    square = np.diagonal(_summed(of_kind, problem, number), axis1=1, axis2=2)[:, 1:]
    spread = np.sqrt(np.clip(square, 0, None))
    spread = np.where(spread > 0, spread, 1.0)
    alike = spread[:, :, None] * spread[:, None, :]
    unit = spread[:, -1] / spread[:, 0]
    slope, told = _partial(total / alike)
    left, kept = _partial(without / alike[problems])
    lost = np.where(told[problems] > TELLS, np.clip(told[problems] - kept, 0, None), 0.0)
    informed = lost > TELLS * told[problems]
    lost = np.where(informed, lost, 0.0)
    count = np.bincount(problems, informed, number).astype(np.int64)
    moved = np.where(informed, (slope[problems] - left) ** 2, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(np.bincount(problems, moved, number) * (count - 1) / count)
        effective = np.bincount(problems, lost, number) ** 2 / np.bincount(problems, lost**2, number)
    error[count < 2] = np.nan
    return Slopes(slope * unit, error * unit, count, np.nan_to_num(effective))


def _levelled(sums: Floats) -> Floats:
    """Sums of products, centred by the first column, which is left out."""
    weight = np.where(sums[:, 0, 0] > 0, sums[:, 0, 0], 1.0)
    return np.asarray(sums[:, 1:, 1:] - sums[:, 1:, :1] * sums[:, :1, 1:] / weight[:, None, None])


def _summed(values: Floats, codes: Codes, number: int) -> Floats:
    flat = values.reshape(len(values), -1)
    sums = [np.bincount(codes, column, number) for column in flat.T]
    return np.stack(sums, axis=1).astype(np.float64).reshape(number, *values.shape[1:])


def _partial(sums: Floats) -> tuple[Floats, Floats]:
    """The slope of the last column on the first beside the others, nan where there is none, and what is left of the
    first one's square."""
    left, rise = sums[:, 0, 0].copy(), sums[:, 0, -1].copy()
    if sums.shape[1] > 2:
        values, vectors = np.linalg.eigh(sums[:, 1:-1, 1:-1])
        known = values > TELLS
        turned = np.einsum("pij,pi->pj", vectors, sums[:, 1:-1, 0])
        other = np.einsum("pij,pi->pj", vectors, sums[:, 1:-1, -1])
        share = np.where(known, turned / np.where(known, values, 1.0), 0.0)
        left -= (share * turned).sum(axis=1)
        rise -= (share * other).sum(axis=1)
    there = left > TELLS
    return np.where(there, rise / np.where(there, left, 1.0), np.nan), np.where(there, left, 0.0)
