"""Tests for drift of categories and of proportions: whether two mixes, or two rates, differ, and by how much.

Mixes are compared by chi-square, with Cramer's V, Jensen-Shannon and the population stability index as effects;
proportions by chi-square or Fisher's exact test, with Newcombe's interval of the difference. What follows is the
distribution that the interval of Cramer's V needs.

The noncentral chi-square distribution, as far as intervals of Cramer's V need it.

Its distribution function is that of a central one whose degrees of freedom are df + 2 j with j drawn from a Poisson
distribution of mean lambda / 2 (Fisher 1928). Where the statistic is above 10,000 the sum would be long, and Sankaran's
approximation is right to 2e-6, whatever the degrees of freedom: a power h of the statistic over its mean is about
normal (M. Sankaran, "Approximations to the non-central chi-square distribution", Biometrika 50 (1963), 199-204).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum, lgamma, log, log2, sqrt
from statistics import NormalDist
from typing import NamedTuple

from assent_analytics.gamma import chi_square_tail, lower
from assent_analytics.rates import wilson

FAR = 10_000.0
_LOST = 1e-280


def noncentrality(statistic: float, df: int, probability: float) -> float:
    """The lambda under which `statistic` is the quantile of `probability`; 0 where even 0 is too much."""
    below = sankaran if statistic > FAR else cdf
    if below(statistic, df, 0.0) <= probability:
        return 0.0
    low, high = 0.0, statistic + 10 * sqrt(statistic + df) + 10
    while below(statistic, df, high) > probability:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if high - low <= 1e-10 * high or middle in (low, high):
            break
        if below(statistic, df, middle) > probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def cdf(x: float, df: int, noncentral: float) -> float:
    """The probability that a noncentral chi-square variable is at most x."""
    if x <= 0:
        return 0.0
    mean = noncentral / 2
    if mean <= 0:
        return lower(df / 2, x / 2)
    reach = 9 * sqrt(mean) + 20
    first, last = max(0, int(mean - reach)), int(mean + reach)
    # P(a, x) - P(a + 1, x) = x^a exp(-x) / gamma(a + 1): downward from the last term nothing cancels.
    half = x / 2
    at = df / 2 + last
    below = lower(at, half)
    chance, step = _poisson(last, mean), 0.0
    total = chance * below
    for j in range(last - 1, first - 1, -1):
        at -= 1
        # By the ratio of neighbours, which is quick, but not from where floating point has lost them.
        step = step * (at + 1) / half if step > _LOST else _poisson(at, half)
        chance = chance * (j + 1) / mean if chance > _LOST else _poisson(j, mean)
        below += step
        total += chance * below
    return min(1.0, total)


def sankaran(x: float, df: int, noncentral: float) -> float:
    """The same for large x, by Sankaran's approximation."""
    mean, twice, thrice = df + noncentral, df + 2 * noncentral, df + 3 * noncentral
    h = 1 - 2 * mean * thrice / (3 * twice * twice)
    p = twice / (mean * mean)
    m = (h - 1) * (1 - 3 * h)
    around = 1 + h * p * (h - 1 - (2 - h) * m * p / 2)
    return NormalDist().cdf(((x / mean) ** h - around) / (h * sqrt(2 * p) * (1 + m * p / 2)))


def _poisson(j: float, mean: float) -> float:
    return exp(j * log(mean) - mean - lgamma(j + 1))


# Two mixes of categories: Pearson's chi-square, Cramer's V, Jensen-Shannon and the population stability index.
#
# 1. Chi-square is the sum of (observed - expected)^2 / expected over a table of two rows, without continuity
#    correction, with one degree of freedom less than there are categories. Categories that neither sample has do not
#    count.
# 2. It needs expected counts of 5 (Cochran, Biometrics 10, 1954): `pooled` makes one category of all that have less,
#    and adds the next smallest until it has enough.
# 3. Cramer's V is sqrt(chi-square / n), from 0 to 1 for two rows. Its interval is that of the noncentrality that makes
#    the observed chi-square the 97.5% and the 2.5% quantile (Smithson, "Confidence intervals", 2003): sqrt(lambda / n).
# 4. The Jensen-Shannon distance is the square root of the divergence with base 2, from 0 to 1 (Endres and Schindelin,
#    IEEE Transactions on Information Theory 49, 2003).
# 5. PSI is the sum of (q - p) * ln(q / p). So that an empty bin does not make it infinite, each of the bins has half a
#    row added on both sides: p = (count + 0.5) / (n + bins / 2). By a rule of thumb (not ours), 0.1 is moderate and 0.2
#    large.


EXPECTED = 5
ADDED = 0.5


class ChiSquare(NamedTuple):
    statistic: float
    df: int
    p_value: float


def chi_square(baseline: Sequence[float], recent: Sequence[float]) -> ChiSquare:
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


