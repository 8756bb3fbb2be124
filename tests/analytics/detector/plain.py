"""The detector as its text describes it, without any thought for speed: each number anew from all values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from math import exp, inf, isfinite, log, sqrt
from statistics import NormalDist

from assent_analytics.detector import ALPHA, Grid
from assent_analytics.detector.bets import NUMBERS, SHARES, seed_of, theta
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


def part_of(at: int) -> int:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at)
    return moment.hour // 6 + (4 if moment.weekday() in (5, 6) else 0)


def short(first: float, second: float, n: int) -> float:
    weight = min(1.0, max(0.0, first * sqrt(n) - 1.5))
    if not weight:
        return 1.0
    phi = min(0.97, max(0.0, second / min(0.98, first)))
    return 1 + 2 * min(0.98, first) * weight / (1 - phi)


@cache
def tau_of(xs: tuple[float, ...], most: float) -> float:
    """Rules 1, 2 and 4 of `dependence`, from the whole sequence."""
    n = len(xs)
    square = sum(x * x for x in xs) / n
    variance = min(most, square)
    r = [
        (variance - sum((xs[t] - xs[t - k]) ** 2 for t in range(k, n)) / (2 * (n - k if k == 2 else n - 1)))
        / max(0.5, variance)
        for k in (1, 2)
    ]
    tau, blocks = short(r[0], r[1], n), 1.0
    for length in (4, 8, 16, 32, 64, 128, 256):
        halves = [
            (sum(xs[at : at + length // 2]), sum(xs[at + length // 2 : at + length]))
            for at in range(0, n - length + 1, length)
        ]
        if len(halves) < 2:
            break
        squares = [(one - other) ** 2 / length / max(1.0, square) for one, other in halves[:-1]]
        blocks = (sum(squares) + 16 * blocks) / (len(squares) + 16)
    return float(max(tau, 1 + (blocks - 1) * min(1.0, max(0.0, (blocks - 1.2) / 0.2))) ** 1.5)


def in_force(xs: Sequence[float], most: float = inf) -> float:
    """The estimate of the turn before the last."""
    turns = len(xs) // 8 - 1
    return tau_of(tuple(xs[: 8 * turns]), most) if turns > 0 else 1.0


def early_of(places: Sequence[int]) -> float:
    """Rule 3, from the first cells of an epoch."""
    n = min(32, len(places) // 8 * 8)
    first = places[:n]
    mean = sum(first) / n if n else 0.0
    variance = sum((each - mean) ** 2 for each in first) / (n - 1) if n else 0.0
    if not variance:
        return 1.0
    r = [1 - sum((first[t] - first[t - k]) ** 2 for t in range(k, n)) / (2 * (n - k)) / variance for k in (1, 2)]
    return float(short(r[0] + (1 + 3 * r[0]) / n, r[1] + (1 + 3 * r[1]) / n, n) ** 1.5)


class PlainDetector:
    """M after each value, and whether it raises an alarm, for values without sessions."""

    def __init__(self, key: str, grid: Grid, alpha: float = ALPHA) -> None:
        self._key, self._grid, self._alpha, self.epoch = key, grid, alpha, -1
        self._begin()

    def _begin(self) -> None:
        self.epoch += 1
        self._places, self._parts = list[int](), list[int]()
        self._scores, self._spreads = list[float](), list[float]()
        self._left, self.value = 1.0, 1.0
        self._wealth = [0.0] * (6 if self._grid is Grid.SHARE else 8)

    @property
    def n(self) -> int:
        return len(self._places)

    @property
    def tau(self) -> float:
        now = in_force(self._scores, 1.0 if self._grid is Grid.SHARE else inf)
        return max(now, early_of(self._places)) if self.n < 256 else now

    def step(self, value: float, at: int) -> bool:
        place = cell_of(value, self._grid)
        if place is None:
            return False
        tau, n, part, share = self.tau, self.n, part_of(at), self._grid is Grid.SHARE
        wide = max(tau, in_force(self._spreads))
        place *= 100 if share else 1
        self._places.append(place)
        self._parts.append(part)
        alike = [each for each, of in zip(self._places, self._parts, strict=True) if of == part]
        known = len(alike) - 1
        less, equal = sum(each < place for each in alike), alike.count(place)
        u = (less + theta(seed_of(self._key, self.epoch), (part << 40) + known + 1) * equal) / (known + 1)
        u = min(1 - 2.0**-53, max(2.0**-60, u))
        if share:
            ones = sum(each == 100 for each in alike[:-1])
            p = (ones + (1.0 if 2 * ones <= known else 0.0)) / (known + 1)
            self._scores.append(((u >= 1 - p) - p) / sqrt(p * (1 - p)) if 0 < p < 1 else 0.0)
            gains = [each / tau for each in of_share(u, ones, known)]
        else:
            z = NormalDist().inv_cdf(u)
            self._scores.append(z)
            self._spreads.append((z * z - 1) / sqrt(2))
            gains = [each / (tau if j < 6 else wide) for j, each in enumerate(of_number(u))]
        if n < 10 * tau or known < 2 + 10 * (tau - 1):
            return False
        left = min(self._left, unbet(int(n / tau) + 1))
        shares = (SHARES if share else NUMBERS).shares
        self._wealth = [(held + self._left - left) * exp(gain) for held, gain in zip(self._wealth, gains, strict=True)]
        self._left = left
        self.value = left + sum(one * held for one, held in zip(shares, self._wealth, strict=True))
        if self.value < 1 / self._alpha:
            return False
        varied = len(set(self._places)) > 1
        self._begin()
        return varied
