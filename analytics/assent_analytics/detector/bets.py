"""The test behind the drift alarms: the rank of each new value among those before it, and the bet that ranks stop being
uniform.

While nothing changes the bet wins nothing on average, so a large win is evidence of a change.

The past of a stream as counts, and the rank of each new value in it.

The sequential rank of the n-th value is u = (less + theta * equal) / n, where `less` values of the stream so far lie in
lower cells, `equal` (itself included) in its own, and theta is uniform on (0, 1). When the values are exchangeable, the
u's are independent and uniform on (0, 1), exactly and for any distribution: Renyi 1962, Barndorff-Nielsen 1963 for
ranks without ties; Vovk, Nouretdinov and Gammerman, "Testing exchangeability on-line" (ICML 2003), theorem 1, with
theta for ties. A smoothed conformal p-value is what it is called there.

theta is drawn from the stream's key, its epoch and n, by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a stream
that is replayed gets the same ranks.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from math import exp, log
from statistics import NormalDist
from typing import NamedTuple

import msgspec

_MASK = (1 << 64) - 1
_GAMMA = 0x9E3779B97F4A7C15
_UNIT = 2.0**-53
_LOWEST, _HIGHEST = 2.0**-60, 1 - _UNIT
"""What rounding may not reach: 0 and 1 are no ranks."""


def seed_of(key: str, epoch: int) -> int:
    return int.from_bytes(blake2b(f"{epoch}:{key}".encode(), digest_size=8).digest(), "big")


def theta(seed: int, n: int) -> float:
    """The n-th number of this seed, uniform on (0, 1)."""
    x = (seed + n * _GAMMA) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return (((x ^ (x >> 31)) >> 11) + 0.5) * _UNIT


class Reference:
    """How many values were in each cell: `cells` in order, `counts` beside them, `n` in all."""

    __slots__ = ("_seed", "cells", "counts", "n")

    def __init__(self, seed: int, cells: bytes = b"", counts: bytes = b"") -> None:
        self._seed = seed
        self.cells, self.counts = array("i", cells), array("q", counts)
        self.n = sum(self.counts)

    def rank(self, cell: int) -> float:
        """Take the cell in, and say its rank, which lies within (0, 1)."""
        cells, counts = self.cells, self.counts
        place = bisect_left(cells, cell)
        if place < len(cells) and cells[place] == cell:
            counts[place] += 1
        else:
            cells.insert(place, cell)
            counts.insert(place, 1)
        n = self.n = self.n + 1
        less = sum(counts[:place]) if 2 * place < len(counts) else n - sum(counts[place:])
        u = (less + theta(self._seed, n) * counts[place]) / n
        return u if _LOWEST <= u <= _HIGHEST else min(_HIGHEST, max(_LOWEST, u))


# What a rank is thought to be after a change: the alternatives that the martingale bets on.
#
# Each alternative is a density f of the rank u on (0, 1), which may depend on what was seen before, never on u itself.
# Since u is uniform while nothing has changed, f(u) has mean 1: that is all the bound on false alarms needs, so which
# alternatives there are is a matter of power only.
#
# - Numbers: z = Phi^-1(u) is standard normal. After a change its mean is 0.25, 0.5 or 1 higher or lower, or its
#   standard deviation is twice or half as large; f(u) is that density of z divided by the standard normal one.
# - Shares of 0 and 1: u lies above 1 - p, p being the share of ones so far, about when the value is 1. After a change
#   the odds of a 1 are exp(0.5), exp(1) or exp(2) times as high or low, which makes the share q; f(u) is q / p above
#   1 - p, and (1 - q) / (1 - p) below. That is the likelihood ratio of the values themselves; z, whose ties are broken
#   at random, would blur it.
#   p = (ones + 1) / (n + 1) where ones are no more than half, else ones / (n + 1): so the rarer value is never taken
#   for the other, and the other for it hardly ever.


_inverse = NormalDist().inv_cdf
_LOG_2 = log(2)


class Family(NamedTuple):
    """`shares` of the bet, which add up to 1, and `directions` where values go: 1 up, -1 down, 0 neither."""

    shares: tuple[float, ...]
    directions: tuple[int, ...]


_ODDS = tuple(exp(sign * size) for size in (0.5, 1.0, 2.0) for sign in (1, -1))

NUMBERS = Family((2 / 13,) * 6 + (1 / 26,) * 2, (1, -1) * 3 + (0, 0))
SHARES = Family((1 / 6,) * 6, (1, -1) * 3)


def of_number(u: float) -> list[float]:
    """log f(u) of every alternative for numbers: of a mean m it is m * z - m^2 / 2, of a standard deviation s
    (1 - 1 / s^2) / 2 * z^2 - log(s). |z| is under 9, so none is over 31."""
    z = _inverse(u)
    square = z * z
    quarter, half = 0.25 * z, 0.5 * z
    return [
        quarter - 0.03125,
        -quarter - 0.03125,
        half - 0.125,
        -half - 0.125,
        z - 0.5,
        -z - 0.5,
        0.375 * square - _LOG_2,
        -1.5 * square + _LOG_2,
    ]


def of_share(u: float, ones: int, n: int) -> tuple[float, ...]:
    """log f(u) of every alternative for shares, after n values with so many `ones`. A value itself, 0 or 1, may stand
    for its rank where nothing is bet on it."""
    p = (ones + (1.0 if 2 * ones <= n else 0.0)) / (n + 1)
    return _of_side(u >= 1 - p, p)


@lru_cache(maxsize=4096)
def _of_side(one: bool, p: float) -> tuple[float, ...]:
    """A value and its rank nearly always ask for the same, and so do young streams among each other."""
    # The share that odds make is p * odds / (1 - p + p * odds).
    return tuple([log((odds if one else 1.0) / (1 - p + p * odds)) for odds in _ODDS])


# The martingale: a bet that ranks stop being uniform at some moment.
#
# With 1 to bet, w_t of it is put on "the change begins with value t"; of that, each alternative j gets the share p_j
# (above), and is multiplied by its density f_j of every rank from then on, which has mean 1 while nothing changed:
#
#     W_j(t) = (W_j(t-1) + w_t) * f_j(u_t)            M_t = sum of p_j * W_j(t) + R(t),    R(t) = 1 - w_1 - ... - w_t
#
# R is what is not bet yet. M is a nonnegative martingale that starts at 1, so it ever reaches 1/alpha with probability
# alpha at most (Ville 1939): that is the bound on false alarms, at any time and without end. It is the Shiryaev-Roberts
# mixture with a proper prior on the moment of change (Shiryaev 1963); on ranks, Vovk et al., "Retrain or not retrain:
# conformal test martingales for change-point detection" (COPA 2021).
#
# R(t) = (200 / (200 + t - 10))^(1/2), and 1 for the first 10 values: a heavy tail, so that a change after a hundred
# thousand values is still found, and ten values at least that a change is told from. The prior does not touch the
# bound; it was chosen for short delays after 200 to 2,000 stable values.
#
# Values after a change join the reference, so ranks drift back as they do. Nothing is lost by it that was there to
# find: over a shift of d standard deviations after n values, the information that ranks give adds up to n * d^2 / 2 at
# most, as in a test of two samples, and that bounds whatever does not know the distribution beforehand.
#
# Beside it, for the moment: for every alternative, the largest sum of log f over all beginnings up to now (Page 1954),
# which is the generalised likelihood ratio. After the alarm the alternative with the largest sum says where it began.
# No bound hangs on these sums, so for shares they are those of the values and not of their ranks.


EARLY = 200.0
FIRST = 10
"""Values before any change that is bet on."""


@lru_cache(maxsize=8192)
def unbet(t: int) -> float:
    """R(t): what is left after t values."""
    return float((EARLY / (EARLY + max(0, t - FIRST))) ** 0.5)


class Beginning(msgspec.Struct, frozen=True, array_like=True, gc=False):
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
