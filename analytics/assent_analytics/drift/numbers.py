"""Tests and effects for drift of numbers: distances of two samples, Cliff's delta and Hedges' g with their intervals.

How far apart two samples of numbers are, from their tables of values (`values`), for many groups at once.

1. `ks` is the largest distance of the two empirical distribution functions.
2. `wasserstein` is the area between them, in the unit of the values: how far mass has to move (Ramdas, Trillos and
   Cuturi, Entropy 19, 2017).
3. `delta` is Cliff's delta and `variance` that of it (rule 1 of effects, below).
4. The bins of `psi` and `jensen_shannon` (`categories`, rules 4 and 5) are the ten deciles of the baseline, each up to
   and with the least value that has k tenths of the baseline at or below it (type 1 of Hyndman and Fan 1996), and one
   bin each for what lies below and above the whole baseline. Deciles that ties make one are one bin.
"""

from __future__ import annotations

import sys
from math import isfinite, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from assent_analytics.drift import categories
from assent_analytics.drift.values import (
    GROUP,
    LATER,
    WEIGHT,
    Floats,
    Interleaved,
    ValueTable,
    counted,
    interleaved,
    moments,
    table_of,
    tame,
)
from assent_analytics.means import t_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

DECILES = 10
_HALF = sys.float_info.max / 2
_BLOCK = 1 << 15


class Distances(NamedTuple):
    ks: float
    wasserstein: float
    delta: float
    variance: float
    psi: float
    jensen_shannon: float


def distances(table: ValueTable) -> list[Distances]:
    """Rules 1 to 4 for each group of a table, none of whose samples is empty."""
    of_b, of_r, starts = table.baseline, table.recent, table.starts
    ends = np.append(starts[1:], len(table.value))
    share_b, share_r = np.cumsum(of_b), np.cumsum(of_r)
    m, n = (np.diff(so_far[ends - 1], prepend=0.0) for so_far in (share_b, share_r))
    before_b, before_r = share_b[ends - 1] - m, share_r[ends - 1] - n
    in_baseline, in_recent = _bins(starts, share_b, share_r, (before_b, before_r), (m, n))

    def each(of_group: Floats) -> Floats:
        """A number of each group for each of its values; one group's number needs no copies."""
        return of_group if len(starts) == 1 else np.repeat(of_group, ends - starts)

    def total(*factors: Floats) -> Floats:
        if len(starts) == 1:
            # Not as a matrix product: that of BLAS starts threads, which takes longer than the sum.
            return np.array([np.einsum(",".join("i" * len(factors)) + "->", *factors)])
        sums: Floats = np.add.reduceat(np.prod(factors, axis=0), starts)
        return sums

    # In place wherever it can be: fresh memory for ten million values takes longer than counting with them.
    sizes_b, sizes_r = each(m), each(n)
    for share, before, size in ((share_b, before_b, sizes_b), (share_r, before_r, sizes_r)):
        share -= each(before)
        share /= size
    apart = np.subtract(share_b, share_r)
    np.abs(apart, out=apart)
    # Half the distance of two finite values is always finite; twice that need not be.
    value, times = (
        (table.value, 1.0)
        if max(abs(table.value[starts]).max(), abs(table.value[ends - 1]).max()) < _HALF
        else (table.value / 2, 2.0)
    )
    width = np.empty_like(apart)
    np.subtract(value[1:], value[:-1], out=width[:-1])
    width[ends - 1] = 0.0
    ks = np.maximum.reduceat(apart, starts)
    area = [times * float(each) for each in total(apart, width)]
    # Of each value of the baseline, the share of recent ones above it less that below: 1 - (2 r - its own).
    dominance = np.divide(of_r, sizes_r, out=apart)
    dominance -= share_r
    dominance -= share_r
    dominance += 1
    delta, square_b = total(dominance, of_b) / m, total(dominance, dominance, of_b) / m
    # Of each recent value, the share of the baseline below it less that above: 2 b - its own - 1.
    dominance = np.divide(of_b, sizes_b, out=width)
    np.subtract(share_b, dominance, out=dominance)
    dominance += share_b
    dominance -= 1
    square_r = total(dominance, dominance, of_r) / n
    variance = _variance(delta, m, n, square_b, square_r, total(of_b, of_r) / (m * n))
    rows = zip(ks.tolist(), area, delta.tolist(), variance.tolist(), in_baseline, in_recent, strict=True)
    return [
        Distances(far, moved, dominant, spread, categories.psi(b, r), categories.jensen_shannon(b, r))
        for far, moved, dominant, spread, b, r in rows
    ]


