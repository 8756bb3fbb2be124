"""How long something took, in words that can be read at a glance: the one place where spans are written.

    0.0042 s   4.2 ms        12.4 s    12 s         7,500 s    2 h 5 min
    0.42 s     0.42 s        195 s     3.3 min      273,600 s  3 d 4 h
    9.5 s      9.50 s        754 s     13 min

Nothing is cut: every number is rounded, halves up. Minutes have a decimal below ten. Hours come with minutes and
days with hours, where these are not 0.
"""

from __future__ import annotations

from math import floor

MINUTE, HOUR, DAY = 60, 3600, 86400


def measured(seconds: float) -> str:
    """A measured time, with decimals below ten seconds."""
    if seconds < 0.09995:
        return f"{max(0.0, seconds) * 1000:.1f} ms"
    return f"{seconds:.2f} s" if seconds < 9.995 else span(seconds)


def span(seconds: float) -> str:
    """A span of whole seconds or more; less than half a second is `0 s`."""
    whole = _rounded(max(0.0, seconds))
    if whole < MINUTE:
        return f"{whole} s"
    tenths = _rounded(seconds / MINUTE * 10)
    if tenths < 100:
        return f"{tenths // 10}.{tenths % 10} min".replace(".0 ", " ")
    minutes = _rounded(seconds / MINUTE)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 24 * 60:
        return _both(minutes, 60, "h", "min")
    return _both(_rounded(seconds / HOUR), 24, "d", "h")


def _both(lower: int, many: int, unit: str, lower_unit: str) -> str:
    first, rest = divmod(lower, many)
    return f"{first} {unit} {rest} {lower_unit}" if rest else f"{first} {unit}"


def _rounded(number: float) -> int:
    return floor(number + 0.5)
