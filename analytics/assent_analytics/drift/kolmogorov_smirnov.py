"""The two-sample Kolmogorov-Smirnov test: how likely a distance D is when both samples come from one distribution.

1. D is the largest distance between the two empirical distribution functions (Smirnov 1939).
2. With n * m below 10,000 (as R's `ks.test` has it) the p-value is exact: D's distribution counts the monotone lattice
   paths from (0, 0) to (n, m) that never come as far as D from the diagonal (Hodges, "The significance probability of
   the Smirnov two-sample test", Arkiv foer Matematik 3, 1958), in whole numbers. With ties it is an upper bound.
3. Above, samples of the same size have a formula: with k = D n it is 2 * sum (-1)^(j-1) C(2n, n - j k) / C(2n, n) over
   j >= 1 (Gnedenko and Korolyuk, Doklady Akademii Nauk SSSR 80, 1951, 525-528). The limit's p-values are up to a
   seventh too small for them, whose distances are multiples of 1 / n, not of 1 / (n m).
4. Else it is Kolmogorov's limit 2 * sum (-1)^(k-1) exp(-2 k^2 z^2), where z = D * sqrt(e) with e = n * m / (n + m) is
   corrected to z + 1 / (6 sqrt(e)) + (z - 1) / (4 e) (Vrbik, "Small-sample corrections to Kolmogorov-Smirnov test
   statistic", Pioneer Journal of Theoretical and Applied Statistics 15, 2018). Below z = 1 the limit's other series
   converges faster: 1 - sqrt(2 pi) / z * sum exp(-(2k-1)^2 pi^2 / (8 z^2)).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from math import comb, exp, lgamma, pi, sqrt

EXACT_BELOW = 10_000
_NOTHING = 1e-320


def p_value(distance: float, n: int, m: int) -> float:
    """The probability of a distance as large between samples of n and of m from one continuous distribution.

    Raises ValueError for an empty sample.
    """
    if n < 1 or m < 1:
        raise ValueError(f"the samples have {n} and {m} values; give at least one each")
    if distance <= 0:
        return 1.0
    if n * m < EXACT_BELOW:
        return exact(distance, n, m)
    if n == m:
        return of_equal_sizes(distance, n)
    effective = n * m / (n + m)
    z = distance * sqrt(effective)
    return limit(z + 1 / (6 * sqrt(effective)) + (z - 1) / (4 * effective))


def exact(distance: float, n: int, m: int) -> float:
    """Rule 2, in n * m steps."""
    # Distances are multiples of 1 / (n m); rounding undoes what floating point did to this one.
    reach = round(distance * n * m)
    if reach < 1:
        return 1.0
    total = comb(n + m, n)
    return (total - _inside(reach, n, m)) / total


def _inside(reach: int, n: int, m: int) -> int:
    """How many paths keep |i m - j n| below `reach` at each of their points."""
    # One column after the other: paths to (i, j) come from (i - 1, j) and (i, j - 1).
    first = 0
    paths: list[int] = [1] * (min(m, (reach - 1) // n) + 1)
    for i in range(1, n + 1):
        low = max(0, -((reach - 1 - i * m) // n))
        high = min(m, (i * m + reach - 1) // n)
        if low > high:
            return 0
        last = first + len(paths) - 1
        came: Iterable[int] = (paths[j - first] if first <= j <= last else 0 for j in range(low, high + 1))
        paths = list(accumulate(came))
        first = low
    return paths[m - first]


def of_equal_sizes(distance: float, n: int) -> float:
    """Rule 3, to about 7 digits for ten million values and more for fewer."""
    reach = round(distance * n)
    if reach < 1:
        return 1.0
    total, sign = 0.0, 2.0
    for apart in range(reach, n + 1, reach):
        term = exp(2 * lgamma(n + 1) - lgamma(n - apart + 1) - lgamma(n + apart + 1))
        total += sign * term
        if term < _NOTHING:
            break
        sign = -sign
    return min(1.0, max(0.0, total))


def limit(z: float) -> float:
    """Rule 4: the survival function of Kolmogorov's distribution."""
    if z <= 0:
        return 1.0
    if z < 1:
        return 1 - sqrt(2 * pi) / z * sum(exp(-((2 * k - 1) ** 2) * pi**2 / (8 * z * z)) for k in range(1, 6))
    signs = (1, -1) * 5
    return max(0.0, 2 * sum(sign * exp(-2 * k * k * z * z) for k, sign in enumerate(signs, 1)))