def distances_between(both: Interleaved) -> Distances:
    """Rules 1 to 4 for two samples, none of which is empty. Where no value comes twice, counts are places: a third of
    the steps that a table takes."""
    if not both.distinct or max(abs(float(both.value[0])), abs(float(both.value[-1]))) >= _HALF:
        return distances(table_of(both))[0]
    later, value = both.later, both.value
    at_b = np.flatnonzero(~later)
    m, n = len(at_b), len(later) - len(at_b)
    tenths = np.ceil(np.arange(1, DECILES + 1) * m / DECILES).astype(np.int64)
    in_baseline = np.diff([0, *tenths.tolist(), m], prepend=0).tolist()
    # Of a value of the baseline, its place less how many of the baseline come before it: the recent ones below it.
    in_recent = np.diff([at_b[0], *(at_b[tenths - 1] - tenths + 1).tolist(), n], prepend=0).tolist()
    ks = area = dominance = square_b = square_r = 0.0
    recent = 0
    # Block by block, since what stays in the processor's cache is counted faster than fresh memory is found.
    for low in range(0, m + n, _BLOCK):
        late = later[low : low + _BLOCK]
        so_far = np.cumsum(late, dtype=np.int32)
        so_far += recent
        recent = int(so_far[-1])
        share_r = so_far / n
        share_b = np.subtract(np.arange(low + 1, low + 1 + len(late), dtype=np.int32), so_far, out=so_far) / m
        weight = late.astype(np.float64)
        apart = np.abs(share_b - share_r)
        ks = max(ks, float(apart.max()))
        width = np.diff(value[low : low + len(late) + 1])
        area += float(np.einsum("i,i->", apart[: len(width)], width))
        # Of recent values, the share of the baseline below less that above; of those of the baseline, the reverse.
        share_b *= 2.0
        share_b -= 1.0
        square_r += float(np.einsum("i,i,i->", share_b, share_b, weight))
        share_r *= -2.0
        share_r += 1.0
        np.subtract(1.0, weight, out=weight)
        dominance += float(np.einsum("i,i->", share_r, weight))
        square_b += float(np.einsum("i,i,i->", share_r, share_r, weight))
    delta = dominance / m
    sizes = [np.array([float(each)]) for each in (m, n)]
    squares = np.array([square_b / m]), np.array([square_r / n])
    variance = _variance(np.array([delta]), sizes[0], sizes[1], squares[0], squares[1], np.zeros(1))
    return Distances(
        ks=ks,
        wasserstein=area,
        delta=delta,
        variance=float(variance[0]),
        psi=categories.psi(in_baseline, in_recent),
        jensen_shannon=categories.jensen_shannon(in_baseline, in_recent),
    )


def _variance(delta: Floats, m: Floats, n: Floats, square_b: Floats, square_r: Floats, tied: Floats) -> Floats:
    """Rule 3, from mean squared dominances and the share of pairs that tie; 0 for samples of one value."""
    square = delta * delta
    spread = (square_b - square) * n + (square_r - square) * m - (1 - tied - square)
    enough = (m > 1) & (n > 1)
    variance: Floats = np.where(enough, spread / np.where(enough, (m - 1) * (n - 1), 1.0), 0.0)
    return variance


def _bins(
    starts: NDArray[np.int64],
    so_far_b: Floats,
    so_far_r: Floats,
    before: tuple[Floats, Floats],
    sizes: tuple[Floats, Floats],
) -> tuple[list[list[float]], list[list[float]]]:
    """Counts in each bin of rule 4, of each group: by where the running count of the baseline reaches its tenths."""
    tenths = np.minimum(np.arange(1, DECILES + 1) * sizes[0][:, None] / DECILES, sizes[0][:, None])
    # Sums of weights are rounded: the last tenth may seem to lie a step behind the group.
    ends = np.append(starts[1:], len(so_far_b))
    places = np.minimum(np.searchsorted(so_far_b, before[0][:, None] + tenths), ends[:, None] - 1)
    first = np.searchsorted(so_far_b, before[0], side="right")
    below = np.where(first > starts, so_far_r[first - 1] - before[1], 0.0)
    up_to_b = np.hstack([np.zeros((len(first), 1)), so_far_b[places] - before[0][:, None], sizes[0][:, None]])
    up_to_r = np.hstack([below[:, None], so_far_r[places] - before[1][:, None], sizes[1][:, None]])
    return np.diff(up_to_b, prepend=0.0).tolist(), np.diff(up_to_r, prepend=0.0).tolist()


