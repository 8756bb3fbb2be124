"""How often both drift detectors alarm where nothing changes, on data as it comes; and how soon they find what does.

python -m tests.benchmarks.false_alarms [--streams 500] [--only NAME ...]

1. Stable streams of 1,000 values, one an hour (more where the name says so), of each of `STABLE`: how many have a hint
   (`Detector`) and how many an established alarm (`ClusterDetector`), with the upper end of Clopper and Pearson's
   interval (95%, one-sided). Nominal is 1%: of hints where values are independent of each other, of established ones
   everywhere but in `OUTSIDE`.
2. Streams that change for good by so many standard deviations after 200 or 500 values: how many have their first alarm
   of a kind within 500 values of the change, the median delay of those in values, how many have one before it, and how
   many of the intervals hold the change. A session that the change divides belongs to neither side: there, the change
   is where the next one begins.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import median

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from assent_analytics.detector import Alarm, ClusterDetector, Detector, EstablishedAlarm, Grid

Values = NDArray[np.float64]
LENGTH, THEN = 1000, 500
NOMINAL = 0.01
ICC = 0.3
HOUR = 3_600_000_000
BEGAN = 1_767_571_200_000_000
"""A Monday at midnight, in microseconds."""
SIZES = (0.5, 1.0)
AFTER = (200, 500)


@dataclass(frozen=True)
class Stream:
    """`draw` makes the values of a standard deviation of about 1, from a generator, how many, and how many an hour;
    hints are promised for those that are `independent`. `session` is how many values in a row belong to one session, 0
    where nobody says so."""

    draw: Callable[[np.random.Generator, int, int], Values]
    independent: bool = False
    an_hour: int = 1
    grid: Grid = Grid.NUMBER
    session: int = 0


def _normal(random: np.random.Generator, n: int, _: int) -> Values:
    return np.asarray(random.standard_normal(n))


def autoregressive(rho: float) -> Callable[[np.random.Generator, int, int], Values]:
    def draw(random: np.random.Generator, n: int, _: int) -> Values:
        values = random.standard_normal(n)
        scale = (1 - rho * rho) ** 0.5
        for place in range(1, n):
            values[place] = rho * values[place - 1] + scale * values[place]
        return np.asarray(values)

    return draw


def sine(random: np.random.Generator, n: int, an_hour: int) -> Values:
    """A rhythm of a day with a standard deviation of 1, of any phase, and noise of 1."""
    turn = 2 * np.pi * (np.arange(n) / (24 * an_hour) + random.random())
    return np.asarray(random.standard_normal(n) + np.sqrt(2) * np.sin(turn), dtype=np.float64)


def weekend(random: np.random.Generator, n: int, an_hour: int) -> Values:
    """Saturdays and Sundays are 1 standard deviation higher; the stream begins on any day."""
    return np.asarray(random.standard_normal(n) + (_days(random, n, an_hour) % 7 >= 5), dtype=np.float64)


def weekdays(random: np.random.Generator, n: int, an_hour: int) -> Values:
    """Each day of the week has a level of its own, of a standard deviation of 1."""
    levels = random.standard_normal(7)
    return np.asarray(random.standard_normal(n) + levels[_days(random, n, an_hour) % 7], dtype=np.float64)


def wave(random: np.random.Generator, n: int, an_hour: int) -> Values:
    """A sine over the week with a standard deviation of 1, of any phase."""
    turn = 2 * np.pi * (np.arange(n) / (168 * an_hour) + random.random())
    return np.asarray(random.standard_normal(n) + np.sqrt(2) * np.sin(turn), dtype=np.float64)


def _days(random: np.random.Generator, n: int, an_hour: int) -> NDArray[np.int64]:
    """The day of each value; the first is any day of the week."""
    return np.arange(n) // (24 * an_hour) + random.integers(7)


def sessions(size: int) -> Callable[[np.random.Generator, int, int], Values]:
    """Sessions of so many values each, whose means have the intraclass correlation `ICC`."""

    def draw(random: np.random.Generator, n: int, _: int) -> Values:
        shared = np.repeat(random.standard_normal(-(-n // size)), size)[:n]
        return np.asarray(ICC**0.5 * shared + (1 - ICC) ** 0.5 * random.standard_normal(n))

    return draw


def _outliers(random: np.random.Generator, n: int, _: int) -> Values:
    return np.asarray(np.where(random.random(n) < 0.02, 20.0, 1.0) * random.standard_normal(n), dtype=np.float64)


def heavy(df: int) -> Callable[[np.random.Generator, int, int], Values]:
    return lambda random, n, _: np.asarray(random.standard_t(df, n))


def _costs(random: np.random.Generator, n: int, _: int) -> Values:
    return np.asarray(np.exp(random.standard_normal(n)))


def shares(p: float) -> Callable[[np.random.Generator, int, int], Values]:
    return lambda random, n, _: (random.random(n) < p).astype(np.float64)


def chain(p: float, rho: float) -> Callable[[np.random.Generator, int, int], Values]:
    """A Markov chain of 0 and 1 with a share p of ones and a correlation rho of neighbours."""

    def draw(random: np.random.Generator, n: int, _: int) -> Values:
        values, drawn = np.empty(n), random.random(n)
        last = p
        for place in range(n):
            last = values[place] = drawn[place] < ((1 - rho) * p + rho * last)
        return values

    return draw


def above(p: float, draw: Callable[[np.random.Generator, int, int], Values]) -> Callable[..., Values]:
    """Whether values of a standard normal distribution are among the largest, of a share p."""
    level = stats.norm.ppf(1 - p)
    return lambda random, n, an_hour: (draw(random, n, an_hour) > level).astype(np.float64)


def _noisy(random: np.random.Generator, n: int, an_hour: int) -> Values:
    slow = autoregressive(0.9)(random, n, an_hour)
    return np.asarray(0.4**0.5 * slow + 0.6**0.5 * random.standard_normal(n))


def _volatile(random: np.random.Generator, n: int, _: int) -> Values:
    values, variance = random.standard_normal(n), 1.0
    for place in range(n):
        values[place] *= variance**0.5
        variance = 0.1 + 0.2 * values[place] ** 2 + 0.7 * variance
    return np.asarray(values)


STABLE = {
    "independent": Stream(_normal, independent=True),
    "heavy tails, t(2)": Stream(heavy(2), independent=True),
    "heavy tails, t(3)": Stream(heavy(3), independent=True),
    "lognormal": Stream(_costs, independent=True),
    "2% outliers of 20 sd": Stream(_outliers, independent=True),
    "0 or 1, p = 0.01": Stream(shares(0.01), independent=True, grid=Grid.SHARE),
    "0 or 1, p = 0.1": Stream(shares(0.1), independent=True, grid=Grid.SHARE),
    "0 or 1, p = 0.5": Stream(shares(0.5), independent=True, grid=Grid.SHARE),
    "AR(1) 0.2": Stream(autoregressive(0.2)),
    "AR(1) 0.5": Stream(autoregressive(0.5)),
    "AR(1) 0.8": Stream(autoregressive(0.8)),
    "daily sine of 1 sd": Stream(sine),
    "the same, 4 an hour": Stream(sine, an_hour=4),
    "the same, 12 an hour": Stream(sine, an_hour=12),
    "weekends 1 sd higher": Stream(weekend),
    "the same, 4 an hour ": Stream(weekend, an_hour=4),
    "days of the week differ": Stream(weekdays),
    "the same, 4 an hour  ": Stream(weekdays, an_hour=4),
    "a sine over the week": Stream(wave),
    "sessions of 5": Stream(sessions(5), session=5),
    "sessions of 10": Stream(sessions(10), session=10),
    "sessions of 50": Stream(sessions(50), session=50),
    "chain, p 0.01, rho 0.5": Stream(chain(0.01, 0.5), grid=Grid.SHARE),
    "chain, p 0.1, rho 0.5": Stream(chain(0.1, 0.5), grid=Grid.SHARE),
    "chain, p 0.5, rho 0.5": Stream(chain(0.5, 0.5), grid=Grid.SHARE),
    "chain, p 0.5, rho 0.8": Stream(chain(0.5, 0.8), grid=Grid.SHARE),
    "AR(1) 0.8 above 10%": Stream(above(0.1, autoregressive(0.8)), grid=Grid.SHARE),
    "shares, sessions of 10": Stream(above(0.1, sessions(10)), grid=Grid.SHARE, session=10),
}
OUTSIDE = {
    "sessions of 10, unnamed": Stream(sessions(10)),
    "AR(1) 0.9 under noise": Stream(_noisy),
    "GARCH(0.2, 0.7)": Stream(_volatile),
}
CHANGING = (
    "independent",
    "0 or 1, p = 0.1",
    "AR(1) 0.2",
    "AR(1) 0.5",
    "AR(1) 0.8",
    "sessions of 5",
    "sessions of 10",
    "sessions of 50",
)


def hints(stream: Stream, values: Values, key: str) -> list[tuple[int, Alarm]]:
    """Those of a stream's values, and at which of them."""
    detector, found = Detector(key, stream.grid), []
    for place, (value, at, _) in enumerate(_as_they_come(stream, values)):
        if alarm := detector.step(value, at):
            found.append((place, alarm))
    return found


