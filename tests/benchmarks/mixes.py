"""How often velocity says that an agent learns where only the mix of its work changes, and how often it finds learning
that is there: `python -m tests.benchmarks.mixes [--agents 2000]`.

Goal: an agent is called improving in at most 6% of the worlds in which each kind of work goes as it always went. Each
agent has 40 days; its work changes over them from one that fails often to one that seldom does. Learning that is
planted adds half a point of success a day within each kind. Sessions share an effect (intraclass correlation 0.3 on the
scale of the logit), and in one world they last three days; in another each day has an effect that follows the last
day's (correlation 0.5). `raw` is the published slope, which does not know of kinds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import polars as pl

from assent_analytics.velocity import velocity
from tests.benchmarks.bounds import clopper_pearson

BEGIN = datetime(2026, 1, 5, tzinfo=UTC)
DAYS, A_DAY = 40, 12
RATES = np.array([0.95, 0.85, 0.7, 0.5])


@dataclass(frozen=True)
class World:
    """`risk`: whether work differs by stated risk instead of by type. `session` is how many episodes share an effect,
    `long` whether these are spread over three days, `days` the correlation of an effect of each day with the next, and
    `learns` the points of success a day."""

    risk: bool = False
    session: int = 1
    long: bool = False
    days: float = 0.0
    learns: float = 0.0


WORLDS: Mapping[str, World] = {
    "types": World(),
    "stated risk": World(risk=True),
    "types, sessions of 5": World(session=5),
    "types, sessions of 10": World(session=10),
    "types, sessions of 10 over 3 days": World(session=10, long=True),
    "types, days correlate .5": World(days=0.5),
    "learning: types": World(learns=0.5),
    "learning: types, sessions of 10": World(session=10, learns=0.5),
}


def history(world: World, agents: int, seed: int = 1) -> pl.DataFrame:
    """The episodes of so many agents."""
    random = np.random.default_rng(seed)
    n = DAYS * A_DAY
    number, agent = np.tile(np.arange(n), agents), np.repeat(np.arange(agents), n)
    day = number // A_DAY
    # From mostly the hardest kind to mostly the easiest.
    easy = 0.15 + 0.7 * day / (DAYS - 1)
    if world.risk:
        stated = np.clip(100 * (1 - easy) + random.normal(0, 20, n * agents), 0, 100)
        kind, base = np.zeros(n * agents, np.int64), 1 / (1 + np.exp(-3.0 + 4.5 * stated / 100))
    else:
        kind = 3 - random.binomial(3, easy)
        stated, base = random.uniform(0, 60, n * agents), RATES[kind]
    share = 0.3 if world.session > 1 else 0.0
    spread = np.sqrt(share / (1 - share) * np.pi**2 / 3)
    # Neighbours share a session; a long one has every third day's.
    order = number if not world.long else (day // 3) * 3 * A_DAY + (number % (3 * A_DAY)) % 12 * 3 + day % 3
    session = order // world.session
    effect = random.normal(0, spread, (agents, n))[agent, session]
    if world.days:
        shocks = random.normal(0, 0.5, (agents, DAYS))
        follows = shocks.copy()
        for today in range(1, DAYS):
            before = follows[:, today - 1]
            follows[:, today] = world.days * before + np.sqrt(1 - world.days**2) * shocks[:, today]
        effect = effect + follows[agent, day]
    odds = np.log(base / (1 - base)) + effect
    chance = 1 / (1 + np.exp(-odds)) + world.learns / 100 * (day - DAYS / 2)
    success = random.random(n * agents) < chance
    score = np.where(success, 85, 35) + random.integers(-10, 11, n * agents)
    ended = BEGIN.timestamp() * 1e6 + day * 86_400e6 + (number % A_DAY) * 3_600e6
    return pl.DataFrame(
        {
            "agent_id": pl.Series(agent).cast(pl.String),
            "action_type": pl.Series(kind).cast(pl.String),
            "ended_at": pl.Series(ended.astype(np.int64)).cast(pl.Datetime("us", "UTC")),
            "score": score,
            "success": success,
            "risk_score": stated,
        }
    )


def judged(world: World, agents: int, seed: int = 1) -> tuple[int, int, float]:
    """How many agents improve, how many by the published slope, and the mean share of the mix."""
    found = velocity(history(world, agents, seed))
    improving = int((found["direction"] == "improving").sum())
    raw = int((found["slope_low"] > 0).sum())
    return improving, raw, float(found.select(pl.col("mix").mean() / pl.col("velocity").mean()).item())


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="mixes")
    parser.add_argument("--agents", type=int, default=2000)
    agents = parser.parse_args(arguments).agents
    print(f"{'of ' + str(agents) + ' agents':38}{'improving':>10}{'95% interval':>18}{'raw':>8}{'mix':>8}")
    for name, world in WORLDS.items():
        improving, raw, mix = judged(world, agents)
        low, high = clopper_pearson(improving, agents)
        print(
            f"{name:38}{improving / agents:10.1%}{f'{low:.1%} to {high:.1%}':>18}{raw / agents:8.1%}{mix:8.0%}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
