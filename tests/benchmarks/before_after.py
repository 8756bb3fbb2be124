"""How often `before_after` finds a change where there is none, by kind of stream, and how often one that is planted.

`python -m tests.benchmarks.before_after --worlds 2000` takes half an hour of processor time. Of each rate it prints the
upper Clopper-Pearson bound of 95 %. Each world is seeded by its number.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assent_analytics.before_after import Effect, before_after
from assent_analytics.beta import beta_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

BEGIN = datetime(2026, 3, 2, tzinfo=UTC)
DAY = 86_400
STREAMS = (
    *("iid", "ar .2", "ar .5", "ar .8", "daily sine", "weekend", "sessions of 5", "sessions of 10", "sessions of 50"),
    *("Student's t of 3", "lognormal", "2 % outliers", "binary, p .01", "bad days"),
)
COMMON = ("no shocks", "days in common", "random walk in common", "step in common")
ICC = 0.3
EFFECTS = (0.1, 0.2, 0.3, 0.5)


class Shape(NamedTuple):
    """`rows` over `days`, with the change after `change` of them."""

    rows: int
    days: float
    change: float


SHAPES = (Shape(2000, 56, 28), Shape(400, 20, 11.3), Shape(100, 30, 20))


def stream(name: str, shape: Shape, seed: int, effect: float = 0.0) -> pl.DataFrame:
    """Rows of standard deviation about 1; from the change on they are `effect` standard deviations higher. Of binary
    rows the chance is `effect` / 10 higher."""
    draw = np.random.default_rng([seed, shape.rows, STREAMS.index(name)])
    n = shape.rows
    seconds = np.sort(draw.uniform(0, shape.days * DAY, n))
    noise = draw.normal(size=n)
    value, session = noise, None
    if name.startswith("ar "):
        value = autoregressive(noise, float(name[3:]))
    elif name == "daily sine":
        value = noise + np.sqrt(2) * np.sin(2 * np.pi * seconds / DAY)
    elif name == "weekend":
        value = noise + 2.0 * ((seconds // DAY) % 7 >= 5)
    elif name.startswith("sessions"):
        size = int(name.split()[-1])
        begins = np.sort(draw.uniform(0, shape.days * DAY, n // size))
        session = np.repeat(np.arange(n // size), size)
        seconds = np.repeat(begins, size) + np.tile(np.arange(size) * 60.0, n // size)
        shared = np.repeat(draw.normal(size=n // size), size)
        value = np.sqrt(ICC) * shared + np.sqrt(1 - ICC) * noise[: len(seconds)]
    elif name == "Student's t of 3":
        value = draw.standard_t(3, n)
    elif name == "lognormal":
        value = np.exp(1.5 * noise)
    elif name == "2 % outliers":
        value = np.where(draw.random(n) < 0.02, 20 * noise, noise)
    elif name == "bad days":
        value = noise + 0.5 * by_day(draw, shape.days, 0.5)[(seconds // DAY).astype(np.int64)]
    after = seconds >= shape.change * DAY
    if name.startswith("binary"):
        value = (draw.random(n) < 0.01 + effect / 10 * after).astype(np.float64)
    else:
        value = value + effect * value.std() * after
    found = frame(seconds, value).with_columns(agent_id=pl.lit("a"))
    return found if session is None else found.with_columns(session_id=pl.Series(session).cast(pl.String))


def with_controls(name: str, seed: int, effect: float = 0.0) -> tuple[pl.DataFrame, Shape]:
    """Half the rows are touched, and something that is common to all happens by day."""
    shape = SHAPES[0]
    draw = np.random.default_rng([seed, COMMON.index(name)])
    seconds = np.sort(draw.uniform(0, shape.days * DAY, shape.rows))
    touched = draw.random(shape.rows) < 0.5
    day = (seconds // DAY).astype(np.int64)
    common = np.zeros(int(shape.days) + 1)
    if name == "days in common":
        common = by_day(draw, shape.days, 0.8)
    elif name == "random walk in common":
        common = 0.3 * draw.normal(size=len(common)).cumsum()
    elif name == "step in common":
        common = (np.arange(len(common)) >= shape.change).astype(np.float64)
    value = draw.normal(size=shape.rows) + common[day] + 0.5 * touched
    value = value + effect * (touched & (seconds >= shape.change * DAY))
    agents = pl.Series(np.where(touched, "touched", "control"))
    return frame(seconds, value).with_columns(agent_id=agents, touched=pl.Series(touched)), shape


def frame(seconds: Floats, value: Floats) -> pl.DataFrame:
    moments = np.datetime64(BEGIN.replace(tzinfo=None), "us") + (seconds * 1e6).astype("timedelta64[us]")
    return pl.DataFrame({"occurred_at": moments, "value": value})


def autoregressive(noise: Floats, rho: float) -> Floats:
    found = noise.copy()
    for place in range(1, len(found)):
        found[place] = rho * found[place - 1] + np.sqrt(1 - rho * rho) * noise[place]
    return found


def by_day(draw: np.random.Generator, days: float, rho: float) -> Floats:
    return autoregressive(draw.normal(size=int(days) + 1), rho)


def asked(rows: pl.DataFrame, shape: Shape, *, touched: str | None = None, placebos: int = 0) -> Effect:
    return before_after(rows, BEGIN + timedelta(days=shape.change), "value", touched=touched, placebos=placebos)


def bound(k: int, n: int) -> float:
    """The upper Clopper-Pearson bound of a share, 95 % from one side."""
    return 1.0 if k == n else beta_quantile(0.95, k + 1, n - k)


def told(effects: Iterable[Effect]) -> str:
    some = list(effects)
    k, n = sum(each.found for each in some), len(some)
    without = sum(each.low is None for each in some)
    return f"{k}/{n} = {k / n:.4f} (at most {bound(k, n):.4f}), {without} without an interval"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--power", type=int, default=100)
    given = parser.parse_args()
    for shape in SHAPES:
        print(f"nothing changed, {shape}", flush=True)
        for name in STREAMS:
            found = told(asked(stream(name, shape, seed), shape) for seed in range(given.worlds))
            print(f"  {name:22} {found}", flush=True)
    print("nothing changed but what is common, with controls and without", flush=True)
    for name in COMMON:
        rows = [with_controls(name, seed) for seed in range(given.worlds // 4)]
        both = told(asked(each, shape, touched="touched") for each, shape in rows)
        alone = told(asked(each.filter("touched"), shape) for each, shape in rows)
        print(f"  {name:22} controls: {both}; none: {alone}", flush=True)
    print("found of a change by so many standard deviations", flush=True)
    for name in (*STREAMS, *COMMON):
        shares = []
        for effect in EFFECTS:
            if name in COMMON:
                some = [with_controls(name, seed, effect) for seed in range(given.power)]
                answers = [asked(each, shape, touched="touched") for each, shape in some]
            else:
                answers = [asked(stream(name, SHAPES[0], seed, effect), SHAPES[0]) for seed in range(given.power)]
            shares.append(f"{effect}: {sum(each.found for each in answers) / given.power:.2f}")
        print(f"  {name:22} {'  '.join(shares)}", flush=True)
    print("placebo tests that fail though nothing happened, three dates", flush=True)
    shape = Shape(3000, 84, 56)
    for name in STREAMS:
        answers = [asked(stream(name, shape, seed), shape, placebos=3) for seed in range(given.worlds // 4)]
        k, n = sum(each.placebo == "failed" for each in answers), len(answers)
        print(f"  {name:22} {k}/{n} = {k / n:.4f} (at most {bound(k, n):.4f})", flush=True)


if __name__ == "__main__":
    main()
