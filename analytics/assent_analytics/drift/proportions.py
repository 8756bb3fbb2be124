"""Two proportions: the interval of their difference and the test of whether they differ.

1. The interval is Newcombe's of two independent Wilson intervals (R. G. Newcombe, "Interval estimation for the
   difference between independent proportions", Statistics in Medicine 17, 1998, 873-890, method 10). With p1 in
   (l1, u1) and p2 in (l2, u2), the difference d = p2 - p1 lies between
   d - sqrt((p2 - l2)^2 + (u1 - p1)^2) and d + sqrt((u2 - p2)^2 + (p1 - l1)^2).
2. Where every expected count is 5 or more the test is Pearson's chi-square (`categories`), without continuity
   correction. Below (Cochran, Biometrics 10, 1954) it is Fisher's exact test: the probability, given both margins, of
   all tables that are no more probable than this one.
"""

from __future__ import annotations

from math import fsum, sqrt

from assent_analytics.drift.categories import chi_square
from assent_analytics.rates import wilson

EXPECTED = 5
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
