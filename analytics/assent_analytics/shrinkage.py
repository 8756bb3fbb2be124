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
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from assent_analytics.beta import beta_quantile


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


class Shrunk(msgspec.Struct, frozen=True, kw_only=True):
    """A rate after the prior, with its credible interval; all from 0 to 1."""

    rate: float
    low: float
    high: float


def prior(counts: Sequence[tuple[int, int]]) -> Prior:
    """The prior of a group whose members have (successes, actions); members without actions do not count.

    Raises ValueError for counts that cannot be.
    """
    for k, n in counts:
        if not 0 <= k <= n:
            raise ValueError(f"{k} of {n} cannot be; give 0 <= successes <= actions")
    present = [(k, n) for k, n in counts if n]
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
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} cannot be; give 0 <= successes <= n")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a share between 0 and 1, such as 0.95")
    a, b = before.a + successes, before.b + n - successes
    low, high = (beta_quantile(share, a, b) for share in ((1 - confidence) / 2, (1 + confidence) / 2))
    return Shrunk(rate=a / (a + b), low=low, high=high)


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
