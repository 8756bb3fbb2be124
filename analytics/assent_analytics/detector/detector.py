"""The drift detector of one stream: values in, alarms out; it decides when a stream has drifted, and where the change
began.

- An alarm is raised when the bet against "nothing has changed" (`bets`) has grown to 1/alpha and the values lie in more
  than one cell. The chance that a stable stream of exchangeable values ever raises one is at most alpha, from each
  start; after an alarm the detector starts anew with an empty past.
- The alarm names the estimated place of the change, and the means before and after it.
- Each value is first put in a cell of the stream's grid (`Grid`).

Cells: a value's place on a grid that is fixed before any value is seen.

- `NUMBER`: the nearest whole number, as for scores, risk and confidence from 0 to 100.
- `LOGARITHM`: cells that are 2% wide each, and one for zero, as for durations, costs and tokens. Nobody cares whether
  an action took 1.00 or 1.01 seconds.
- `SHARE`: 0 or 1, as for whether guard blocked.

The grid depends on nothing that is observed, so it takes nothing from the detector's guarantee: values in one cell
are ties, and ties are broken fairly (`bets.Reference`). It bounds what a stream remembers: 101 cells, 2 cells, and
about 1,700 for every duration from a millisecond to 30,000 years.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from math import inf, isfinite, log, sqrt

import msgspec

from assent_analytics.detector.bets import (
    FIRST,
    NEVER,
    NUMBERS,
    SHARES,
    Beginning,
    Bets,
    Reference,
    of_number,
    of_share,
    seed_of,
    theta,
    unbet,
)

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
    return CELLS[grid](value)


def _of_number(value: float) -> int | None:
    if -LARGEST <= value <= LARGEST:
        return round(value)
    return round(max(-LARGEST, min(LARGEST, value))) if isfinite(value) else None


def _of_logarithm(value: float) -> int | None:
    if 0 < value < inf:
        return round(log(value) / WIDTH)
    return ZERO if value == 0 else None


def _of_share(value: float) -> int | None:
    return int(value) if value in (0, 1) else None


CELLS = {Grid.NUMBER: _of_number, Grid.LOGARITHM: _of_logarithm, Grid.SHARE: _of_share}


# One stream's detector: values in, alarms out.
#
# - An epoch begins empty, and ends with the alarm: when M reaches 1/alpha. The chance that an epoch of a stable stream
#   ends with one is at most alpha. The next epoch begins empty too, with the value after the alarm: keeping the values
#   since the estimated change would start the reference sooner, but they were chosen by looking at them, and the bound
#   would no longer hold.
# - The change is where the likeliest alternative's sum began. The mean before is over the epoch's values until then,
#   the mean after over those from then to the alarm, both of the values as they came, not of their cells.
# - z = (mean after - mean before) / standard deviation before (n - 1); without any deviation +-999, as published
#   servers say it. It is the size of the change, never the reason for the alarm: M is that.
# - Values without a cell are passed over. An epoch whose values all lie in one cell ends without an alarm:
#   there is nothing in it but how its ties were broken. Fewer alarms keep the bound.


ALPHA = 0.01
CERTAIN = 999.0


class Direction(StrEnum):
    """Where the values went. `changed`: neither up nor down, but wider or closer together."""

    UP = "up"
    DOWN = "down"
    CHANGED = "changed"


_DIRECTIONS = {1: Direction.UP, -1: Direction.DOWN, 0: Direction.CHANGED}


class Alarm(msgspec.Struct, frozen=True, kw_only=True):
    """`n` values of the epoch, of which the last `recent_n` came since the change; `change_at` is when the first of
    those happened, `at` when the last did (microseconds). `e_value` is M, `threshold` 1/alpha. The means, `baseline_sd`
    and `z_score` are None where numbers are too large to reckon with."""

    n: int
    epoch: int
    at: int
    change_at: int
    e_value: float
    threshold: float
    direction: Direction
    baseline_n: int
    baseline_mean: float | None
    baseline_sd: float | None
    recent_n: int
    recent_mean: float | None
    z_score: float | None


class State(msgspec.Struct, frozen=True, array_like=True):
    """Everything a detector knows, to go on with later. `cells` and `counts` are the reference's arrays."""

    epoch: int
    cells: bytes
    counts: bytes
    mean: float
    squares: float
    wealth: list[float]
    sums: list[float]
    since: list[Beginning]
    value: float


