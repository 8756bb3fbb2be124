"""How often the drift detector alarms where nothing changes, on data as it comes; and how soon it finds what does.

python -m tests.benchmarks.false_alarms [--streams 2000] [--before CHECKOUT]

1. Stable streams of 1,000 values, one an hour (four an hour where the name says so), of each of `STABLE`: how many have
   an alarm, with the upper end of Clopper and Pearson's interval (95%, one-sided). Nominal is 1%; above 1.5% the row
   says so. `OUTSIDE` are streams that the promise does not cover.
2. Streams that change for good by so many standard deviations after 200 or 500 values: how many have their first alarm
   within 500 values of the change, the median delay of those in values, and how many of their intervals of the change
   hold it. A session that the change divides belongs to neither side: there, the change is where the next one begins.

CHECKOUT is another checkout of this repository, whose detector gets the same streams, without sessions where it knows
none.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from assent_analytics.detector import Detector, Grid

ROOT = Path(__file__).resolve().parents[2]
Values = NDArray[np.float64]
LENGTH, THEN = 1000, 500
NOMINAL, LARGEST = 0.01, 0.015
ICC = 0.3
HOUR = 3_600_000_000
BEGAN = 1_767_571_200_000_000
"""A Monday at midnight, in microseconds."""
SIZES = (0.5, 1.0)
AFTER = (200, 500)


@dataclass(frozen=True)
class Stream:
    """`draw` makes the values of a standard deviation of about 1, from a generator, how many, and how many an hour;
    `session` is how many values in a row belong to one session, 0 where there are none."""

    draw: Callable[[np.random.Generator, int, int], Values]
    session: int = 0
    an_hour: int = 1
    grid: Grid = Grid.NUMBER


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
    days = np.arange(n) // (24 * an_hour)
    return np.asarray(random.standard_normal(n) + (days % 7 >= 5), dtype=np.float64)


def sessions(size: int) -> Callable[[np.random.Generator, int, int], Values]:
    """Sessions of so many values each, whose means have the intraclass correlation `ICC`."""

    def draw(random: np.random.Generator, n: int, _: int) -> Values:
        shared = np.repeat(random.standard_normal(-(-n // size)), size)[:n]
        return np.asarray(ICC**0.5 * shared + (1 - ICC) ** 0.5 * random.standard_normal(n))

    return draw


def _heavy(random: np.random.Generator, n: int, _: int) -> Values:
    return np.asarray(random.standard_t(2, n))


def _outliers(random: np.random.Generator, n: int, _: int) -> Values:
    return np.asarray(np.where(random.random(n) < 0.02, 20.0, 1.0) * random.standard_normal(n), dtype=np.float64)


def _rare(random: np.random.Generator, n: int, _: int) -> Values:
    return (random.random(n) < 0.01).astype(np.float64)


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
    "independent": Stream(_normal),
    "AR(1) 0.2": Stream(autoregressive(0.2)),
    "AR(1) 0.5": Stream(autoregressive(0.5)),
    "AR(1) 0.8": Stream(autoregressive(0.8)),
    "daily sine of 1 sd": Stream(sine),
    "the same, 4 an hour": Stream(sine, an_hour=4),
    "weekends 1 sd higher": Stream(weekend),
    "the same, 4 an hour ": Stream(weekend, an_hour=4),
    "sessions of 5": Stream(sessions(5), 5),
    "sessions of 10": Stream(sessions(10), 10),
    "sessions of 50": Stream(sessions(50), 50),
    "heavy tails, t(2)": Stream(_heavy),
    "2% outliers of 20 sd": Stream(_outliers),
    "0 or 1, p = 0.01": Stream(_rare, grid=Grid.SHARE),
}
OUTSIDE = {
    "sessions of 10, unnamed": Stream(sessions(10)),
    "AR(1) 0.9 under noise": Stream(_noisy),
    "GARCH(0.2, 0.7)": Stream(_volatile),
}
CHANGING = ("independent", "AR(1) 0.2", "AR(1) 0.5", "AR(1) 0.8", "sessions of 5", "sessions of 10", "sessions of 50")
ONE = "session" in inspect.signature(Detector.step).parameters


def alarms(stream: Stream, values: Values, key: str) -> list[Any]:
    detector, found = Detector(key, stream.grid), []
    scaled = values if stream.grid is Grid.SHARE else 1000 + 100 * values
    for place, value in enumerate(scaled.tolist()):
        at = BEGAN + place * HOUR // stream.an_hour
        session = str(place // stream.session) if stream.session else None
        alarm = detector.step(value, at, session) if ONE else detector.step(value, at)
        if alarm is not None:
            found.append((place, alarm))
    return found


def false_alarms(name: str, streams: int, *, length: int = LENGTH) -> int:
    """How many of so many stable streams have an alarm."""
    stream = (STABLE | OUTSIDE)[name]
    length *= stream.an_hour
    return sum(
        bool(alarms(stream, stream.draw(np.random.default_rng([seed, 11]), length, stream.an_hour), f"{name} {seed}"))
        for seed in range(streams)
    )


def found(name: str, size: float, after: int, streams: int) -> dict[str, float]:
    """Of streams that change: the share whose first alarm is within THEN values of it, the median delay, the share with
    an alarm before, and the share of intervals that hold the change."""
    stream, delays, early, held = STABLE[name], list[int](), 0, list[bool]()
    for seed in range(streams):
        values = stream.draw(np.random.default_rng([seed, 12]), after + THEN, stream.an_hour)
        values[after:] += size
        first = next(iter(alarms(stream, values, f"{name} {seed}")), None)
        if first is None:
            continue
        place, alarm = first
        if place < after:
            early += 1
            continue
        delays.append(place - after + 1)
        if ONE:
            held.append(alarm.change_low <= BEGAN + after * HOUR <= alarm.change_high)
    return {
        "found": len(delays) / streams,
        "delay": median(delays) if delays else float("nan"),
        "early": early / streams,
        "held": sum(held) / len(held) if held else float("nan"),
    }


def upper(k: int, n: int) -> float:
    """The one-sided 95% bound."""
    return float(stats.binomtest(k, n, alternative="less").proportion_ci(method="exact").high)


def changing() -> list[tuple[str, float, int]]:
    return [(name, size, after) for name in CHANGING for size in SIZES for after in AFTER]


def elsewhere(checkout: Path, streams: int) -> dict[str, Any]:
    """What the detector of another checkout says of the same streams, by name of the row."""
    path = os.pathsep.join(str(checkout.resolve() / package) for package in ("sdk", "analytics"))
    command = [sys.executable, "-m", "tests.benchmarks.false_alarms", "--streams", str(streams), "--json"]
    environment = {**os.environ, "PYTHONPATH": path}
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment).stdout
    return cast("dict[str, Any]", json.loads(printed))


def measured(streams: int) -> dict[str, Any]:
    wrong = {name: false_alarms(name, streams) for name in (*STABLE, *OUTSIDE)}
    return wrong | {str(row): found(*row, streams // 4) for row in changing()}


def report(before: dict[str, Any] | None, streams: int) -> None:
    """Each row as it is known."""
    print(f"{streams} stable streams of each kind with an alarm; nominal {NOMINAL:.0%}, upper bound of 95%:")
    for name in (*STABLE, *OUTSIDE):
        k = false_alarms(name, streams)
        was = "" if before is None else f"   before {before[name] / streams:6.1%}"
        above = "   above 1.5%" if k > LARGEST * streams else ""
        outside = "   (not promised)" if name in OUTSIDE else ""
        print(
            f"  {name:24} {k:5} {k / streams:7.2%}, at most {upper(k, streams):6.2%}{was}{above}{outside}", flush=True
        )
    print(f"{streams // 4} streams that change: found within {THEN} values, median delay, change within its interval:")
    for row in changing():
        each = found(*row, streams // 4)
        name = f"{row[0]}, {row[1]} sd after {row[2]}"
        line = f"  {name:34} {each['found']:6.1%} {each['delay']:5.0f} {each['held']:6.1%}"
        if before is not None:
            old = before[str(row)]
            line += f"   before {old['found']:6.1%} {old['delay']:5.0f} (alarms before the change {old['early']:.0%})"
        print(line, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.false_alarms")
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT")
    parser.add_argument("--json", action="store_true", help="print what was measured for another process")
    parsed = parser.parse_args(arguments)
    if parsed.json:
        print(json.dumps(measured(parsed.streams)))
        return
    report(None if parsed.before is None else elsewhere(parsed.before, parsed.streams), parsed.streams)


if __name__ == "__main__":
    main()
