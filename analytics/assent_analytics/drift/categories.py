"""Two mixes of categories: Pearson's chi-square, Cramer's V, Jensen-Shannon and the population stability index.

1. Chi-square is the sum of (observed - expected)^2 / expected over a table of two rows, without continuity correction,
   with one degree of freedom less than there are categories. Categories that neither sample has do not count.
2. It needs expected counts of 5 (Cochran, Biometrics 10, 1954): `pooled` makes one category of all that have less, and
   adds the next smallest until it has enough.
3. Cramer's V is sqrt(chi-square / n), from 0 to 1 for two rows. Its interval is that of the noncentrality that makes
   the observed chi-square the 97.5% and the 2.5% quantile (Smithson, "Confidence intervals", 2003): sqrt(lambda / n).
4. The Jensen-Shannon distance is the square root of the divergence with base 2, from 0 to 1 (Endres and Schindelin,
   IEEE Transactions on Information Theory 49, 2003).
5. PSI is the sum of (q - p) * ln(q / p). So that an empty bin does not make it infinite, each of the bins has half a
   row added on both sides: p = (count + 0.5) / (n + bins / 2). By a rule of thumb (not ours), 0.1 is moderate and 0.2
   large.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, log2, sqrt
from typing import NamedTuple

from assent_analytics.drift.noncentral import noncentrality
from assent_analytics.gamma import chi_square_tail

EXPECTED = 5
ADDED = 0.5


class ChiSquare(NamedTuple):
    statistic: float
    df: int
    p_value: float


def chi_square(baseline: Sequence[int], recent: Sequence[int]) -> ChiSquare:
    """Rule 1, of counts by category in the same order. A single category cannot differ: statistic 0, df 0, p 1.

    Raises ValueError for an empty sample and for samples of different length.
    """
    pairs = _pairs(baseline, recent)
    n_baseline, n_recent = sum(b for b, _ in pairs), sum(r for _, r in pairs)
    if not n_baseline or not n_recent:
        raise ValueError(f"the samples have {n_baseline} and {n_recent} rows; give at least one each")
    df = len(pairs) - 1
    if not df:
        return ChiSquare(0.0, 0, 1.0)
    n = n_baseline + n_recent
    statistic = 0.0
    for b, r in pairs:
        for seen, size in ((b, n_baseline), (r, n_recent)):
            expected = (b + r) * size / n
            statistic += (seen - expected) ** 2 / expected
    return ChiSquare(statistic, df, chi_square_tail(statistic, df))


def pooled(baseline: Sequence[int], recent: Sequence[int]) -> tuple[list[int], list[int]]:
    """Rule 2: the counts, with rare categories as one that stands last."""
    pairs = sorted(_pairs(baseline, recent), key=sum, reverse=True)
    n_baseline, n_recent = sum(b for b, _ in pairs), sum(r for _, r in pairs)
    n = n_baseline + n_recent
    share = min(n_baseline, n_recent) / n if n else 0.0
    rare = (0, 0)
    while pairs and (sum(pairs[-1]) * share < EXPECTED or 0 < sum(rare) * share < EXPECTED):
        b, r = pairs.pop()
        rare = (rare[0] + b, rare[1] + r)
    kept = [*pairs, rare] if sum(rare) else pairs
    return [b for b, _ in kept], [r for _, r in kept]


def cramers_v(found: ChiSquare, n: int, confidence: float = 0.95) -> tuple[float, float, float]:
    """V and its interval, of a chi-square over n rows of both samples together."""
    if not found.df:
        return 0.0, 0.0, 1.0
    tail = (1 - confidence) / 2
    low = noncentrality(found.statistic, found.df, 1 - tail)
    high = noncentrality(found.statistic, found.df, tail)
    value, low, high = (min(1.0, sqrt(each / n)) for each in (found.statistic, low, high))
    # V itself is above sqrt(lambda / n) on average, and above the whole interval where nothing differs.
    return value, low, max(high, value)


def jensen_shannon(baseline: Sequence[float], recent: Sequence[float]) -> float:
    """Rule 4, of counts or shares. Raises ValueError for an empty sample and for samples of different length."""
    n_baseline, n_recent = sum(baseline), sum(recent)
    if n_baseline <= 0 or n_recent <= 0:
        raise ValueError(f"the samples add up to {n_baseline} and {n_recent}; give some of both")
    divergence = 0.0
    for b, r in zip(baseline, recent, strict=True):
        p, q = b / n_baseline, r / n_recent
        middle = (p + q) / 2
        divergence += sum(each * log2(each / middle) for each in (p, q) if each > 0)
    return sqrt(max(0.0, divergence) / 2)


def psi(baseline: Sequence[float], recent: Sequence[float]) -> float:
    """Rule 5, of counts by bin or category; bins that both leave empty do not count."""
    pairs = [(b, r) for b, r in zip(baseline, recent, strict=True) if b + r > 0]
    n_baseline = sum(b for b, _ in pairs) + ADDED * len(pairs)
    n_recent = sum(r for _, r in pairs) + ADDED * len(pairs)
    shares = (((b + ADDED) / n_baseline, (r + ADDED) / n_recent) for b, r in pairs)
    return sum((q - p) * log(q / p) for p, q in shares)


def _pairs(baseline: Sequence[int], recent: Sequence[int]) -> list[tuple[int, int]]:
    return [(b, r) for b, r in zip(baseline, recent, strict=True) if b + r > 0]
