"""How often a lesson's hint is shown to help where nothing helps, and how often where it does:
`python -m tests.benchmarks.hints [--histories 400]`.

Goal: of histories in which no hint has anything to do with success, at most 5% show any; each has five agents of two
action types, and all hints are tested. The score counts risk, so that the best episodes have a low one whatever it
does. Sessions share an effect on success and on risk (intraclass correlation 0.3 each). In some worlds risk goes down
and success up for a reason of their own: over time, at once, by the hour, on weekends, or outside of certain times of
the week. Where a hint helps, each point of risk lowers the chance of success by half a point.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import polars as pl

from assent_analytics.lessons import SHOWN, lessons
from tests.benchmarks.bounds import clopper_pearson

BEGIN = datetime(2026, 1, 5, tzinfo=UTC)
PAIRS = 10


@dataclass(frozen=True)
class World:
    """`n` episodes of each pair in sessions of `session`; `rate` succeed, less `slope` for each point of risk. Risk
    falls by `trends` standard deviations over the history (by `steps` in its middle; by `daily` from one half of the
    day to the other; by `weekend` then; by `besides` outside of the TIMES called `hard`), and the log odds of success
    rise by as much."""

    n: int = 200
    session: int = 1
    rate: float = 0.8
    slope: float = 0.0
    trends: float = 0.0
    steps: float = 0.0
    daily: float = 0.0
    weekend: float = 0.0
    hard: str = ""
    besides: float = 4.0


TIMES: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "9 to 11 and 15 to 17": lambda hour, day: np.isin(hour, (9, 10, 15, 16)),
    "12 to 13": lambda hour, day: hour == 12,
    "2 to 4": lambda hour, day: np.isin(hour, (2, 3)),
    "9 to 17, Monday to Friday": lambda hour, day: (hour >= 9) & (hour < 17) & (day < 5),
    "Mondays": lambda hour, day: day == 0,
    "weekend nights": lambda hour, day: (hour < 8) & (day > 4),
}
"""Of an hour of the day and a day of the week, Monday first."""

NOISE: Mapping[str, World] = {
    "independent": World(),
    "sessions of 5": World(session=5),
    "sessions of 10": World(n=400, session=10),
    "95% succeed, sessions of 5": World(session=5, rate=0.95),
    "n 2,000, sessions of 10": World(n=2000, session=10),
    "both trend": World(trends=2.0),
    "both trend, sessions of 5": World(session=5, trends=2.0),
    "both trend, n 1,000": World(n=1000, trends=2.0),
    "both step": World(steps=2.0),
    "both step, n 1,000, sessions of 5": World(n=1000, session=5, steps=2.0),
    "both by the hour": World(n=400, daily=2.0),
    "both by the hour, n 1,000, sessions of 5": World(n=1000, session=5, daily=2.0),
    "both on weekends": World(n=400, weekend=2.0),
    **{f"both but {name}": World(n=400, hard=name) for name in TIMES},
}
TRUTH: Mapping[str, World] = {
    "risk costs, independent": World(slope=0.005),
    "risk costs, sessions of 5": World(session=5, slope=0.005),
    "risk costs, n 1,000": World(n=1000, session=5, slope=0.005),
    "risk costs, both trend, n 1,000": World(n=1000, session=5, slope=0.005, trends=2.0),
}


def history(world: World, random: np.random.Generator) -> pl.DataFrame:
    n = world.n * PAIRS
    pair, number = np.repeat(np.arange(PAIRS), world.n), np.tile(np.arange(world.n), PAIRS)
    session = pair * world.n + number // world.session
    share = 0.3 if world.session > 1 else 0.0

    def common(size: float) -> np.ndarray:
        return np.asarray(random.normal(0, np.sqrt(size), PAIRS * world.n)[session])

    def alike() -> np.ndarray:
        return common(share) + random.normal(0, np.sqrt(1 - share), n)

    time = number / world.n
    shift = world.trends * (time - 0.5) + world.steps * ((time >= 0.5) - 0.5)
    shift = shift + world.daily / 2 * np.sin(number * np.pi / 12) + world.weekend * (number // 24 % 7 > 4)
    if world.hard:
        shift = shift + world.besides * (~TIMES[world.hard](number % 24, number // 24 % 7) - 0.5)
    risk = np.clip(40 + 20 * (alike() - shift), 0, 100)
    confidence = np.clip(60 + 15 * alike(), 0, 100)
    odds = np.log(world.rate / (1 - world.rate)) + shift + common(share / (1 - share) * np.pi**2 / 3)
    success = random.random(n) < 1 / (1 + np.exp(-odds)) - world.slope * (risk - 40)
    return pl.DataFrame(
        {
            "agent_id": pl.Series(pair // 2).cast(pl.String),
            "action_type": pl.Series(pair % 2).cast(pl.String),
            "session_id": pl.Series(session).cast(pl.String),
            "ended_at": pl.Series((BEGIN.timestamp() * 1e6 + number * 3_600e6).astype(np.int64)).cast(
                pl.Datetime("us", "UTC")
            ),
            "score": np.clip(np.where(success, 85, 40) - risk / 4 + random.normal(0, 3, n), 0, 100).astype(np.int64),
            "success": success,
            "risk_score": risk,
            "confidence": confidence,
            "reversible": alike() > -0.5,
        }
    )


def shown(world: World, histories: int, seed: int = 1) -> tuple[int, int, int]:
    """In how many histories any hint is shown, how many caps of risk are, and how many were tested."""
    random = np.random.default_rng(seed)
    some = caps = tested = 0
    for _ in range(histories):
        tests = lessons(history(world, random))["tests"].explode().struct.unnest()
        some += bool((tests["status"] == SHOWN).any())
        cap = tests.filter(pl.col("hint") == "risk_cap")
        caps += int((cap["status"] == SHOWN).sum())
        tested += int(cap["p_adjusted"].is_not_null().sum())
    return some, caps, tested


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="hints")
    parser.add_argument("--histories", type=int, default=400)
    histories = parser.parse_args(arguments).histories
    print(f"{'noise, ' + str(histories) + ' histories':42}{'any shown':>10}{'95% interval':>18}{'tested':>9}")
    for name, world in NOISE.items():
        some, _, tested = shown(world, histories)
        low, high = clopper_pearson(some, histories)
        print(f"{name:42}{some / histories:10.1%}{f'{low:.1%} to {high:.1%}':>18}{tested:9}", flush=True)
    few = max(1, histories // 5)
    print(f"{'truth, ' + str(few) + ' histories':42}{'caps shown':>10}{'of tested':>11}")
    for name, world in TRUTH.items():
        _, caps, tested = shown(world, few)
        print(f"{name:42}{caps / max(tested, 1):10.0%}{tested:11}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