class Detector:
    """The drift detector of one stream: `step` takes its values in their order, and gives an alarm when it has drifted.

    `key` names the stream and decides how ties are broken. `epoch` counts how often it began anew. Raises
    ValueError for an `alpha` that is no probability.
    """

    __slots__ = ("_bets", "_cell", "_family", "_mean", "_reference", "_seed", "_squares", "_threshold", "epoch", "key")
    _mean: float
    _squares: float

    def __init__(self, key: str, grid: Grid, alpha: float = ALPHA) -> None:
        if not 0 < alpha < 1:
            raise ValueError(f"alpha is {alpha!r}; give a probability between 0 and 1, such as 0.01")
        self.key, self._cell, self._threshold = key, CELLS[grid], 1 / alpha
        self._family = SHARES if grid is Grid.SHARE else NUMBERS
        self._begin(0)

    @classmethod
    def of(cls, key: str, grid: Grid, state: State, alpha: float = ALPHA) -> Detector:
        """The detector that `state` was taken from."""
        made = cls(key, grid, alpha)
        made._begin(state.epoch)
        made._reference = reference = Reference(state.cells, state.counts)
        left = unbet(reference.n)
        made._bets = Bets(made._family, list(state.wealth), list(state.sums), list(state.since), state.value, left)
        made._mean, made._squares = state.mean, state.squares
        return made

    def state(self) -> State:
        bets, reference = self._bets, self._reference
        return State(
            epoch=self.epoch,
            cells=reference.cells.tobytes(),
            counts=reference.counts.tobytes(),
            mean=self._mean,
            squares=self._squares,
            wealth=list(bets.wealth),
            sums=list(bets.sums),
            since=list(bets.since),
            value=bets.value,
        )

    @property
    def n(self) -> int:
        """How many values this epoch has seen."""
        return self._reference.n

    @property
    def e_value(self) -> float:
        """M, as it stands."""
        return self._bets.value

    def step(self, value: float, at: int) -> Alarm | None:
        """Take in the next value, which happened `at` (microseconds)."""
        place = self._cell(value)
        if place is None:
            return None
        reference, mean, squares = self._reference, self._mean, self._squares
        n = reference.n
        u = reference.rank(place, theta(self._seed, n + 1))
        # Welford 1962: exact enough for values of any size, and the past need not be kept.
        distance = value - mean
        self._mean = mean + distance / (n + 1)
        self._squares = squares + distance * (value - self._mean)
        if n < FIRST:
            return None
        gains: Sequence[float]
        told: Sequence[float]
        if self._family is NUMBERS:
            gains = told = of_number(u)
        else:
            ones = round(mean * n)
            gains, told = of_share(u, ones, n), of_share(float(value), ones, n)
        if self._bets.step(gains, Beginning(n, mean, squares, at), told) < self._threshold:
            return None
        alarm = self._alarm(at) if len(reference.cells) > 1 else None
        self._begin(self.epoch + 1)
        return alarm

    def _begin(self, epoch: int) -> None:
        self.epoch: int = epoch
        self._seed = seed_of(self.key, epoch)
        self._reference, self._bets = Reference(), Bets.fresh(self._family)
        self._mean, self._squares = NEVER.mean, NEVER.squares

    def _alarm(self, at: int) -> Alarm:
        return alarm_of(
            self._bets, Beginning(self._reference.n, self._mean, self._squares, at), self.epoch, self._threshold,
            shares=self._family is SHARES,
        )  # fmt: skip


def alarm_of(bets: Bets, now: Beginning, epoch: int, threshold: float, *, shares: bool) -> Alarm:
    """The alarm after `now.n` values with their mean and squares, the last of which happened at `now.at`; of `shares`,
    a mean is that of whole ones."""
    direction, since = bets.likeliest()
    n, recent_n = now.n, now.n - since.n
    before, recent = since.mean, now.mean + (now.mean - since.mean) * (since.n / recent_n)
    if shares:
        # Whatever was lost in adding up.
        before, recent = round(before * since.n) / since.n, round(recent * recent_n) / recent_n
    sd = sqrt(since.squares / (since.n - 1)) if isfinite(since.squares) else None
    return Alarm(
        n=n,
        epoch=epoch,
        at=now.at,
        change_at=since.at,
        e_value=bets.value,
        threshold=threshold,
        direction=_DIRECTIONS[direction],
        baseline_n=since.n,
        baseline_mean=_finite(before),
        baseline_sd=sd,
        recent_n=recent_n,
        recent_mean=_finite(recent),
        z_score=_z(recent - before, sd),
    )


def _z(distance: float, sd: float | None) -> float | None:
    if sd is None:
        return None
    if sd == 0:
        return CERTAIN if distance > 0 else -CERTAIN if distance < 0 else 0.0
    return _finite(distance / sd)


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None
