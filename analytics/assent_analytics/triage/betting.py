"""The three bets behind triage. Each is a game that is fair, or worse, to whoever bets while the hypothesis holds; so
the stake of 1 ever grows to 1/delta with probability delta at most (Ville 1939), at whatever time one looks.

*Certificate.* Hypothesis: each audited action is harmful with probability alpha or more, given those before it. The bet
lambda against it multiplies the stake by 1 + lambda (alpha - y), y being 1 for a harmful action (I. Waudby-Smith and A.
Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86 (2024), 1-27, section 4). With lambda = (1
- f) / (1 - alpha) that is the likelihood ratio of the share f * alpha to alpha:

    E(n, h) = sum of w_f * f^h * ((1 - f alpha) / (1 - alpha))^(n - h)      after n audits, h of them harmful

over `SHARES`, f = 0 having half of the stake, since most that gets certified has no harm. E depends on n and h alone.

*Passed.* Nothing is assumed of how harmful actions come: whoever makes them may know everything but the coins. A
harmful action that could pass is audited with probability q, and passes with 1 - q. The bet rho that it passes
multiplies the stake by 1 - rho if it is audited, and by 1 + rho / w if it passes, w = (1 - q) / q being the odds of
passing; its mean is 1. After h audited and k passed harmful actions, at odds of w at most, the stake is at least

    (1 - rho)^h * (1 + rho / w)^k

The stake is divided among `RHOS`; k is at most the largest number at which the sum is below 1/delta, with probability 1
- delta at all times together. (Time-uniform Chernoff bounds: S. Howard, A. Ramdas, J. McAuliffe and J. Sekhon,
Probability Surveys 17 (2020), 257-317. That a coin alone carries the bound is what makes it hold under drift.)

*Change.* Hypothesis: each is harmful with probability alpha or less. For each m of `TIMES`, R <- (R + 1) * g(y), where
g(y) is the likelihood ratio of the share m * alpha to alpha, and the alarm comes when the mean of the three reaches
`FALSE_ALARM` / alpha. R - n is a supermartingale, so a false alarm comes after as many audits or more on average, even
where the share is alpha itself (J. Shin, A. Ramdas and A. Rinaldo, "E-detectors: a nonparametric framework for
sequential change detection", New England Journal of Statistics in Data Science 2 (2023), 229-260; without the mixture
it is the Shiryaev-Roberts statistic).
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, log, log1p

SHARES = ((0.0, 1 / 2), (1 / 8, 1 / 6), (1 / 4, 1 / 6), (1 / 2, 1 / 6))
"""f, and the part of the stake that is bet on it."""
RHOS = (
    *((1.0, 0.1), (0.85, 0.1), (0.7, 0.15), (0.6, 0.15), (0.5, 0.15)),
    *((0.4, 0.1), (0.3, 0.1), (0.2, 0.07), (0.12, 0.05), (0.06, 0.03)),
)
"""rho, and the part of the stake that is bet on it: most where a few harmful audits are bounded best."""
TIMES = (3, 10, 30)
FALSE_ALARM = 20.0
"""Harmful audits before a false alarm, on average, where the share is alpha."""

_SURE = 0.95


def log_certificate(n: int, harmful: int, alpha: float) -> float:
    """log E(n, h)."""
    harmless = n - harmful
    logs = [
        log(part) + (harmful * log(f) if f else 0.0) + harmless * (log1p(-f * alpha) - log1p(-alpha))
        for f, part in SHARES
        if f or not harmful
    ]
    largest = max(logs)
    return largest + log(sum(exp(each - largest) for each in logs))


def audits_needed(alpha: float, delta: float, harmful: int = 0) -> int:
    """The fewest audits, of which so many are harmful, that certify a share below alpha by one bet with delta. Raises
    ValueError for numbers that are not between 0 and 1, and for a count below 0."""
    for name, value in (("alpha", alpha), ("delta", delta)):
        if not 0 < value < 1:
            raise ValueError(f"{name} is {value!r}; give a number between 0 and 1")
    if harmful < 0:
        raise ValueError(f"harmful is {harmful}; give 0 or more")
    return harmful + harmless_needed(harmful, harmful, alpha, -log(delta))


def harmless_needed(n: int, harmful: int, alpha: float, level: float) -> int:
    """How many further audits, none of them harmful, bring log E to the level."""
    if log_certificate(n, harmful, alpha) >= level:
        return 0
    high = 1
    while log_certificate(n + high, harmful, alpha) < level:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if log_certificate(n + middle, harmful, alpha) >= level else (middle, high)
    return high


@lru_cache(maxsize=65536)
def passed_bound(audited_harmful: int, odds: float, delta: float) -> int:
    """How many harmful actions have passed at most, where so many were audited, with probability 1 - delta at all times
    together; `odds` are the largest odds of passing so far."""
    if odds <= 0:
        return 0
    level = -log(delta)
    stakes = [
        (log(part) + (audited_harmful * log1p(-rho) if audited_harmful else 0.0), log1p(rho / odds))
        for rho, part in RHOS
        if rho < 1 or not audited_harmful
    ]

    def stays(passed: int) -> bool:
        logs = [left + passed * gain for left, gain in stakes]
        largest = max(logs)
        return largest + log(sum(exp(each - largest) for each in logs)) < level

    high = 1
    while stays(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if stays(middle) else (low, middle)
    return low


class Change:
    """The bet on a change to more than alpha: `step` says whether it has been won."""

    __slots__ = ("_gains", "_most", "_values")

    def __init__(self, alpha: float) -> None:
        shares = [min(_SURE, alpha * times) for times in TIMES]
        self._gains = [((1 - share) / (1 - alpha), share / alpha) for share in shares]
        self._values = [0.0] * len(TIMES)
        self._most = len(TIMES) * FALSE_ALARM / alpha

    def step(self, harmful: bool) -> bool:
        self._values = [(value + 1) * gains[harmful] for value, gains in zip(self._values, self._gains, strict=True)]
        return sum(self._values) >= self._most