def established(stream: Stream, values: Values, key: str) -> list[tuple[int, EstablishedAlarm]]:
    """The same of established alarms."""
    detector, found = ClusterDetector(key, stream.grid), []
    for place, each in enumerate(_as_they_come(stream, values)):
        if alarm := detector.step(*each):
            found.append((place, alarm))
    return found


def _as_they_come(stream: Stream, values: Values) -> list[tuple[float, int, str | None]]:
    scaled = values if stream.grid is Grid.SHARE else 1000 + 100 * values
    return [
        (value, BEGAN + place * HOUR // stream.an_hour, str(place // stream.session) if stream.session else None)
        for place, value in enumerate(scaled.tolist())
    ]


Alarms = Callable[[Stream, Values, str], Sequence[tuple[int, Alarm]]]


def false_alarms(alarms: Alarms, name: str, streams: int, *, length: int = LENGTH) -> int:
    """How many of so many stable streams have an alarm."""
    stream = (STABLE | OUTSIDE)[name]
    length *= stream.an_hour
    return sum(
        bool(alarms(stream, stream.draw(np.random.default_rng([seed, 11]), length, stream.an_hour), f"{name} {seed}"))
        for seed in range(streams)
    )


def found(alarms: Alarms, name: str, size: float, after: int, streams: int) -> tuple[float, float, float, float]:
    """Of streams that change: the share whose first alarm is within THEN values of it, the median delay, the share with
    an alarm before, and of those that say an interval the share that holds the change."""
    stream, delays, early, held = STABLE[name], list[int](), 0, list[bool]()
    for seed in range(streams):
        random = np.random.default_rng([seed, 12])
        values = stream.draw(random, after + THEN, stream.an_hour)
        if stream.grid is Grid.SHARE:
            p = values[:after].mean()
            values[after:] = np.maximum(values[after:], random.random(THEN) < size * (p / (1 - p)) ** 0.5)
        else:
            values[after:] += size
        first = next(iter(alarms(stream, values, f"{name} {seed}")), None)
        if first is None or first[0] < after:
            early += first is not None
            continue
        delays.append(first[0] - after + 1)
        if isinstance(first[1], EstablishedAlarm):
            held.append(first[1].change_low <= BEGAN + after * HOUR <= first[1].change_high)
    shares = (len(delays) / streams, median(delays) if delays else float("nan"), early / streams)
    return *shares, sum(held) / len(held) if held else float("nan")


def upper(k: int, n: int) -> float:
    """The one-sided 95% bound."""
    return float(stats.binomtest(k, n, alternative="less").proportion_ci(method="exact").high)


def report(streams: int, names: Sequence[str]) -> None:
    """Each row as it is known."""
    print(f"{streams} stable streams of each kind with an alarm; nominal {NOMINAL:.0%}, upper bound of 95%:")
    for name in names:
        told = []
        for alarms, promised in ((hints, (STABLE | OUTSIDE)[name].independent), (established, name in STABLE)):
            k = false_alarms(alarms, name, streams)
            told.append(f"{k:5} {k / streams:7.2%} ({upper(k, streams):6.2%}){' ' if promised else '*'}")
        print(f"  {name:24} {told[0]}   established {told[1]}", flush=True)
    print("  * not promised")
    many = max(1, streams // 4)
    print(f"{many} streams that change: found within {THEN} values, median delay, alarms before; established, held:")
    for name, size, after in product(CHANGING, SIZES, AFTER):
        if name in names:
            hint, sure = (found(alarms, name, size, after, many) for alarms in (hints, established))
            print(
                f"  {f'{name}, {size} sd after {after}':34} {hint[0]:6.1%} {hint[1]:5.0f} {hint[2]:6.1%}   "
                f"{sure[0]:6.1%} {sure[1]:5.0f} {sure[2]:6.1%} {sure[3]:6.1%}",
                flush=True,
            )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.false_alarms")
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--only", nargs="+", choices=(*STABLE, *OUTSIDE), default=[*STABLE, *OUTSIDE], metavar="NAME")
    parsed = parser.parse_args(arguments)
    report(parsed.streams, parsed.only)


if __name__ == "__main__":
    main()