# Two samples of numbers: how large each is, and how far apart both are.


class Sample(NamedTuple):
    """How many finite values, their mean and sample standard deviation, null for too few, and as how many independent
    values they count by their weights."""

    n: int = 0
    mean: float | None = None
    sd: float | None = None
    worth: float = 0.0


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
    apart = distances_between(interleaved(baseline, recent)) if first.n and second.n else None
    return Numbers(first, second, apart)


def compared_groups(frame: pl.DataFrame) -> dict[int, Numbers]:
    """The same for each group of a frame of `group`, `later` and finite `value`, and `weight` where rows have one, in
    one pass over all of them."""
    found = frame.group_by(GROUP, LATER).agg(moments(scaled=True, weighted=WEIGHT in frame.columns))
    samples = {
        (row[GROUP], row[LATER]): Sample(row["n"], row["mean"], row["sd"], row["worth"])
        for row in found.iter_rows(named=True)
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


# How large a difference of two samples of numbers is, whatever their unit, with 95% intervals.
#
# 1. Cliff's delta is the probability that a recent value is above a baseline value, less the probability that it is
#    below: -1 to 1, 0 where neither tends to be larger. It asks only for order, so heavy tails do not move it. From the
#    dominances of single values, d(b) = share of recent above b less share below, and d(r) likewise, its variance is
#
#        (n^2 sum (d(b) - delta)^2 + m^2 sum (d(r) - delta)^2 - sum sum (d(b, r) - delta)^2) / (m n (m - 1) (n - 1))
#
#    for m baseline and n recent values, at least (1 - delta^2) / (m n - 1) (Cliff, "Dominance statistics",
#    Psychological Bulletin 114, 1993). The interval is the asymmetric one of Feng and Cliff, Journal of Modern Applied
#    Statistical Methods 3 (2004), with z Student's quantile of m + n - 2 degrees of freedom:
#
#        (delta - delta^3 -+ z s sqrt((1 - delta^2)^2 + z^2 s^2)) / (1 - delta^2 + z^2 s^2)
#
#    When delta is 1 or -1, its inner end is (k - z^2) / (k + z^2) on that side, k being the smaller sample's size.
# 2. Hedges' g is the difference of the means over the pooled standard deviation, times 1 - 3 / (4 (m + n - 2) - 1),
#    which takes its bias away; its variance is (m + n) / (m n) + g^2 / (2 (m + n)) (Hedges and Olkin 1985). It supposes
#    distributions that are about normal.


_MANY = 500
"""From here on Student's quantile is the normal one to three digits, and is not worth finding for each size."""


class Effect(NamedTuple):
    value: float
    low: float
    high: float


def cliffs_delta(delta: float, variance: float, m: int, n: int, confidence: float = 0.95) -> Effect:
    """Rule 1: delta with its interval, from its variance."""
    z = t_quantile(max(1, m + n - 2), confidence) if m + n < _MANY else NormalDist().inv_cdf((1 + confidence) / 2)
    if abs(delta) >= 1:
        inner = (min(m, n) - z * z) / (min(m, n) + z * z)
        return Effect(delta, inner, 1.0) if delta > 0 else Effect(delta, -1.0, -inner)
    square = z * z * max(variance, (1 - delta * delta) / max(1, m * n - 1))
    rest = 1 - delta * delta
    half = sqrt(square) * sqrt(rest * rest + square)
    return Effect(delta, (delta * rest - half) / (rest + square), (delta * rest + half) / (rest + square))


def hedges_g(
    means: tuple[float, float], deviations: tuple[float, float], m: int, n: int, confidence: float = 0.95
) -> Effect | None:
    """Rule 2, of (baseline, recent) means and sample standard deviations; None where values do not vary, or are too
    few or too large to say how much."""
    if m < 2 or n < 2:
        return None
    top = max(deviations)
    if not isfinite(top) or top <= 0:
        return None
    first, second = (each / top for each in deviations)
    pooled = sqrt(((m - 1) * first**2 + (n - 1) * second**2) / (m + n - 2))
    g = (means[1] / top - means[0] / top) / pooled * (1 - 3 / (4 * (m + n - 2) - 1))
    half = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt((m + n) / (m * n) + g * g / (2 * (m + n)))
    return Effect(g, g - half, g + half) if isfinite(half) else None
