"""Success rates of few actions, shrunk toward those of their group: the beta-binomial model.

1. Each member of a group (the agents who do one type of action) has a success rate of its own; these rates are spread
   over the group as Beta(a, b), the prior. With mean m = a / (a + b) and g = 1 / (a + b + 1), the observed rate of a
   member with n actions has the variance m (1 - m) (g + (1 - g) / n).
2. The prior is found from the counts by moments (J. C. Kleinman, "Proportions with extraneous variance: single and
   independent samples", Journal of the American Statistical Association 68 (1973), 46-54): with K members, N actions,
   the pooled rate m and S = sum of n_i (p_i - m)^2 over the members,

       g = (S / (m (1 - m)) - (K - 1)) / (N - sum of n_i^2 / N - (K - 1)).

3. The strength a + b = 1 / g - 1, as many actions as the prior is worth, is at least 1 and at most N: a group whose
   rates differ no more than chance makes them (g <= 0) knows as much as it has seen, and no more. Its mean is taken as
   (successes + 1/2) / (N + 1), so that it is never 0 or 1.
4. A member alone has no group: its prior is Jeffreys's, Beta(1/2, 1/2), which is worth one action.
5. A member with k successes of n is Beta(a + k, b + n - k) afterwards. Its mean (a + k) / (a + b + n) is the shrunk
   rate, and the quantiles at 2.5% and 97.5% are its credible interval. That interval takes the prior as known.
6. A prior found from few members is not known, and intervals that take it so are too narrow. A `Population` is every
   Beta(m s, (1 - m) s) that the counts leave possible, each with its weight: the likelihood of all counts times a
   hyperprior that is uniform in the shrinkage of one action, 1 / (1 + s), and Jeffreys's in m (M. J. Daniels, "A prior
   for the variance in hierarchical models", Canadian Journal of Statistics 27 (1999), 567-578). It is summed over a
   grid of 41 means and 41 strengths, equally far apart in their logarithm.
7. A member of a population has the mean of rule 5 over all these, and the quantiles of their mixture, found on 400
   places that are equally far apart as arc sines of the root and reach 10 standard deviations to each side. Of fewer
   than 2 members the population is the prior of rule 4 alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import asin, pi, sqrt
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec
import numpy as np

from assent_analytics.beta import beta_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

GRID = 41
"""Places of the means, evenly from 0 to 1, and of the strengths, from 0.3 to 3000 by a ratio."""
PLACES = 400


class Prior(msgspec.Struct, frozen=True, kw_only=True):
    """Beta(`a`, `b`) from `actions` of `members`. `members` is 1 or 0 where there was no group to learn from."""

    a: float
    b: float
    members: int
    actions: int

    @property
    def mean(self) -> float:
        return self.a / self.strength

    @property
    def strength(self) -> float:
        """How many actions it is worth."""
        return self.a + self.b


class Population(NamedTuple):
    """Priors Beta(`a`, `b`) with weights that add up to 1; of so many `members` with actions."""

    a: Floats
    b: Floats
    weights: Floats
    members: int


class Shrunk(msgspec.Struct, frozen=True, kw_only=True):
    """A rate after the prior, with its credible interval; all from 0 to 1."""

    rate: float
    low: float
    high: float


def prior(counts: Sequence[tuple[int, int]]) -> Prior:
    """The prior of a group whose members have (successes, actions); members without actions do not count.

    Raises ValueError for counts that cannot be.
    """
    present = _present(counts)
    members, total = len(present), sum(n for _, n in present)
    if members < 2:
        return Prior(a=0.5, b=0.5, members=members, actions=total)
    successes = sum(k for k, _ in present)
    mean = (successes + 0.5) / (total + 1)
    strength = _strength(present, successes / total, total)
    return Prior(a=mean * strength, b=(1 - mean) * strength, members=members, actions=total)


def shrunk(successes: int, n: int, before: Prior, confidence: float = 0.95) -> Shrunk:
    """The rate of a member after rule 5; of no actions it is the prior's. Raises ValueError for counts that cannot be
    and for a confidence that is not between 0 and 1."""
    _check(successes, n, confidence)
    a, b = before.a + successes, before.b + n - successes
    low, high = (beta_quantile(share, a, b) for share in ((1 - confidence) / 2, (1 + confidence) / 2))
    return Shrunk(rate=a / (a + b), low=low, high=high)


def population(counts: Sequence[tuple[int, int]]) -> Population:
    """Rule 6 for a group whose members have (successes, actions). Raises ValueError for counts that cannot be."""
    present = _present(counts)
    if len(present) < 2:
        alone = prior(present)
        return Population(np.array([alone.a]), np.array([alone.b]), np.ones(1), len(present))
    means, strengths = (np.arange(GRID) + 0.5) / GRID, np.geomspace(0.3, 3000, GRID)
    mean, strength = (each.ravel() for each in np.meshgrid(means, strengths, indexing="ij"))
    a, b = mean * strength, (1 - mean) * strength
    # Uniform in 1 / (1 + s), as a density over log s.
    log_weight = np.log(strength) - 2 * np.log1p(strength) - 0.5 * np.log(mean * (1 - mean))
    for of, numbers, sign in (
        (a, Counter(k for k, _ in present), 1),
        (b, Counter(n - k for k, n in present), 1),
        (strength, Counter(n for _, n in present), -1),
    ):
        nothing = _log_gamma(of)
        for number, times in numbers.items():
            log_weight += sign * times * (_log_gamma(of + number) - nothing)
    weights = np.exp(log_weight - log_weight.max())
    kept = weights > 1e-4
    return Population(a[kept], b[kept], weights[kept] / weights[kept].sum(), len(present))


def among(successes: int, n: int, members: Population, confidence: float = 0.95) -> Shrunk:
    """The rate of one of the members by rule 7; of no actions it is what a further member would have. Raises ValueError
    as `shrunk` does."""
    _check(successes, n, confidence)
    a, b = members.a + successes, members.b + (n - successes)
    means = a / (a + b)
    mean = float(members.weights @ means)
    within = means * (1 - means) / (a + b + 1)
    variance = float(members.weights @ (within + (means - mean) ** 2))
    tails = (1 - confidence) / 2, (1 + confidence) / 2
    if len(a) == 1:
        low, high = (beta_quantile(share, float(a[0]), float(b[0])) for share in tails)
    else:
        low, high = _ends(a, b, members.weights, mean, variance, tails)
    return Shrunk(rate=mean, low=low, high=high)


def _ends(
    a: Floats, b: Floats, weights: Floats, mean: float, variance: float, tails: tuple[float, float]
) -> tuple[float, float]:
    """Two quantiles of a mixture of beta distributions with this mean and variance."""
    middle, reach = asin(sqrt(mean)), 5 * sqrt(variance / (mean * (1 - mean)))
    edges = np.linspace(max(0.0, middle - reach), min(pi / 2, middle + reach), PLACES + 1)
    at = (edges[1:] + edges[:-1]) / 2
    density = np.outer(2 * a - 1, np.log(np.sin(at))) + np.outer(2 * b - 1, np.log(np.cos(at)))
    density = np.exp(density - density.max(axis=1, keepdims=True))
    mixed = weights @ (density / density.sum(axis=1, keepdims=True))
    low, high = np.interp(tails, np.concatenate([[0.0], np.cumsum(mixed) / mixed.sum()]), edges)
    return float(np.sin(low) ** 2), float(np.sin(high) ** 2)


def _check(successes: int, n: int, confidence: float) -> None:
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} cannot be; give 0 <= successes <= n")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a share between 0 and 1, such as 0.95")


def _present(counts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    for k, n in counts:
        if not 0 <= k <= n:
            raise ValueError(f"{k} of {n} cannot be; give 0 <= successes <= actions")
    return [(k, n) for k, n in counts if n]


def _log_gamma(x: Floats) -> Floats:
    """For x above 0, to about 11 digits: Stirling's series at x + 8, stepped down."""
    at = x + 8
    square = 1 / (at * at)
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / at
    steps = x * (x + 1) * (x + 2) * (x + 3) * (x + 4) * (x + 5) * (x + 6) * (x + 7)
    return np.asarray((at - 0.5) * np.log(at) - at + 0.5 * np.log(2 * np.pi) + series - np.log(steps))


def _strength(present: list[tuple[int, int]], pooled: float, total: int) -> float:
    spread = pooled * (1 - pooled)
    free = len(present) - 1
    room = total - sum(n * n for _, n in present) / total - free
    # Where every member has one action, or all or none succeed, the rates say nothing about how members differ.
    if spread == 0 or room <= 0:
        return float(total)
    squares = sum(n * (k / n - pooled) ** 2 for k, n in present)
    g = (squares / spread - free) / room
    return float(total) if g <= 0 else min(float(total), max(1.0, 1 / g - 1))
