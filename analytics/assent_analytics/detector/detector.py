"""The drift detector of one stream: values in, alarms out; it decides when a stream has drifted, and where the change
began.

- An alarm is raised when the bet against "nothing has changed" (`bets`) has grown to 1/alpha and the values lie in more
  than one cell. After an alarm the detector starts anew with an empty past.
- Values of one session are one unit, their mean; a value without a session is a unit by itself.
- A unit's rank is among those of the same part of the week: a quarter of the day (UTC), on a weekday or at a weekend.
- What follows of each unit is raised to the power 1 / tau, where tau says how far units depend on those before them
  (`dependence`).
- The alarm names the estimated place of the change with its interval, and the means before and after it.
- Each unit is first put in a cell of the stream's grid (`Grid`).

The promise: a stream that does not change ever raises an alarm with a probability of alpha at most, from each start. It
rests on this.

1. Where units of the same part of the week are exchangeable, in whatever order parts come, ranks are uniform and
   independent, and M with exponents of at most 1 that depend on the past alone is a nonnegative
   supermartingale (Jensen), whatever tau says: the bound is Ville's, without an approximation. (Ranks within classes:
   V. Vovk, A. Gammerman and G. Shafer, Algorithmic Learning in a Random World, 2005, section 4.5.) So sessions that are
   independent of each other, rhythms of day and weekend, heavy tails and outliers do not touch it.
2. Where units depend on each other, sums of scores are about normal with tau times the variance, and
   exp((d S - n d^2 / 2) / tau) still has a mean of 1 at most. That bound is an approximation, since tau is estimated;
   it is checked by simulation (`tests.benchmarks.false_alarms`).
3. It does not hold where dependence lasts longer than the stream can show: a memory of more than about 100 units, or
   sessions that nobody names.

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
from zlib import crc32

import msgspec

from assent_analytics.detector.bets import (
    FIRST,
    NEVER,
    NUMBERS,
    SHARES,
    Beginning,
    Bets,
    Reference,
    Track,
    of_number,
    of_share,
    seed_of,
)
from assent_analytics.detector.dependence import EARLY, EARLY_UNTIL, EVERY, Dependence, early

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
    return _CELLS[grid](value)


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


_CELLS = {Grid.NUMBER: _of_number, Grid.LOGARITHM: _of_logarithm, Grid.SHARE: _of_share}


# One stream's detector: values in, alarms out.
#
# - An epoch begins empty, and ends with the alarm: when M reaches 1/alpha. The chance that an epoch of a stable stream
#   ends with one is at most alpha. The next epoch begins empty too, with the unit after the alarm: keeping the values
#   since the estimated change would start the reference sooner, but they were chosen by looking at them, and the bound
#   would no longer hold.
# - A unit is bet on once there are 10 tau units before it, so that fewer than 10 clusters never raise an alarm, and
#   2 + 10 (tau - 1) of them of its part of the week. The prior on the moment of change counts units / tau.
# - The change is where the likeliest alternative's sum began. The mean before is over the epoch's values until then,
#   the mean after over those from then to the alarm, both of the values as they came, not of their cells.
# - z = (mean after - mean before) / standard deviation before (n - 1); without any deviation +-999, as published
#   servers say it. It is the size of the change, never the reason for the alarm: M is that.
# - Values without a cell are passed over. An epoch whose units all lie in one cell ends without an alarm:
#   there is nothing in it but how its ties were broken. Fewer alarms keep the bound.
#
# Sessions:
#
# - A session's unit is taken in when it is closed: when as many others have had values since its last one as the
#   stream's `patience`, which is 1 to begin with, or when it has LARGEST_UNIT values; what follows of it then is a unit
#   of its own. Until then its values are in no number.
# - Where a session has a value that was closed before, sessions go on side by side: patience doubles, to 64 at most,
#   and another unit of it begins. The last 64 that were closed are remembered for it.
# - The mean of a session's values, in hundredths for shares, has ranks as numbers have. Shares of which none of the
#   first ten units has more than one value are bet on as 0 and 1, and a session by its first value.
# - The part of the week is that of a session's first value.


ALPHA = 0.01
CERTAIN = 999.0
PATIENCE = 64
LARGEST_UNIT = 200
_ONE = 100
_ROOT_HALF = sqrt(0.5)
_HOUR = 3_600_000_000
_MONDAY = 4 * 24
"""1970 began on a Thursday: in hours, what the first Monday is later."""


class Direction(StrEnum):
    """Where the values went. `changed`: neither up nor down, but wider or closer together."""

    UP = "up"
    DOWN = "down"
    CHANGED = "changed"


_DIRECTIONS = {1: Direction.UP, -1: Direction.DOWN, 0: Direction.CHANGED}


class Alarm(msgspec.Struct, frozen=True, kw_only=True):
    """`n` values of the epoch, of which the last `recent_n` came since the change; `change_at` is when the first of
    those happened, `at` when the last did (microseconds). `e_value` is M, `threshold` 1/alpha. The means, `baseline_sd`
    and `z_score` are None where numbers are too large to reckon with.

    `change_low` and `change_high` are the 95% interval of `change_at`. The n values came in so many `clusters`, of
    which `recent_clusters` came since the change, and count as `n_effective` independent ones (clusters / tau, whatever
    is in each). `basis` says what a cluster is: session, value, or session, else value.
    """

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
    change_low: int | None = None
    change_high: int | None = None
    clusters: int | None = None
    recent_clusters: int | None = None
    n_effective: float | None = None
    basis: str | None = None


class Unit(msgspec.Struct, array_like=True, gc=False):
    """A session that goes on: how many values, their mean and sum of squared deviations, the first, and when the first
    and the last of them happened (microseconds)."""

    n: int
    mean: float
    squares: float
    first: float
    began: int
    at: int


class Part(msgspec.Struct, frozen=True, array_like=True):
    """The reference of a part of the week: its arrays."""

    part: int
    cells: bytes
    counts: bytes


class State(msgspec.Struct, frozen=True, array_like=True):
    """Everything a detector knows, to go on with later. `named` units are sessions; `whole` says whether shares are bet
    on as 0 and 1. `level` and `spread` are the state of how units, and their squares, depend on each other, `first` the
    cells of the first units, `early` what those say of it."""

    epoch: int
    parts: list[Part]
    n: int
    units: int
    named: int
    whole: bool
    mean: float
    squares: float
    wealth: list[float]
    sums: list[float]
    since: list[Beginning]
    value: float
    left: float
    tracks: list[Track]
    level: list[float]
    spread: list[float]
    first: list[int]
    early: float
    patience: int
    open: list[tuple[int, Unit]]
    closed: list[int]


class Detector:
    """The drift detector of one stream: `step` takes its values in their order, and gives an alarm when it has drifted.

        detector = Detector("payer/pay/score", Grid.NUMBER)
        for value, at, session_id in values:
            if alarm := detector.step(value, at, session_id):
                print(alarm.change_low, alarm.change_at, alarm.change_high)

    `key` names the stream and decides how ties are broken. `epoch` counts how often it began anew. Raises
    ValueError for an `alpha` that is no probability.
    """

    __slots__ = (
        "_bets",
        "_cell",
        "_closed",
        "_early",
        "_family",
        "_first",
        "_level",
        "_mean",
        "_n",
        "_named",
        "_open",
        "_parts",
        "_patience",
        "_seed",
        "_share",
        "_spread",
        "_squares",
        "_threshold",
        "_units",
        "_whole",
        "epoch",
        "key",
    )
    _mean: float
    _squares: float
    _n: int
    _units: int
    _named: int

    def __init__(self, key: str, grid: Grid, alpha: float = ALPHA) -> None:
        if not 0 < alpha < 1:
            raise ValueError(f"alpha is {alpha!r}; give a probability between 0 and 1, such as 0.01")
        self.key, self._cell, self._threshold = key, _CELLS[grid], 1 / alpha
        self._share = grid is Grid.SHARE
        self._open: dict[int, Unit] = {}
        self._closed: dict[int, None] = {}
        self._patience = 1
        self._begin(0)

    @classmethod
    def of(cls, key: str, grid: Grid, state: State, alpha: float = ALPHA) -> Detector:
        """The detector that `state` was taken from."""
        made = cls(key, grid, alpha)
        made._begin(state.epoch)
        made._whole, made._family = state.whole, SHARES if state.whole else NUMBERS
        made._parts = {each.part: Reference(made._seed, each.cells, each.counts, each.part) for each in state.parts}
        made._n, made._units, made._named = state.n, state.units, state.named
        made._bets = Bets(
            made._family,
            list(state.wealth),
            list(state.sums),
            list(state.since),
            state.value,
            state.left,
            [Track(*msgspec.structs.astuple(each)) for each in state.tracks],
        )
        made._level = Dependence(state.level, most=_most(whole=state.whole))
        made._spread = Dependence(state.spread)
        made._first, made._early = list(state.first), state.early
        made._mean, made._squares = state.mean, state.squares
        made._patience = state.patience
        made._open = {name: Unit(*msgspec.structs.astuple(unit)) for name, unit in state.open}
        made._closed = dict.fromkeys(state.closed)
        return made

    def state(self) -> State:
        bets = self._bets
        return State(
            epoch=self.epoch,
            parts=[
                Part(part, each.cells.tobytes(), each.counts.tobytes()) for part, each in sorted(self._parts.items())
            ],
            n=self._n,
            units=self._units,
            named=self._named,
            whole=self._whole,
            mean=self._mean,
            squares=self._squares,
            wealth=list(bets.wealth),
            sums=list(bets.sums),
            since=list(bets.since),
            value=bets.value,
            left=bets.left,
            tracks=[Track(*msgspec.structs.astuple(each)) for each in bets.tracks],
            level=self._level.state(),
            spread=self._spread.state(),
            first=list(self._first),
            early=self._early,
            patience=self._patience,
            open=[(name, Unit(*msgspec.structs.astuple(unit))) for name, unit in self._open.items()],
            closed=list(self._closed),
        )

    @property
    def n(self) -> int:
        """How many values this epoch has taken in; those of sessions that go on are not yet among them."""
        return self._n

    @property
    def clusters(self) -> int:
        """In how many units they came."""
        return self._units

    @property
    def n_effective(self) -> float:
        """As how many independent units those count."""
        return self._units / self._tau()

    @property
    def e_value(self) -> float:
        """M, as it stands."""
        return self._bets.value

    def step(self, value: float, at: int, session: str | None = None) -> Alarm | None:
        """Take in the next value, which happened `at` (microseconds), in this session."""
        if self._cell(value) is None:
            return None
        if session is None:
            return self._take(Unit(1, value, 0.0, value, at, at), named=False)
        name, alarm = crc32(session.encode()), None
        unit = self._open.pop(name, None)
        if unit is None:
            if name in self._closed:
                del self._closed[name]
                self._patience = min(PATIENCE, 2 * self._patience)
            while len(self._open) >= self._patience:
                oldest = next(iter(self._open))
                alarm = self._close(oldest, self._open.pop(oldest)) or alarm
            self._open[name] = Unit(1, value, 0.0, value, at, at)
            return alarm
        unit.n += 1
        distance = value - unit.mean
        unit.mean += distance / unit.n
        unit.squares += distance * (value - unit.mean)
        unit.at = at
        if unit.n < LARGEST_UNIT:
            self._open[name] = unit
            return None
        return self._take(unit, named=True)

    def _close(self, name: int, unit: Unit) -> Alarm | None:
        self._closed[name] = None
        if len(self._closed) > PATIENCE:
            del self._closed[next(iter(self._closed))]
        return self._take(unit, named=True)

    def _take(self, unit: Unit, *, named: bool) -> Alarm | None:
        if unit.n > 1 and self._whole and self._units < FIRST:
            self._bet_on(whole=False)
        value = unit.first if self._whole else unit.mean
        place = round(100 * value) if self._share else self._cell(value)
        if place is None:
            return None
        part = _part(unit.began)
        reference = self._parts.get(part)
        if reference is None:
            reference = self._parts[part] = Reference(self._seed, part=part)
        before, tau = Beginning(self._n, self._mean, self._squares, unit.began, self._units), self._tau()
        known, ones = reference.n, _ones(reference) if self._whole else 0
        u = reference.rank(place)
        if before.units < EARLY:
            self._look_early(place)
        self._count(unit, named=named)
        enough = before.units >= FIRST * tau and known >= 2 + FIRST * (tau - 1)
        gains, told = self._shares(u, ones, known, tau) if self._whole else self._numbers(u, tau)
        if not enough:
            return None
        if self._whole:
            told = _tempered(of_share(value, round(before.mean * before.n), before.n), tau)
        if self._bets.step(gains, before, told, int(before.units / tau)) < self._threshold:
            return None
        varied = len({cell for each in self._parts.values() for cell in each.cells}) > 1
        alarm = self._alarm(unit.at) if varied else None
        self._begin(self.epoch + 1)
        return alarm

    def _numbers(self, u: float, tau: float) -> tuple[Sequence[float], Sequence[float]]:
        """The log f of a rank, to the power of 1 / tau, and what the rank adds to the dependence."""
        gains = of_number(u)
        spread, z = self._spread, gains[4] + 0.5
        wide = spread.tau if spread.tau > tau else tau
        self._level.add(z)
        spread.add((z * z - 1) * _ROOT_HALF)
        if wide > 1:
            gains = [each / tau for each in gains[:6]] + [each / wide for each in gains[6:]]
        return gains, gains

    def _shares(self, u: float, ones: int, known: int, tau: float) -> tuple[Sequence[float], Sequence[float]]:
        share = (ones + (1.0 if 2 * ones <= known else 0.0)) / (known + 1)
        self._level.add(((u >= 1 - share) - share) / sqrt(share * (1 - share)) if 0 < share < 1 else 0.0)
        gains = _tempered(of_share(u, ones, known), tau)
        return gains, gains

    def _count(self, unit: Unit, *, named: bool) -> None:
        # Welford 1962, and Chan, Golub and LeVeque 1979 for several values at once: exact enough for values of any
        # size, and the past need not be kept.
        n, mean = self._n, self._mean
        distance = unit.mean - mean
        self._n = after = n + unit.n
        self._mean = mean + distance * unit.n / after
        if unit.n == 1:
            self._squares += distance * (unit.mean - self._mean)
        else:
            self._squares += unit.squares + distance * distance * n * unit.n / after
        self._units += 1
        self._named += named

    def _look_early(self, place: int) -> None:
        self._first.append(place)
        if len(self._first) % EVERY == 0:
            self._early = early(self._first)
        if len(self._first) == EARLY:
            self._first.clear()

    def _begin(self, epoch: int) -> None:
        self.epoch: int = epoch
        self._seed = seed_of(self.key, epoch)
        self._parts: dict[int, Reference] = {}
        self._n = self._units = self._named = 0
        self._mean, self._squares = NEVER.mean, NEVER.squares
        self._first: list[int] = []
        self._early = 1.0
        self._bet_on(whole=self._share)

    def _tau(self) -> float:
        tau = self._level.tau
        return self._early if self._early > tau and self._units < EARLY_UNTIL else tau

    def _bet_on(self, *, whole: bool) -> None:
        self._whole, self._family = whole, SHARES if whole else NUMBERS
        self._bets, self._spread = Bets.fresh(self._family), Dependence()
        self._level = Dependence(most=_most(whole=whole))

    def _alarm(self, at: int) -> Alarm:
        direction, since = self._bets.likeliest()
        low, high = self._bets.within()
        n = self._n
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
            change_low=min(low, since.at),
            change_high=max(high, since.at),
            clusters=self._units,
            recent_clusters=self._units - since.units,
            n_effective=self.n_effective,
            basis=self._basis(),
        )

    def _basis(self) -> str:
        if not self._named:
            return "value"
        return "session" if self._named == self._units else "session, else value"

    def _mean_of(self, mean: float, n: int) -> float:
        # A share is a whole number of ones, whatever was lost in adding up.
        return round(mean * n) / n if self._share else mean


def _tempered(gains: Sequence[float], tau: float) -> Sequence[float]:
    return [each / tau for each in gains] if tau > 1 else gains


def _most(*, whole: bool) -> float:
    return 1.0 if whole else inf


def _part(at: int) -> int:
    """0 to 7: the quarter of the day, and 4 more at a weekend (UTC)."""
    hours = at // _HOUR - _MONDAY
    return hours % 24 // 6 + (4 if hours // 24 % 7 > 4 else 0)


def _ones(reference: Reference) -> int:
    """How many of the shares so far are 1, where all are 0 or 1."""
    return reference.counts[-1] if reference.n and reference.cells[-1] == _ONE else 0


def _z(distance: float, sd: float | None) -> float | None:
    if sd is None:
        return None
    if sd == 0:
        return CERTAIN if distance > 0 else -CERTAIN if distance < 0 else 0.0
    return _finite(distance / sd)


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None
