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

    __slots__ = ("cells", "counts", "n")

    def __init__(self, cells: bytes = b"", counts: bytes = b"") -> None:
        self.cells, self.counts = array("i", cells), array("q", counts)
        self.n = sum(self.counts)

    def add(self, cell: int) -> int:
        """Take the cell in, and say its place among the cells."""
        cells, counts = self.cells, self.counts
        place = bisect_left(cells, cell)
        if place < len(cells) and cells[place] == cell:
            counts[place] += 1
        else:
            cells.insert(place, cell)
            counts.insert(place, 1)
        self.n += 1
        return place

    def rank(self, cell: int, tie: float) -> float:
        """Take the cell in, and say its rank, which lies within (0, 1). `tie`, uniform on (0, 1), is its place among
        its equals."""
        place, counts = self.add(cell), self.counts
        return _within((self._below(place) + tie * counts[place]) / self.n)

    def around(self, cell: int) -> tuple[int, int]:
        """How many values lie in lower cells, and how many in this one."""
        cells = self.cells
        place = bisect_left(cells, cell)
        equal = self.counts[place] if place < len(cells) and cells[place] == cell else 0
        return self._below(place), equal

    def quantile(self, share: float) -> int:
        """The cell of the value that has this share of all below it. Raises IndexError where there is none."""
        before, wanted = 0, int(self.n * share)
        for cell, count in zip(self.cells, self.counts, strict=True):
            before += count
            if before > wanted:
                return cell
        return self.cells[-1]

    def _below(self, place: int) -> int:
        counts = self.counts
        return sum(counts[:place]) if 2 * place < len(counts) else self.n - sum(counts[place:])


def rank_among(references: Sequence[Reference], cell: int, tie: float) -> float:
    """The rank of a value of this cell that comes after those of `references` and joins none of them yet."""
    less, equal = references[0].around(cell)
    n = references[0].n
    for each in references[1:]:
        lower, alike = each.around(cell)
        less, equal, n = less + lower, equal + alike, n + each.n
    return _within((less + tie * (equal + 1)) / (n + 1))


def _within(u: float) -> float:
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


RHYTHM = 20.0
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


def beyond_share(value: float, ones: int, n: int) -> tuple[float, ...]:
    """The same of a value itself, where the odds of a 1 may have become `RHYTHM` times as high or low without a change:
    so each alternative is held against the p that is nearest to it."""
    return _beyond_side(value >= 0.5, (ones + (1.0 if 2 * ones <= n else 0.0)) / (n + 1))


@lru_cache(maxsize=4096)
def _of_side(one: bool, p: float) -> tuple[float, ...]:
    """A value and its rank nearly always ask for the same, and so do young streams among each other."""
    return tuple([_likelier(one, p, odds) for odds in _ODDS])


@lru_cache(maxsize=4096)
def _beyond_side(one: bool, p: float) -> tuple[float, ...]:
    return tuple([_likelier(one, _share(p, RHYTHM if odds > 1 else 1 / RHYTHM), odds) for odds in _ODDS])


def _likelier(one: bool, p: float, odds: float) -> float:
    return log((odds if one else 1.0) / (1 - p + p * odds))


def _share(p: float, odds: float) -> float:
    """What p becomes when its odds are so many times as high."""
    return p * odds / (1 - p + p * odds)


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
#
# The interval of the moment, where values are independent (`Moments`): every beginning whose sum is at most `WITHIN`
# below the largest. Left and right of the change, the sum over wrong beginnings walks downwards, and exceeds a level
# with a probability of exp(-level) at most; for 95% on both sides together the level is log(2 / 0.05) (D. Siegmund,
# "Confidence sets in change-point problems", International Statistical Review 56 (1988), 31-48). The latest is the last
# beginning at which the sum was not above WITHIN yet. For the earliest, three marks are kept at depths of half a level
# each as the lowest point of the walk goes down, so that the oldest lies between one level and one and a half away:
# rather too early than too late.


EARLY = 200.0
FIRST = 10
"""Values before any change that is bet on."""


@lru_cache(maxsize=8192)
def unbet(t: int) -> float:
    """R(t): what is left after t values."""
    return float((EARLY / (EARLY + max(0, t - FIRST))) ** 0.5)


