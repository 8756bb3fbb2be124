"""The beta distribution: its distribution function and its quantile.

The distribution function is the regularised incomplete beta function I_x(a, b): the continued fraction of DLMF 8.17.22,
evaluated by Lentz's method, on the side of the mean where it converges fast. The factor before it,
x^a (1 - x)^b / B(a, b), is taken with Stirling's series where a and b are large, because a difference of three log
gammas would lose digits there: with p = a / (a + b) it is

    sqrt(a * b / (2 pi (a + b))) * (x / p)^a * ((1 - x) / (1 - p))^b * exp(s(a + b) - s(a) - s(b))

s being the rest of Stirling's series (DLMF 5.11.1). The quantile is found by Newton's method kept in a bracket that
halves where Newton would leave it.
"""

from __future__ import annotations

from math import exp, inf, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

_TINY = 1e-300
_STEPS = 10_000
_LARGE = 10.0
_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360_360, 1 / 156)


def incomplete_beta(x: float, a: float, b: float, rest: float | None = None) -> float:
    """I_x(a, b), the probability of at most x, from 0 to 1. `rest` is 1 - x, to be given where x is so near to 1 that
    the subtraction would lose it. Raises ValueError for parameters that are not above zero."""
    _check(a, b)
    left = 1 - x if rest is None else rest
    if x <= 0 or left <= 0:
        return 0.0 if x <= 0 else 1.0
    front = exp(_log_front(x, left, a, b))
    # The fraction converges fast below its mean; above it the other tail does.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(left, b, a) / b


def beta_quantile(share: float, a: float, b: float) -> float:
    """The x that Beta(a, b) does not exceed with probability `share`, to about 12 digits.

    Raises ValueError for a share that is not between 0 and 1 and for parameters that are not above zero.
    """
    _check(a, b)
    if not 0 <= share <= 1:
        raise ValueError(f"share is {share}; give a probability between 0 and 1")
    if share in (0, 1):
        return float(share)
    low, high = 0.0, 1.0
    x = _begin(share, a, b)
    for _ in range(200):
        missing = incomplete_beta(x, a, b) - share
        if missing == 0:
            return x
        low, high = (low, x) if missing > 0 else (x, high)
        slope = exp(_log_front(x, 1 - x, a, b)) / (x * (1 - x))
        following = x - missing / slope if slope > 0 else inf
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - x) <= 1e-15 * x or following in (low, high):
            return following
        x = following
    return x


def _check(a: float, b: float) -> None:
    if not (0 < a < inf and 0 < b < inf):
        raise ValueError(f"the parameters are {a} and {b}; both are above zero")


def _begin(share: float, a: float, b: float) -> float:
    mean = a / (a + b)
    near = mean + NormalDist().inv_cdf(share) * sqrt(mean * (1 - mean) / (a + b + 1))
    return near if 0 < near < 1 else mean


def _log_front(x: float, rest: float, a: float, b: float) -> float:
    if min(a, b) >= _LARGE:
        total = a + b
        stirling = _series(total) - _series(a) - _series(b)
        scale = 0.5 * log(a / total * b / (2 * pi))
        # x (a + b) - a, without rounding the mean first.
        beyond = x * b - rest * a
        return (
            a * _log_ratio(beyond / a, x, a / total) + b * _log_ratio(-beyond / b, rest, b / total) + scale + stirling
        )
    log_x = log(x) if x < 0.5 else log1p(-rest)
    log_rest = log1p(-x) if x < 0.5 else log(rest)
    return a * log_x + b * log_rest - _log_beta(min(a, b), max(a, b))


def _log_ratio(gap: float, value: float, mean: float) -> float:
    """log(value / mean); by their `gap`, (value - mean) / mean, where they are near, so that it keeps its digits."""
    return log1p(gap) if abs(gap) < 0.5 else log(value / mean)


def _log_beta(small: float, large: float) -> float:
    """log B for at most one large parameter."""
    if large < _LARGE:
        return lgamma(small) + lgamma(large) - lgamma(small + large)
    total = small + large
    stirling = _series(large) - _series(total)
    return lgamma(small) + stirling + small - small * log(total) + (large - 0.5) * log1p(-small / total)


def _series(z: float) -> float:
    """What Stirling's formula of log gamma leaves, for z of 10 or more."""
    square = 1 / (z * z)
    value = 0.0
    for term in reversed(_SERIES):
        value = value * square + term
    return value / z


def _fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / _far(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for term in (even, odd):
            d = 1 / _far(1 + term * d)
            c = _far(1 + term / c)
            change = c * d
            value *= change
        if abs(change - 1) < 1e-15:
            break
    return value


def _far(value: float) -> float:
    """`value`, kept away from zero."""
    return value if abs(value) > _TINY else _TINY
