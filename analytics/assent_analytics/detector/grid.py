"""Cells: a value's place on a grid that is fixed before any value is seen.

- `NUMBER`: the nearest whole number, as for scores, risk and confidence from 0 to 100.
- `LOGARITHM`: cells that are 2% wide each, and one for zero, as for durations, costs and tokens. Nobody cares whether
  an action took 1.00 or 1.01 seconds.
- `SHARE`: 0 or 1, as for whether guard blocked.

The grid depends on nothing that is observed, so it takes nothing from the detector's guarantee: values in one cell
are ties, and ties are broken fairly (`reference`). It bounds what a stream remembers: 101 cells, 2 cells, and about
1,700 for every duration from a millisecond to 30,000 years.
"""

from __future__ import annotations

from enum import StrEnum
from math import isfinite, log

WIDTH = log(1.02)
LARGEST = 1 << 30
ZERO = -LARGEST
"""The cell of zero on the logarithmic grid, below every other."""


class Grid(StrEnum):
    NUMBER = "number"
    LOGARITHM = "logarithm"
    SHARE = "share"


def cell(value: float, grid: Grid) -> int | None:
    """The value's cell; None for what has none: NaN, infinities, what is below zero on the logarithmic grid,
    and what is neither 0 nor 1 among shares. Numbers beyond 2^30 share a cell."""
    if not isfinite(value):
        return None
    if grid is Grid.LOGARITHM:
        if value <= 0:
            return ZERO if value == 0 else None
        return round(log(value) / WIDTH)
    if grid is Grid.SHARE:
        return int(value) if value in (0, 1) else None
    return round(max(-LARGEST, min(LARGEST, value)))
