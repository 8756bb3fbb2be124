"""The martingale: a bet that ranks stop being uniform at some moment.

With 1 to bet, w_t of it is put on "the change begins with value t"; of that, each alternative j gets the share p_j
(`families`), and is multiplied by its density f_j of every rank from then on, which has mean 1 while nothing changed:

    W_j(t) = (W_j(t-1) + w_t) * f_j(u_t)            M_t = sum of p_j * W_j(t) + R(t),    R(t) = 1 - w_1 - ... - w_t

R is what is not bet yet. M is a nonnegative martingale that starts at 1, so it ever reaches 1/alpha with probability
alpha at most (Ville 1939): that is the bound on false alarms, at any time and without end. It is the Shiryaev-Roberts
mixture with a proper prior on the moment of change (Shiryaev 1963); on ranks, Vovk et al., "Retrain or not retrain:
conformal test martingales for change-point detection" (COPA 2021).

R(t) = (200 / (200 + t - 10))^(1/2), and 1 for the first 10 values: a heavy tail, so that a change after a hundred
thousand values is still found, and ten values at least that a change is told from. The prior does not touch the bound;
it was chosen for short delays after 200 to 2,000 stable values.

Values after a change join the reference, so ranks drift back as they do. Nothing is lost by it that was there to find:
over a shift of d standard deviations after n values, the information that ranks give adds up to n * d^2 / 2 at most, as
in a test of two samples, and that bounds whatever does not know the distribution beforehand.

Beside it, for the moment: for every alternative, the largest sum of log f over all beginnings up to now (Page 1954),
which is the generalised likelihood ratio. After the alarm the alternative with the largest sum says where it began. No
bound hangs on these sums, so for shares they are those of the values and not of their ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

from assent_analytics.detector.families import Family

EARLY = 200.0
FIRST = 10
"""Values before any change that is bet on."""


def unbet(t: int) -> float:
    """R(t): what is left after t values."""
    return float((EARLY / (EARLY + max(0, t - FIRST))) ** 0.5)


class Beginning(NamedTuple):
    """The stream just before a value: how many values, their mean and sum of squared deviations; `at` is when that
    value happened (microseconds)."""

    n: int
    mean: float
    squares: float
    at: int


NEVER = Beginning(0, 0.0, 0.0, 0)


class Bets:
    """`wealth` and `sums` have one number for each alternative, `since` where its sum began. `value` is M."""

    __slots__ = ("_family", "since", "sums", "value", "wealth")

    def __init__(
        self, family: Family, wealth: list[float], sums: list[float], since: list[Beginning], value: float = 1.0
    ) -> None:
        self._family = family
        self.wealth, self.sums, self.since, self.value = wealth, sums, since, value

    @classmethod
    def fresh(cls, family: Family) -> Bets:
        many = len(family.shares)
        return cls(family, [0.0] * many, [0.0] * many, [NEVER] * many)

    def step(self, gains: Sequence[float], before: Beginning, plain: Sequence[float] | None = None) -> float:
        """M after a value whose rank has these log f, and which comes after `before`. `plain` are the log f that say
        when a change began, where those are known without broken ties.

        Nothing overflows: until the alarm a wealth is at most 26 / alpha, and no gain is over 31.
        """
        if before.n < FIRST:
            return self.value
        wealth, sums, since, shares = self.wealth, self.sums, self.since, self._family.shares
        left = unbet(before.n + 1)
        stake = unbet(before.n) - left
        total = left
        told = gains if plain is None else plain
        for j, gain in enumerate(gains):
            wealth[j] = grown = (wealth[j] + stake) * exp(gain)
            total += shares[j] * grown
            so_far = sums[j]
            if so_far == 0.0:
                since[j] = before
            so_far += told[j]
            sums[j] = so_far if so_far > 0.0 else 0.0
        self.value = total
        return total

    def likeliest(self) -> tuple[int, Beginning]:
        """The direction of the alternative with the largest sum, and where that began."""
        j = max(range(len(self.sums)), key=self.sums.__getitem__)
        return self._family.directions[j], self.since[j]
