"""The detector of clusters as its text describes it, without any thought for speed: each number from all values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from math import exp, inf, log, sqrt
from statistics import NormalDist

from assent_analytics.detector import ALPHA, Grid
from assent_analytics.detector.bets import NUMBERS, SHARES, seed_of, theta
from tests.analytics.detector.plain import ODDS, cell_of, of_number, of_share, unbet


def beyond_share(one: bool, ones: int, n: int) -> list[float]:
    p = (ones + (1.0 if 2 * ones <= n else 0.0)) / (n + 1)
    found = []
    for odds in ODDS:
        moved = 20.0 if odds > 1 else 1 / 20.0
        nearest = moved * p / (1 - p + moved * p)
        found.append(log((odds if one else 1.0) / (1 - nearest + odds * nearest)))
    return found


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
    """The estimate of four turns ago."""
    turns = len(xs) // 8 - 4
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


HOUR, WEEK = 3_600_000_000, 604_800_000_000


class PlainClusterDetector:
    """M after each value, and whether it raises an alarm, for values that are clusters by themselves."""

    def __init__(self, key: str, grid: Grid, alpha: float = ALPHA) -> None:
        self._key, self._alpha, self.epoch = key, alpha, -1
        self._grid, self._share = grid, grid is Grid.SHARE
        self._begin()

    def _begin(self) -> None:
        self.epoch += 1
        self._places, self._moments = list[int](), list[datetime]()
        self._scores, self._levels, self._spreads = list[float](), list[float](), list[float]()
        self._looks, self._apart, self._middle, self._reach = 0, -1, 0, 0
        self._began, self._left, self.value = 0, 1.0, 1.0
        self._wealth = [0.0] * (6 if self._share else 8)

    @property
    def n(self) -> int:
        return len(self._places)

    @property
    def tau(self) -> float:
        now = in_force(self._levels, 1.0 if self._share else inf)
        return max(now, early_of(self._places)) if self.n < 256 else now

    def _gains(self, others: Sequence[int], place: int, tie: float) -> tuple[list[float], float]:
        n = len(others)
        less, equal = sum(each < place for each in others), list(others).count(place)
        u = min(1 - 2.0**-53, max(2.0**-60, (less + tie * (equal + 1)) / (n + 1)))
        if not self._share:
            return of_number(u), NormalDist().inv_cdf(u)
        ones = sum(each == 100 for each in others)
        p = (ones + (1.0 if 2 * ones <= n else 0.0)) / (n + 1)
        return of_share(u, ones, n), ((u >= 1 - p) - p) / sqrt(p * (1 - p)) if 0 < p < 1 else 0.0

    def _look(self, looks: int) -> None:
        """Rule 1 of `rhythm`."""
        self._looks = looks
        overall = sum(self._scores) / len(self._scores)
        between = 0.0
        for day in range(7):
            of_day = [x for x, at in zip(self._scores, self._moments, strict=True) if at.weekday() == day]
            between += len(of_day) * (sum(of_day) / len(of_day) - overall) ** 2 if of_day else 0.0
        if between < 12:
            self._apart = -1
        elif self._apart < 0:
            self._apart = self.n

    def _alike(self, now: datetime) -> list[int]:
        """Rule 2, of what came before now: where a value is compared with its like."""
        days = [at.date() for at in self._moments]
        earlier = len(set(days) | {now.date()}) - 1
        since = list(zip(self._places, self._moments, strict=True))[self._apart :]
        if sum(day != now.date() for day in days) > 6 * earlier:
            return [place for place, at in since if at.weekday() == now.weekday()]
        return [place for place, at in since if (at.weekday() > 4) == (now.weekday() > 4)]

    def _beyond(self, place: int) -> list[float]:
        """Rule 3."""
        if self._share:
            return beyond_share(place == 100, self._places.count(100), self.n)
        over, u = place - self._middle, 0.5
        if abs(over) > self._reach:
            moved = place - self._reach if over > 0 else place + self._reach
            less, equal = sum(each < moved for each in self._places), self._places.count(moved)
            u = (less + (equal + 1) / 2) / (self.n + 1)
            u = max(0.5, u) if over > 0 else min(0.5, u)
        return [*of_number(u)[:6], 0.0, 0.0]

    def step(self, value: float, at: int) -> bool:
        place = cell_of(value, self._grid)
        if place is None:
            return False
        place *= 100 if self._share else 1
        n, tau, now = self.n, self.tau, datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at)
        wide = max(tau, in_force(self._spreads))
        self._began = self._began if n else at
        age = at - self._began
        if age // WEEK > self._looks:
            self._look(age // WEEK)
        tie, known = theta(seed_of(self._key, self.epoch), n + 1), n
        gains, score = self._gains(self._places, place, tie)
        self._scores.append(score)
        if self._apart >= 0 and age >= WEEK:
            others = self._alike(now)
            known = 5 if len(others) >= 5 else -1
            gains, score = self._gains(others, place, tie)
        bet = n >= max(24, 10 * tau) and known >= 0
        self._levels.append(score)
        self._spreads.append((score * score - 1) / sqrt(2))
        if self._share:
            share = self._places.count(100) / n if n else 0.0
            if (n > 0 and self._places[-1] == 100) == (share <= 0.5):
                tau *= 2.5 - 3 * min(share, 1 - share)
            wide = tau
        if 6 * HOUR <= age < WEEK:
            gains = [min(own, beyond) for own, beyond in zip(gains, self._beyond(place), strict=True)]
        self._places.append(place)
        self._moments.append(now)
        days = [at.date() for at in self._moments]
        if age < WEEK and (self.n % 8 == 0 if len(set(days)) <= 2 else days.count(days[-1]) == 1):
            ordered = sorted(self._places)
            quarter, self._middle, three = (ordered[int(self.n * share)] for share in (0.25, 0.5, 0.75))
            self._reach = round(3 / 1.349 * (three - quarter))
        if not bet:
            return False
        left = min(self._left, unbet(int(n / tau) + 1))
        tempered = [each / (tau if j < 6 else wide) for j, each in enumerate(gains)]
        self._wealth = [
            (held + self._left - left) * exp(gain) for held, gain in zip(self._wealth, tempered, strict=True)
        ]
        self._left = left
        shares = (SHARES if self._share else NUMBERS).shares
        self.value = left + sum(one * held for one, held in zip(shares, self._wealth, strict=True))
        if self.value < 1 / self._alpha:
            return False
        varied = len(set(self._places)) > 1
        self._begin()
        return varied
