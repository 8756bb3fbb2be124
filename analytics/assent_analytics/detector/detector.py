"""One stream's detector: values in, alarms out.

- An epoch begins empty, and ends with the alarm: when M reaches 1/alpha. The chance that an epoch of a stable stream
  ends with one is at most alpha. The next epoch begins empty too, with the value after the alarm: keeping the values
  since the estimated change would start the reference sooner, but they were chosen by looking at them, and the bound
  would no longer hold.
- The change is where the likeliest alternative's sum began. The mean before is over the epoch's values until then, the
  mean after over those from then to the alarm, both of the values as they came, not of their cells.
- z = (mean after - mean before) / standard deviation before (n - 1); without any deviation +-999, as published servers
  say it. It is the size of the change, never the reason for the alarm: M is that.
- Values without a cell (`grid`) are passed over. An epoch whose values all lie in one cell ends without an alarm: there
  is nothing in it but how its ties were broken. Fewer alarms keep the bound.
"""

from __future__ import annotations

from enum import StrEnum
from math import isfinite, sqrt

import msgspec

from assent_analytics.detector.bets import NEVER, Beginning, Bets
from assent_analytics.detector.families import NUMBERS, SHARES, of_number, of_share
from assent_analytics.detector.grid import Grid, cell
from assent_analytics.detector.reference import Reference, seed_of

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
    """`key` names the stream and decides how ties are broken. `epoch` counts from 0."""

    __slots__ = ("_bets", "_family", "_grid", "_mean", "_reference", "_squares", "_threshold", "epoch", "key")

    def __init__(self, key: str, grid: Grid, alpha: float = ALPHA) -> None:
        if not 0 < alpha < 1:
            raise ValueError(f"alpha is {alpha!r}; give a probability between 0 and 1, such as 0.01")
        self.key, self._grid, self._threshold = key, grid, 1 / alpha
        self._family = SHARES if grid is Grid.SHARE else NUMBERS
        self._begin(0)

    @classmethod
    def of(cls, key: str, grid: Grid, state: State, alpha: float = ALPHA) -> Detector:
        """The detector that `state` was taken from."""
        made = cls(key, grid, alpha)
        made.epoch = state.epoch
        made._reference = Reference(seed_of(key, state.epoch), state.cells, state.counts)
        made._bets = Bets(made._family, list(state.wealth), list(state.sums), list(state.since), state.value)
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
        place = cell(value, self._grid)
        if place is None:
            return None
        reference = self._reference
        before = Beginning(reference.n, self._mean, self._squares, at)
        u = reference.rank(place)
        plain = None
        if self._family is SHARES:
            ones = round(before.mean * before.n)
            gains, plain = of_share(u, ones, before.n), of_share(float(value), ones, before.n)
        else:
            gains = of_number(u)
        # Welford 1962: exact enough for values of any size, and the past need not be kept.
        distance = value - self._mean
        self._mean += distance / reference.n
        self._squares += distance * (value - self._mean)
        if self._bets.step(gains, before, plain) < self._threshold:
            return None
        alarm = self._alarm(at) if len(reference.cells) > 1 else None
        self._begin(self.epoch + 1)
        return alarm

    def _begin(self, epoch: int) -> None:
        self.epoch = epoch
        self._reference, self._bets = Reference(seed_of(self.key, epoch)), Bets.fresh(self._family)
        self._mean, self._squares = NEVER.mean, NEVER.squares

    def _alarm(self, at: int) -> Alarm:
        direction, since = self._bets.likeliest()
        n = self._reference.n
        recent_n = n - since.n
        before = self._mean_of(since.mean, since.n)
        recent = self._mean_of(self._mean + (self._mean - since.mean) * (since.n / recent_n), recent_n)
        sd = sqrt(since.squares / (since.n - 1)) if isfinite(since.squares) else None
        return Alarm(
            n=n,
            epoch=self.epoch,
            at=at,
            change_at=since.at,
            e_value=self._bets.value,
            threshold=self._threshold,
            direction=_DIRECTIONS[direction],
            baseline_n=since.n,
            baseline_mean=_finite(before),
            baseline_sd=sd,
            recent_n=recent_n,
            recent_mean=_finite(recent),
            z_score=_z(recent - before, sd),
        )

    def _mean_of(self, mean: float, n: int) -> float:
        # A share is a whole number of ones, whatever was lost in adding up.
        return round(mean * n) / n if self._family is SHARES else mean


def _z(distance: float, sd: float | None) -> float | None:
    if sd is None:
        return None
    if sd == 0:
        return CERTAIN if distance > 0 else -CERTAIN if distance < 0 else 0.0
    return _finite(distance / sd)


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None