class Beginning(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The stream just before a value: how many values, their mean and sum of squared deviations; `at` is when that
    value happened (microseconds). Where values come in clusters, that is the first of the next one, and `clusters` is
    in how many the values before it came."""

    n: int
    mean: float
    squares: float
    at: int
    clusters: int = 0


NEVER = Beginning(0, 0.0, 0.0, 0)
WITHIN = log(2 / 0.05)
_HALF_LEVEL = WITHIN / 2
_MARKS = 3


class Moments:
    """For each alternative, between which moments its sum may have begun. `latest` is the last within the interval,
    `marks` are three on the way down, the newest last, and `depths` how deep the walk is below that; all are empty
    before the first sum."""

    __slots__ = ("depths", "latest", "marks")

    def __init__(self, latest: list[int], marks: list[int], depths: list[float]) -> None:
        self.latest, self.marks, self.depths = latest, marks, depths

    def begin(self, many: int, at: int) -> None:
        self.latest, self.marks, self.depths = [at] * many, [at] * (_MARKS * many), [0.0] * many

    def walk(self, j: int, at: int, before: float, after: float) -> None:
        """The sum went from `before` to `after`, which may lie below 0, with what came `at`."""
        if before <= WITHIN:
            self.latest[j] = at
        if after > 0.0:
            return
        depth = self.depths[j] - after
        if depth >= _HALF_LEVEL:
            marks, first = self.marks, _MARKS * j
            marks[first : first + _MARKS] = *marks[first + 1 : first + _MARKS], at
            depth = 0.0
        self.depths[j] = depth


class Bets:
    """`wealth` and `sums` have one number for each alternative, `since` where its sum began, which `moments` surround
    where somebody asks for them. `value` is M, and `left` what is not bet yet."""

    __slots__ = ("_family", "left", "moments", "since", "sums", "value", "wealth")

    def __init__(
        self,
        family: Family,
        wealth: list[float],
        sums: list[float],
        since: list[Beginning],
        value: float = 1.0,
        left: float = 1.0,
        moments: Moments | None = None,
    ) -> None:
        self._family, self.left, self.moments = family, left, moments
        self.wealth, self.sums, self.since, self.value = wealth, sums, since, value

    @classmethod
    def fresh(cls, family: Family, moments: Moments | None = None) -> Bets:
        many = len(family.shares)
        return cls(family, [0.0] * many, [0.0] * many, [NEVER] * many, moments=moments)

    def step(
        self,
        gains: Sequence[float] | None,
        before: Beginning,
        plain: Sequence[float],
        seen: int | None = None,
    ) -> float:
        """M after a value whose rank has these log f, and which comes after `before`; without `gains` nothing is bet
        on it. `plain` are the log f that say when a change began, which for shares are known without broken ties.
        `seen` is how many values the prior counts up to here, where that is not the number of those before.

        Nothing overflows: until the alarm a wealth is at most 26 / alpha, and no gain is over 31.
        """
        if before.n < FIRST:
            return self.value
        wealth, sums, since, shares, moments = self.wealth, self.sums, self.since, self._family.shares, self.moments
        if moments is not None and not moments.latest:
            moments.begin(len(sums), before.at)
        total, stake = self.value, 0.0
        if gains is not None:
            left = min(self.left, unbet((before.n if seen is None else seen) + 1))
            stake = self.left - left
            self.left = total = left
        for j, gain in enumerate(plain):
            if gains is not None:
                wealth[j] = grown = (wealth[j] + stake) * exp(gains[j])
                total += shares[j] * grown
            so_far = sums[j]
            if so_far == 0.0:
                since[j] = before
            then = so_far + gain
            sums[j] = then if then > 0.0 else 0.0
            if moments is not None:
                moments.walk(j, before.at, so_far, then)
        self.value = total
        return total

    def likeliest(self) -> tuple[int, Beginning]:
        """The direction of the alternative with the largest sum, and where that began."""
        j = self._likeliest()
        return self._family.directions[j], self.since[j]

    def between(self) -> tuple[int, int]:
        """Between which moments that beginning lies (microseconds). Raises ValueError where they are not asked for, or
        before the first sum."""
        moments, j = self.moments, self._likeliest()
        if moments is None or not moments.latest:
            raise ValueError("nothing is known of the moments: no value was bet on yet, or nobody asked for them")
        since = self.since[j].at
        return min(since, moments.marks[_MARKS * j]), max(since, moments.latest[j])

    def _likeliest(self) -> int:
        return max(range(len(self.sums)), key=self.sums.__getitem__)
