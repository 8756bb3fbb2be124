"""The bootstrap: what a number leaves open, found by drawing the sample anew from itself.

B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7 (1979), 1-26. A *replicate* is the
number of n rows drawn with replacement from the n rows there are. Every draw comes from a seed, so that the same rows
give the same interval.

1. The *percentile* interval lies between the (1 - c) / 2 and the (1 + c) / 2 quantile of the replicates.
2. The *BCa* interval moves these two by the bias z0 and the acceleration a (B. Efron, "Better bootstrap confidence
   intervals", Journal of the American Statistical Association 82 (1987), 171-185): z0 is the normal quantile of the
   share of replicates below the estimate, those equal counted half; a is the sum of d^3 over 6 * (sum of d^2)^1.5,
   d being the mean of the n numbers that leave one row out, less each. Where all replicates lie on one side of the
   estimate, or no row changes it, there is no such correction and the percentile interval stands.
3. Replicates of a quantile need no drawing of rows. The k-th smallest of n drawn rows is the row whose rank is
   ceil(n * U), U being the k-th smallest of n uniforms, which is Beta(k, n - k + 1); the next one above it is
   U + (1 - U) * Beta(1, n - k). Efron (1979), section 3, has the same distribution in closed form.
4. Replicates of sums need none either where many rows are alike: how often each kind is drawn is multinomial.
5. Values that are not finite do not count. Fewer than 2 are `insufficient_data`: the estimate stands, its interval is
   empty. Values that are all alike have an interval without width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, nan
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Statistic = Callable[..., Any]
"""Of an array and `axis=-1`, as numpy.mean and numpy.median: it takes away the last axis."""
Method = Literal["percentile", "bca"]

RESAMPLES = 2000
MINIMUM = 2
_CELLS = 2_000_000
"""How many drawn rows are in memory at once."""
_NORMAL = NormalDist()


class Interval(NamedTuple):
    """`n` is how many values counted. `low` and `high` are None where `status` is insufficient_data, `estimate` only
    where n is 0."""

    n: int
    estimate: float | None
    low: float | None
    high: float | None
    status: Literal["ok", "insufficient_data"]


def interval(
    values: ArrayLike | pl.Series,
    statistic: Statistic | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    method: Method = "bca",
) -> Interval:
    """The interval of `statistic` of the values, or their mean. Time and memory grow with n * `resamples`, and
    for BCa with n^2.

    Raises ValueError for a confidence that is not between 0 and 1 and for fewer than 2 resamples.
    """
    _check(resamples, confidence)
    statistic = statistic or np.mean
    known = finite(values)
    n = len(known)
    estimate = float(statistic(known, axis=-1)) if n else None
    if n < MINIMUM or estimate is None:
        return Interval(n, estimate, None, None, "insufficient_data")
    replicates = _drawn(known, statistic, resamples, np.random.default_rng(seed))
    shares = _bca(known, statistic, estimate, replicates, confidence) if method == "bca" else _tails(confidence)
    low, high = np.quantile(replicates, shares)
    return Interval(n, estimate, float(low), float(high), "ok")


def quantile_intervals(
    values: ArrayLike | pl.Series,
    at: Sequence[float],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> list[Interval]:
    """The quantiles of the values (linear between neighbours, type 7) with percentile intervals, in the order of `at`,
    whose members lie between 0 and 1. Rule 3 makes this one sort of the values, however many resamples."""
    _check(resamples, confidence)
    if not all(0 <= share <= 1 for share in at):
        raise ValueError(f"quantiles are at {list(at)}; give shares between 0 and 1")
    ordered = np.sort(finite(values))
    n = len(ordered)
    if n < MINIMUM:
        return [Interval(n, float(ordered[0]) if n else None, None, None, "insufficient_data") for _ in at]
    random = np.random.default_rng(seed)
    found = []
    for share in at:
        low, high = np.quantile(_quantiles(ordered, share, resamples, random), _tails(confidence))
        found.append(Interval(n, float(np.quantile(ordered, share)), float(low), float(high), "ok"))
    return found


def totals(counts: ArrayLike, values: ArrayLike, *, seed: int = 0, resamples: int = RESAMPLES) -> Floats:
    """Replicates of sums over rows of which many are alike: `counts` says how many of each of k kinds there are,
    `values` (k, or k by m) what one of each adds to each of m sums. Answers resamples by m (m is 1 for plain k).

    Raises ValueError for shapes that do not fit, for negative counts and for values that are not finite.
    """
    times = np.asarray(counts, dtype=np.int64)
    each = np.asarray(values, dtype=np.float64)
    each = each[:, None] if each.ndim == 1 else each
    if times.ndim != 1 or each.ndim != 2 or len(times) != len(each):
        raise ValueError(
            f"counts have the shape {times.shape}, values {each.shape}; give k counts and k rows of values"
        )
    if (times < 0).any() or not np.isfinite(each).all():
        raise ValueError("counts are 0 or more, and values are finite")
    n = int(times.sum())
    if n == 0:
        return np.zeros((resamples, each.shape[1]))
    random = np.random.default_rng(seed)
    drawn: Floats = random.multinomial(n, times / n, size=resamples).astype(np.float64)
    return drawn @ each


def band(replicates: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """The percentile interval of each column of replicates (resamples by m): m lower and m upper ends."""
    _check(MINIMUM, confidence)
    low, high = np.quantile(np.asarray(replicates, dtype=np.float64), _tails(confidence), axis=0)
    return low, high


def finite(values: ArrayLike | pl.Series) -> Floats:
    """The values that are finite numbers, as a flat array."""
    given = values.cast(pl.Float64).drop_nulls().to_numpy() if isinstance(values, pl.Series) else values
    flat = np.asarray(given, dtype=np.float64).ravel()
    return flat[np.isfinite(flat)]


def _check(resamples: int, confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a share between 0 and 1, such as 0.95")
    if resamples < MINIMUM:
        raise ValueError(f"resamples is {resamples}; give {MINIMUM} or more, such as {RESAMPLES}")


def _tails(confidence: float) -> tuple[float, float]:
    return (1 - confidence) / 2, (1 + confidence) / 2


def _drawn(known: Floats, statistic: Statistic, resamples: int, random: np.random.Generator) -> Floats:
    n = len(known)
    at_once = max(1, min(resamples, _CELLS // n))
    parts = []
    for begin in range(0, resamples, at_once):
        rows = random.integers(0, n, (min(at_once, resamples - begin), n))
        parts.append(np.asarray(statistic(known[rows], axis=-1), dtype=np.float64))
    return np.concatenate(parts)


def _bca(
    known: Floats, statistic: Statistic, estimate: float, replicates: Floats, confidence: float
) -> tuple[float, float]:
    below = float((replicates < estimate).mean() + (replicates <= estimate).mean()) / 2
    gaps = _leaving_one_out(known, statistic)
    largest = float(np.abs(gaps).max())
    if not 0 < below < 1 or not isfinite(largest) or largest == 0:
        return _tails(confidence)
    # Their ratio does not depend on the unit, and powers of large numbers would overflow.
    gaps = gaps / largest
    spread = float((gaps**2).sum()) ** 1.5
    z0, a = _NORMAL.inv_cdf(below), float((gaps**3).sum()) / (6 * spread)
    moved = []
    for share in _tails(confidence):
        z = z0 + _NORMAL.inv_cdf(share)
        moved.append(_NORMAL.cdf(z0 + z / (1 - a * z)) if a * z != 1 else nan)
    return (moved[0], moved[1]) if all(isfinite(share) for share in moved) else _tails(confidence)


def _leaving_one_out(known: Floats, statistic: Statistic) -> Floats:
    n = len(known)
    at_once = max(1, _CELLS // n)
    parts = []
    for begin in range(0, n, at_once):
        out = np.arange(begin, min(n, begin + at_once))
        kept = np.arange(n - 1)[None, :]
        parts.append(np.asarray(statistic(known[kept + (kept >= out[:, None])], axis=-1), dtype=np.float64))
    each = np.concatenate(parts)
    return np.asarray(each.mean() - each, dtype=np.float64)


def _quantiles(ordered: Floats, share: float, resamples: int, random: np.random.Generator) -> Floats:
    n = len(ordered)
    position = (n - 1) * share
    k = int(position) + 1
    lower = random.beta(k, n - k + 1, resamples)
    upper = lower + (1 - lower) * random.beta(1, n - k, resamples) if k < n else lower
    below, above = (ordered[np.clip(np.ceil(n * u).astype(np.int64) - 1, 0, n - 1)] for u in (lower, upper))
    weight = position - int(position)
    return np.asarray(below * (1 - weight) + above * weight, dtype=np.float64)
