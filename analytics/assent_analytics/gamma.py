"""The regularised incomplete gamma functions, for tails of the chi-square distribution.

P(a, x) is the series of DLMF 8.11.4 below a + 1, and one minus the continued fraction of DLMF 8.9.2 (Lentz's method)
above; Q(a, x) is what P leaves. Each is computed where it is the smaller of both, so that tails keep their digits.
"""

from __future__ import annotations

from math import exp, inf, lgamma, log

_TINY = 1e-300
_ENOUGH = 1e-16


def chi_square_tail(x: float, df: float) -> float:
    """The probability that a chi-square variable with `df` degrees of freedom is x or more.

    Raises ValueError for df of 0 or less.
    """
    if df <= 0:
        raise ValueError(f"df is {df}; give degrees of freedom above 0")
    return upper(df / 2, x / 2)


def upper(a: float, x: float) -> float:
    """Q(a, x), the upper regularised incomplete gamma function, for a > 0."""
    if x <= 0:
        return 1.0
    if x == inf:
        return 0.0
    return 1 - _series(a, x) if x < a + 1 else _fraction(a, x)


def lower(a: float, x: float) -> float:
    """P(a, x), the lower regularised incomplete gamma function, for a > 0."""
    if x <= 0:
        return 0.0
    if x == inf:
        return 1.0
    return _series(a, x) if x < a + 1 else 1 - _fraction(a, x)


def _front(a: float, x: float) -> float:
    return exp(a * log(x) - x - lgamma(a))


def _series(a: float, x: float) -> float:
    term = total = 1 / a
    n = a
    while term > total * _ENOUGH:
        n += 1
        term *= x / n
        total += term
    return min(1.0, total * _front(a, x))


def _fraction(a: float, x: float) -> float:
    b = x + 1 - a
    c, d = 1 / _TINY, 1 / b
    value, n = d, 0
    change = 0.0
    while abs(change - 1) > _ENOUGH and n < 100_000:
        n += 1
        factor = n * (a - n)
        b += 2
        d = 1 / _far(factor * d + b)
        c = _far(b + factor / c)
        change = c * d
        value *= change
    return min(1.0, value * _front(a, x))


def _far(value: float) -> float:
    """`value`, kept away from zero."""
    return value if abs(value) > _TINY else _TINY
