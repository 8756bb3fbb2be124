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
4. Where other columns are as many as a level for each hour, their products are more than the rows. `slopes_within`
   takes the rows of problems whose blocks are their kinds, and has the fit without a block from the whole one: with r
   and s what the other columns leave of x and y, and H the block's part of their projection, it lacks r' (I - H)^-1 s
   of the product of both (R. D. Cook, S. Weisberg, Residuals and Influence in Regression (1982), section 3.6). A column
   that stands in one block only leaves H without an inverse and nothing of r and s in its direction.
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
_RIDGE = 1e-11
"""What makes a matrix without an inverse one that has one."""


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


class Slope(NamedTuple):
    """One of `Slopes`."""

    slope: float
    error: float
    blocks: int
    effective: float


def slopes_within(x: Floats, others: Floats, y: Floats, begins: Codes) -> list[Slope]:
    """Rule 4: of rows that are in the order of their blocks, which begin at `begins` (the first at 0). Each block has a
    level of its own; `others` has a column for each further one, of any rank. Each column of `x` is a problem of its
    own: what the others leave of it is found for all at once."""
    many, sizes = x.shape[1], np.diff(begins, append=len(x))
    block = np.repeat(np.arange(len(begins)), sizes)
    given = np.column_stack([x, y, others])
    centred = given - (np.add.reduceat(given, begins, axis=0) / sizes[:, None])[block]
    spread = np.sqrt((centred**2).sum(axis=0))
    # What is left of a column that is alike within each block is rounding.
    there = spread > TELLS * np.sqrt((given**2).sum(axis=0))
    unit = centred / np.where(there, spread, 1.0)
    beside = unit[:, many + 1 :][:, there[many + 1 :]]
    values, vectors = np.linalg.eigh(beside.T @ beside)
    known = values > TELLS
    basis = beside @ (vectors[:, known] / np.sqrt(values[known]))
    ends = unit[:, : many + 1]
    ends = ends - basis @ (basis.T @ ends)
    squares, rises = _without(basis, ends, begins, sizes)
    told = (ends[:, :many] ** 2).sum(axis=0)
    return [
        _slope(told[at], ends[:, at] @ ends[:, many], squares[:, at], rises[:, at], spread[many] / spread[at])
        if there[at] and told[at] > TELLS
        else Slope(np.nan, np.nan, 0, 0.0)
        for at in range(many)
    ]


def _slope(told: float, rise: float, squares: Floats, rises: Floats, unit: float) -> Slope:
    """Of what is left of x, its square and its product with y, and of what each block has of both."""
    informed = squares > TELLS * told
    count = int(informed.sum())
    if count < 2:
        return Slope(float(rise / told * unit), np.nan, count, float(count))
    kept = told - squares
    with np.errstate(divide="ignore", invalid="ignore"):
        without = np.where(kept > TELLS, (rise - rises) / kept, np.nan)
    moved, weight = np.where(informed, (rise / told - without) ** 2, 0.0), np.where(informed, squares, 0.0)
    error = np.sqrt(moved.sum() * (count - 1) / count)
    effective = weight.sum() ** 2 / (weight**2).sum()
    return Slope(float(rise / told * unit), float(error * unit), count, float(effective))


def _without(basis: Floats, ends: Floats, begins: Codes, sizes: Codes) -> tuple[Floats, Floats]:
    """r' (I - H)^-1 r and r' (I - H)^-1 s of each block and each r, the last of `ends` being s: whichever is fewer, its
    rows or the columns, is inverted."""
    shape = len(begins), ends.shape[1] - 1
    squares, rises = np.empty(shape), np.empty(shape)
    for size in np.unique(sizes).tolist():
        of_size = np.flatnonzero(sizes == size)
        rows = begins[of_size][:, None] + np.arange(size)
        part, left = basis[rows], ends[rows]
        turned = part.transpose(0, 2, 1)
        few = min(size, basis.shape[1])
        inner = (1 + _RIDGE) * np.eye(few) - (part @ turned if few == size else turned @ part)
        solved = np.linalg.solve(inner, left) if few == size else left + part @ np.linalg.solve(inner, turned @ left)
        squares[of_size] = (left[:, :, :-1] * solved[:, :, :-1]).sum(axis=1)
        rises[of_size] = (left[:, :, :-1] * solved[:, :, -1:]).sum(axis=1)
    return squares, rises


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
