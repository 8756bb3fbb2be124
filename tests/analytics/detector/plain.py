"""The detector as its text describes it, without any thought for speed: the quick one equals it to the last bit."""

from __future__ import annotations

from math import exp, isfinite, log
from statistics import NormalDist

from assent_analytics.detector import ALPHA, Alarm, Detector, Grid, State
from assent_analytics.detector.bets import NUMBERS, SHARES, Beginning, seed_of, theta
from assent_analytics.detector.detector import LARGEST, WIDTH, ZERO

SHIFTS = (0.25, -0.25, 0.5, -0.5, 1.0, -1.0)
DENSITIES = (
    *((mean, 0.0, -mean * mean / 2) for mean in SHIFTS),
    *((0.0, (1 - 1 / (sd * sd)) / 2, -log(sd)) for sd in (2.0, 0.5)),
)
ODDS = tuple(exp(sign * size) for size in (0.5, 1.0, 2.0) for sign in (1, -1))


def cell_of(value: float, grid: Grid) -> int | None:
    if not isfinite(value):
        return None
    if grid is Grid.LOGARITHM:
        if value <= 0:
            return ZERO if value == 0 else None
        return round(log(value) / WIDTH)
    if grid is Grid.SHARE:
        return int(value) if value in (0, 1) else None
    return round(max(-LARGEST, min(LARGEST, value)))


def of_number(u: float) -> list[float]:
    z = NormalDist().inv_cdf(u)
    return [slope * z + bend * (z * z) + rest for slope, bend, rest in DENSITIES]


def of_share(u: float, ones: int, n: int) -> list[float]:
    p = (ones + (1.0 if 2 * ones <= n else 0.0)) / (n + 1)
    return [log((odds if u >= 1 - p else 1.0) / (1 - p + p * odds)) for odds in ODDS]


def unbet(t: int) -> float:
    return float((200.0 / (200.0 + max(0, t - 10))) ** 0.5)


class PlainDetector:
    """When there is an alarm is worked out here; what it says is asked of a `Detector` in the state before it."""

    def __init__(self, key: str, grid: Grid, alpha: float = ALPHA) -> None:
        self._key, self._grid, self._alpha = key, grid, alpha
        self._family = SHARES if grid is Grid.SHARE else NUMBERS
        self._begin(0)

    def _begin(self, epoch: int) -> None:
        many = len(self._family.shares)
        self._epoch, self._counts, self._n = epoch, dict[int, int](), 0
        self._mean = self._squares = 0.0
        self._wealth, self._sums = [0.0] * many, [0.0] * many
        self._since, self._value = [Beginning(0, 0.0, 0.0, 0)] * many, 1.0

    def step(self, value: float, at: int) -> Alarm | None:
        place = cell_of(value, self._grid)
        if place is None:
            return None
        state, n = self.state(), self._n
        before = Beginning(n, self._mean, self._squares, at)
        self._n += 1
        self._counts[place] = self._counts.get(place, 0) + 1
        less = sum(count for cell, count in self._counts.items() if cell < place)
        u = (less + theta(seed_of(self._key, self._epoch), self._n) * self._counts[place]) / self._n
        u = min(1 - 2.0**-53, max(2.0**-60, u))
        distance = value - self._mean
        self._mean += distance / self._n
        self._squares += distance * (value - self._mean)
        if n < 10:
            return None
        if self._family is SHARES:
            ones = round(before.mean * n)
            gains, told = of_share(u, ones, n), of_share(float(value), ones, n)
        else:
            gains = told = of_number(u)
        self._bet(gains, told, before)
        if self._value < 1 / self._alpha:
            return None
        varied = len(self._counts) > 1
        self._begin(self._epoch + 1)
        alarm = Detector.of(self._key, self._grid, state, self._alpha).step(value, at)
        assert (alarm is not None) == varied
        return alarm

    def _bet(self, gains: list[float], told: list[float], before: Beginning) -> None:
        left = unbet(before.n + 1)
        self._value = left
        for j, share in enumerate(self._family.shares):
            self._wealth[j] = (self._wealth[j] + (unbet(before.n) - left)) * exp(gains[j])
            self._value += share * self._wealth[j]
            if self._sums[j] == 0:
                self._since[j] = before
            self._sums[j] = max(0.0, self._sums[j] + told[j])

    def state(self) -> State:
        ordered = sorted(self._counts.items())
        return State(
            epoch=self._epoch,
            cells=b"".join(cell.to_bytes(4, "little", signed=True) for cell, _ in ordered),
            counts=b"".join(count.to_bytes(8, "little") for _, count in ordered),
            mean=self._mean,
            squares=self._squares,
            wealth=list(self._wealth),
            sums=list(self._sums),
            since=list(self._since),
            value=self._value,
        )
