"""What a rank is thought to be after a change: the alternatives that the martingale bets on.

Each alternative is a density f of the rank u on (0, 1), which may depend on what was seen before, never on u itself.
Since u is uniform while nothing has changed, f(u) has mean 1: that is all the bound on false alarms needs, so which
alternatives there are is a matter of power only.

- Numbers: z = Phi^-1(u) is standard normal. After a change its mean is 0.25, 0.5 or 1 higher or lower, or its standard
  deviation is twice or half as large; f(u) is that density of z divided by the standard normal one.
- Shares of 0 and 1: u lies above 1 - p, p being the share of ones so far, about when the value is 1. After a change
  the odds of a 1 are exp(0.5), exp(1) or exp(2) times as high or low, which makes the share q; f(u) is q / p above
  1 - p, and (1 - q) / (1 - p) below. That is the likelihood ratio of the values themselves; z, whose ties are broken at
  random, would blur it.
  p = (ones + 1) / (n + 1) where ones are no more than half, else ones / (n + 1): so the rarer value is never taken for
  the other, and the other for it hardly ever.
"""

from __future__ import annotations

from math import exp, log
from statistics import NormalDist
from typing import NamedTuple

_inverse = NormalDist().inv_cdf


class Family(NamedTuple):
    """`shares` of the bet, which add up to 1, and `directions` where values go: 1 up, -1 down, 0 neither."""

    shares: tuple[float, ...]
    directions: tuple[int, ...]


class _Alternative(NamedTuple):
    """log f = `slope` * z + `bend` * z^2 + `rest`."""

    slope: float
    bend: float
    rest: float


def _shift(mean: float) -> _Alternative:
    return _Alternative(mean, 0.0, -mean * mean / 2)


def _spread(sd: float) -> _Alternative:
    return _Alternative(0.0, (1 - 1 / (sd * sd)) / 2, -log(sd))


_OF_NUMBERS = (*(_shift(sign * size) for size in (0.25, 0.5, 1.0) for sign in (1, -1)), _spread(2.0), _spread(0.5))
_ODDS = tuple(exp(sign * size) for size in (0.5, 1.0, 2.0) for sign in (1, -1))

NUMBERS = Family((2 / 13,) * 6 + (1 / 26,) * 2, (1, -1) * 3 + (0, 0))
SHARES = Family((1 / 6,) * 6, (1, -1) * 3)


def of_number(u: float) -> list[float]:
    """log f(u) of every alternative for numbers. |z| is under 9, so none is over 31."""
    z = _inverse(u)
    square = z * z
    return [slope * z + bend * square + rest for slope, bend, rest in _OF_NUMBERS]


def of_share(u: float, ones: int, n: int) -> list[float]:
    """log f(u) of every alternative for shares, after n values with so many `ones`. A value itself, 0 or 1, may stand
    for its rank where nothing is bet on it."""
    p = (ones + (1.0 if 2 * ones <= n else 0.0)) / (n + 1)
    one = u >= 1 - p
    # The share that odds make is p * odds / (1 - p + p * odds).
    return [log((odds if one else 1.0) / (1 - p + p * odds)) for odds in _ODDS]
