"""How honest and how quick the drift detector is, beside river's ADWIN and Page-Hinkley on the same streams.

python -m tests.benchmarks.detector [--streams 1000]

1. Stable streams of four kinds: how many have a false alarm; the bound is 1%.
2. Streams with a change of 0.3, 0.5 and 1 standard deviations (of the logarithm, for costs; up for all kinds) after 200
   and 500 stable values: how many are found within 500 values, and the median delay of those.
3. ADWIN and Page-Hinkley, each tuned by bisection on other stable streams of the same kind and length so that 1% of
   them have an alarm. They get what the detector does not: the kind's distribution (costs as logarithms, and
   Page-Hinkley the standard deviation), and a length after which nobody looks any more.
4. Microseconds for a value, and bytes of a stream.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray
from river import drift
from scipy import stats

from assent_analytics.detector import Detector, Grid

Values = NDArray[np.float64]
SIZES = (0.3, 0.5, 1.0)
AFTER = (200, 500)
THEN = 500
LENGTH = 1000
NOMINAL = 0.01
TUNING = 1_000_000
"""Seeds from here on are those of tuning."""


@dataclass(frozen=True)
class Kind:
    """`draw` makes n values shifted by so many standard deviations; `plain` is how a tuned method sees a value."""

    grid: Grid
    draw: Callable[[np.random.Generator, int, float], Values]
    plain: Callable[[Values], Values] = lambda values: values
    sd: float = 1.0


def _scores(random: np.random.Generator, n: int, size: float) -> Values:
    """Multiples of 5 from 0 to 100, as episodes have: many ties."""
    return np.clip(np.round((75 + 10 * (random.standard_normal(n) + size)) / 5) * 5, 0, 100)


RATE = 0.1
KINDS = {
    "normal": Kind(Grid.NUMBER, lambda random, n, size: 50 + 10 * (random.standard_normal(n) + size), sd=10),
    "scores": Kind(Grid.NUMBER, _scores, sd=10),
    "costs": Kind(Grid.LOGARITHM, lambda random, n, size: np.exp(1.5 * (random.standard_t(4, n) + size)), np.log, 2.1),
    "blocks": Kind(
        Grid.SHARE,
        lambda random, n, size: (random.random(n) < RATE + size * (RATE * (1 - RATE)) ** 0.5).astype(np.float64),
        sd=0.3,
    ),
}


def stable(kind: str, seed: int, n: int) -> Values:
    return KINDS[kind].draw(np.random.default_rng([seed, 1]), n, 0.0)


def planted(kind: str, seed: int, size: float, *, stable_for: int, then: int) -> Values:
    random = np.random.default_rng([seed, 2])
    draw = KINDS[kind].draw
    return np.concatenate([draw(random, stable_for, 0.0), draw(random, then, size)])


def alarms(kind: str, values: Values) -> int:
    return sum(1 for _ in _ours(kind, values))


def _ours(kind: str, values: Values) -> Iterator[int]:
    detector = Detector(kind, KINDS[kind].grid)
    for at, value in enumerate(values.tolist()):
        if detector.step(value, at) is not None:
            yield at


class Method(Protocol):
    """A detector of river."""

    @property
    def drift_detected(self) -> bool: ...

    def update(self, x: float) -> object: ...


Make = Callable[[float], Method]
"""A fresh detector, given what is tuned: the larger, the fewer alarms."""


def _theirs(make: Make, level: float, kind: str, values: Values) -> Iterator[int]:
    method, of = make(level), KINDS[kind]
    for at, value in enumerate((of.plain(values) / of.sd).tolist()):
        method.update(value)
        if method.drift_detected:
            yield at


def _adwin(level: float) -> Method:
    return drift.ADWIN(delta=float(np.exp(-level)), clock=1)  # type: ignore[no-untyped-call]


def _page_hinkley(level: float) -> Method:
    return drift.PageHinkley(threshold=level, delta=0.25, min_instances=30)


PEERS: dict[str, tuple[Make, float, float]] = {
    "ADWIN": (_adwin, 0.0, 30.0),
    "Page-Hinkley": (_page_hinkley, 1.0, 100.0),
}
"""Each with the levels between which it is tuned."""
Look = Callable[[Values], Iterator[int]]
"""Where a method alarms in a stream."""


def tune(make: Make, low: float, high: float, kind: str, streams: int, length: int) -> float:
    """The lowest level at which no more than 1% of stable streams have an alarm."""
    many = [stable(kind, TUNING + seed, length) for seed in range(streams)]
    for _ in range(10):
        level = (low + high) / 2
        wrong = sum(next(_theirs(make, level, kind, values), None) is not None for values in many)
        low, high = (low, level) if wrong <= NOMINAL * streams else (level, high)
    return high


def clopper(k: int, n: int) -> tuple[float, float]:
    found = stats.binomtest(k, n).proportion_ci(method="exact")
    return float(found.low), float(found.high)


def found_in(streams: Sequence[Values], after: int, look: Look) -> tuple[float, float]:
    """The share of streams with an alarm after the change, and the median delay of those."""
    first = [next((at for at in look(values) if at >= after), None) for values in streams]
    delays = [at - after + 1 for at in first if at is not None]
    return len(delays) / len(streams), median(delays) if delays else float("nan")


def honest(streams: int) -> None:
    print(f"False alarms over {streams} stable streams of {LENGTH} values each (bound {NOMINAL:.0%}):")
    for kind in KINDS:
        wrong = sum(alarms(kind, stable(kind, seed, LENGTH)) > 0 for seed in range(streams))
        low, high = clopper(wrong, streams)
        print(f"  {kind:8} {wrong:4}  {wrong / streams:.2%} (95% {low:.2%} to {high:.2%})", flush=True)


def quick(streams: int) -> None:
    print(f"Found within {THEN} values of the change, of {streams} streams, and the median delay:")
    for kind in KINDS:
        for after in AFTER:
            looks: dict[str, Look] = {"detector": partial(_ours, kind)}
            for name, (make, low, high) in PEERS.items():
                looks[name] = partial(_theirs, make, tune(make, low, high, kind, streams, after + THEN), kind)
            _compare(kind, after, streams, looks)


def _compare(kind: str, after: int, streams: int, looks: dict[str, Look]) -> None:
    quiet = [stable(kind, seed, after + THEN) for seed in range(streams)]
    wrong = {name: sum(next(look(values), None) is not None for values in quiet) for name, look in looks.items()}
    told = ", ".join(f"{name} {count / streams:.1%}" for name, count in wrong.items())
    print(f"  {kind}, after {after} values (alarms on the stable streams: {told})")
    for size in SIZES:
        many = [planted(kind, seed, size, stable_for=after, then=THEN) for seed in range(streams)]
        found = {name: found_in(many, after, look) for name, look in looks.items()}
        told = "   ".join(f"{name} {share:6.1%} {delay:4.0f}" for name, (share, delay) in found.items())
        print(f"    {size} sd: {told}", flush=True)


def fast() -> None:
    print("Speed and size after 20,000 values:")
    for kind in KINDS:
        values = stable(kind, 7, 20_000).tolist()
        detector = Detector(kind, KINDS[kind].grid)
        began = time.process_time()
        for at, value in enumerate(values):
            detector.step(value, at)
        seconds = time.process_time() - began
        size = len(msgspec.msgpack.encode(detector.state()))
        print(f"  {kind:8} {seconds / len(values) * 1e6:.1f} us a value; saved state {size} bytes", flush=True)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.detector", description=sys.modules[__name__].__doc__)
    parser.add_argument("--streams", type=int, default=1000)
    streams = parser.parse_args(arguments).streams
    honest(streams)
    quick(streams)
    fast()


if __name__ == "__main__":
    main()