def pooled(baseline: Sequence[float], recent: Sequence[float]) -> tuple[list[float], list[float]]:
    """Rule 2: the counts, with rare categories as one that stands last."""
    pairs = sorted(_pairs(baseline, recent), key=sum, reverse=True)
    n_baseline, n_recent = sum(b for b, _ in pairs), sum(r for _, r in pairs)
    n = n_baseline + n_recent
    share = min(n_baseline, n_recent) / n if n else 0.0
    rare: tuple[float, float] = (0, 0)
    while pairs and (sum(pairs[-1]) * share < EXPECTED or 0 < sum(rare) * share < EXPECTED):
        b, r = pairs.pop()
        rare = (rare[0] + b, rare[1] + r)
    kept = [*pairs, rare] if sum(rare) else pairs
    return [b for b, _ in kept], [r for _, r in kept]


def cramers_v(found: ChiSquare, n: float, confidence: float = 0.95) -> tuple[float, float, float]:
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


def _pairs(baseline: Sequence[float], recent: Sequence[float]) -> list[tuple[float, float]]:
    return [(b, r) for b, r in zip(baseline, recent, strict=True) if b + r > 0]


# Two proportions: the interval of their difference and the test of whether they differ.
#
# 1. The interval is Newcombe's of two independent Wilson intervals (R. G. Newcombe, "Interval estimation for the
#    difference between independent proportions", Statistics in Medicine 17, 1998, 873-890, method 10). With p1 in
#    (l1, u1) and p2 in (l2, u2), the difference d = p2 - p1 lies between
#    d - sqrt((p2 - l2)^2 + (u1 - p1)^2) and d + sqrt((u2 - p2)^2 + (p1 - l1)^2).
# 2. Where every expected count is 5 or more the test is Pearson's chi-square (`categories`), without continuity
#    correction. Below (Cochran, Biometrics 10, 1954) it is Fisher's exact test: the probability, given both margins, of
#    all tables that are no more probable than this one.


_SLACK = 1 + 1e-7
"""How much more probable a table may look and still count as equally so; R and SciPy have the same sort of slack."""


def newcombe(
    baseline: int, n_baseline: int, recent: int, n_recent: int, confidence: float = 0.95
) -> tuple[float, float]:
    """The interval of recent / n_recent - baseline / n_baseline, within -1 and 1; (-1, 1) when a sample is empty.

    Raises ValueError for counts that cannot be and for a confidence that is not between 0 and 1.
    """
    low1, high1 = wilson(baseline, n_baseline, confidence)
    low2, high2 = wilson(recent, n_recent, confidence)
    if n_baseline == 0 or n_recent == 0:
        return -1.0, 1.0
    p1, p2 = baseline / n_baseline, recent / n_recent
    difference = p2 - p1
    return (
        max(-1.0, difference - sqrt((p2 - low2) ** 2 + (high1 - p1) ** 2)),
        min(1.0, difference + sqrt((high2 - p2) ** 2 + (p1 - low1) ** 2)),
    )


def compared(baseline: int, n_baseline: int, recent: int, n_recent: int) -> tuple[str, float | None, float]:
    """The name of the test by rule 2, its statistic (none of Fisher's) and its p-value, for samples that are not empty.

    Where nobody, or everybody, is counted on both sides, nothing differs and p is 1.
    """
    counted, n = baseline + recent, n_baseline + n_recent
    least = min(n_baseline, n_recent) * min(counted, n - counted) / n
    if counted in (0, n) or least < EXPECTED:
        return "fisher_exact", None, fisher(baseline, n_baseline, recent, n_recent)
    table = ([baseline, n_baseline - baseline], [recent, n_recent - recent])
    found = chi_square(*table)
    return "chi_square", found.statistic, found.p_value


def fisher(baseline: int, n_baseline: int, recent: int, n_recent: int) -> float:
    """The two-sided p-value of Fisher's exact test, in as many steps as there are tables with these margins."""
    counted, n = baseline + recent, n_baseline + n_recent
    first, last = max(0, counted - n_baseline), min(counted, n_recent)
    mode = min(last, max(first, (counted + 1) * (n_recent + 1) // (n + 2)))
    # Relative to the most probable table: by ratios of neighbours, which lose no digits however many rows there are.
    chances = {mode: 1.0}
    for k in range(mode, last):
        step = (counted - k) * (n_recent - k) / ((k + 1) * (n_baseline - counted + k + 1))
        chances[k + 1] = chances[k] * step
    for k in range(mode, first, -1):
        step = k * (n_baseline - counted + k) / ((counted - k + 1) * (n_recent - k + 1))
        chances[k - 1] = chances[k] * step
    seen = chances[recent] * _SLACK
    return min(1.0, fsum(chance for chance in chances.values() if chance <= seen) / fsum(chances.values()))
