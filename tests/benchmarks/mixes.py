"""How often velocity says that an agent learns where only the mix of its work changes, and how often it finds learning
that is there: `python -m tests.benchmarks.mixes [--agents 2000]`.

Goal: an agent is told a direction in at most 5% of the worlds in which each kind of work goes as it always went. Each
agent has 40 days; its work changes over them from one that fails often to one that seldom does. Learning that is
planted adds half a point of success a day within each kind. Sessions share an effect (intraclass correlation 0.3 on the
scale of the logit), are named, and in some worlds last for days; in others each day has an effect that follows the
last day's (correlation 0.5), or that of a state of some days. In the worlds whose risk steps, the work changes at once.
Where nights become days, the share of work by day rises with the easier work; where the clock moves, its mean hour goes
from three to fifteen. `raw` is the published slope, which knows neither kinds nor hours.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

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
    `long` over how many days these are spread, `days` the correlation of an effect of each day with the next, and
    `learns` the points of success a day. Work changes at once at the day `steps`, where that is given, by `spread`
    points of risk around each level. `weekend` is how much more often it fails on Saturdays and Sundays, on which
    there is work from the beginning, or more and more (`comes`); `night` the same from 22 to 6 o'clock, and `clock` at
    three beside fifteen. `opening` is how much more often the first half of a working day fails, which begins `moves`
    hours later at the end, from the middle on at once where it is `at_once`. `states` is over how many days an effect
    stays as it is. `threads` names what shares an effect as a thread instead of a session."""

    risk: bool = False
    session: int = 1
    long: int = 1
    days: float = 0.0
    learns: float = 0.0
    steps: int | None = None
    spread: float = 20.0
    weekend: float = 0.0
    comes: bool = False
    night: float = 0.0
    clock: float = 0.0
    opening: float = 0.0
    moves: float = 0.0
    at_once: bool = False
    threads: bool = False
    states: int = 0


WORLDS: Mapping[str, World] = {
    "types": World(),
    "stated risk": World(risk=True),
    "types, sessions of 5": World(session=5),
    "types, sessions of 10": World(session=10),
    "types, sessions of 10 over 3 days": World(session=10, long=3),
    "types, sessions of 10 over 10 days": World(session=10, long=10),
    "types, one session of 5 days": World(session=60),
    "types, one session of 10 days": World(session=120),
    "types, days correlate .5": World(days=0.5),
    "types, days correlate .5, sessions of 5": World(session=5, days=0.5),
    "types, weekends fail more": World(weekend=0.2),
    "types, weekends come and fail more": World(weekend=0.2, comes=True),
    "types, weekends come and fail more by .4": World(weekend=0.4, comes=True),
    "types, nights become days": World(night=0.2),
    "types, nights become days, they correlate .5": World(night=0.2, days=0.5),
    "types, the clock moves": World(clock=0.2),
    "types, the working day moves": World(opening=0.25, moves=8.0),
    "types, the working day steps": World(opening=0.25, moves=4.0, at_once=True),
    "types, one thread of 10 days": World(session=120, threads=True),
    "types, states of 5 days": World(states=5),
    "types, states of 15 days": World(states=15),
    "risk steps": World(risk=True, steps=20),
    "risk steps, narrow": World(risk=True, steps=20, spread=8),
    "risk steps in the last week": World(risk=True, steps=33, spread=12),
    "risk steps, sessions of 10": World(risk=True, steps=20, spread=12, session=10),
    "types step, sessions of 10": World(steps=20, session=10),
    "learning: types": World(learns=0.5),
    "learning: types, days correlate .5": World(days=0.5, learns=0.5),
    "learning: nights become days": World(night=0.2, learns=0.5),
    "learning: the clock moves": World(clock=0.2, learns=0.5),
    "learning: the working day moves": World(opening=0.25, moves=8.0, learns=0.5),
    "learning: days become nights": World(night=-0.2, learns=0.5),
    "learning: types, sessions of 10": World(session=10, learns=0.5),
    "learning: types, sessions of 10 over 10 days": World(session=10, long=10, learns=0.5),
    "learning: one session of 5 days": World(session=60, learns=0.5),
    "learning: risk steps": World(risk=True, steps=20, learns=0.5),
}


def history(world: World, agents: int, seed: int = 1) -> pl.DataFrame:
    """The episodes of so many agents."""
    random = np.random.default_rng(seed)
    n = DAYS * A_DAY
    number, agent = np.tile(np.arange(n), agents), np.repeat(np.arange(agents), n)
    day = number // A_DAY
    # From mostly the hardest kind to mostly the easiest.
    easy = 0.15 + 0.7 * (day / (DAYS - 1) if world.steps is None else day >= world.steps)
    if world.risk:
        stated = np.clip(100 * (1 - easy) + random.normal(0, world.spread, n * agents), 0, 100)
        kind, base = np.zeros(n * agents, np.int64), 1 / (1 + np.exp(-3.0 + 4.5 * stated / 100))
    else:
        kind = 3 - random.binomial(3, easy)
        stated, base = random.uniform(0, 60, n * agents), RATES[kind]
    share = 0.3 if world.session > 1 else 0.0
    spread = np.sqrt(share / (1 - share) * np.pi**2 / 3)
    # Neighbours share a session; a long one has some of each day's.
    order = day // world.long * world.long * A_DAY + number % A_DAY * world.long + day % world.long
    session = order // world.session
    effect = random.normal(0, spread, (agents, n))[agent, session]
    if world.days:
        shocks = random.normal(0, 0.5, (agents, DAYS))
        follows = shocks.copy()
        for today in range(1, DAYS):
            before = follows[:, today - 1]
            follows[:, today] = world.days * before + np.sqrt(1 - world.days**2) * shocks[:, today]
        effect = effect + follows[agent, day]
    if world.states:
        # Each agent's states begin at a day of their own.
        begins = random.integers(0, world.states, agents)
        effect = effect + random.normal(0, 0.5, (agents, DAYS))[agent, (day + begins[agent]) // world.states]
    hour = (number % A_DAY).astype(float)
    harder = world.weekend * (day % 7 > 4)
    if world.night:
        by_day = random.random(n * agents) < easy
        hour = np.where(by_day, 8 + 10 * random.random(n * agents), (22 + 8 * random.random(n * agents)) % 24)
        harder = harder + world.night * ~by_day
    if world.clock:
        hour = (3 + 12 * day / (DAYS - 1) + random.normal(0, 3, n * agents)) % 24
        harder = harder + world.clock / 2 * np.cos(2 * np.pi * (hour - 3) / 24)
    if world.opening:
        into = 8 * random.random(n * agents)
        hour = 4 + into + world.moves * (day >= DAYS / 2 if world.at_once else day / DAYS)
        harder = harder + world.opening * (into < 4)
    odds = np.log(base / (1 - base)) + effect
    chance = 1 / (1 + np.exp(-odds)) + world.learns / 100 * (day - DAYS / 2) - harder
    success = random.random(n * agents) < chance
    score = np.where(success, 85, 35) + random.integers(-10, 11, n * agents)
    ended = BEGIN.timestamp() * 1e6 + day * 86_400e6 + hour * 3_600e6
    shared = pl.Series(agent * n + session).cast(pl.String)
    rows = pl.DataFrame(
        {
            "agent_id": pl.Series(agent).cast(pl.String),
            "action_type": pl.Series(kind).cast(pl.String),
            "ended_at": pl.Series(ended.astype(np.int64)).cast(pl.Datetime("us", "UTC")),
            "score": score,
            "success": success,
            "risk_score": stated,
        }
        | ({"thread_id" if world.threads else "session_id": shared} if world.session > 1 else {})
    )
    if not world.comes:
        return rows
    worked = random.random((agents, DAYS)) < np.arange(DAYS) / DAYS
    return rows.filter(pl.Series((day % 7 < 5) | worked[agent, day]))


class Judged(NamedTuple):
    """How many agents improve and decline, how many improve by the published slope, and the mean share of the mix."""

    improving: int
    declining: int
    raw: int
    mix: float


def judged(world: World, agents: int, seed: int = 1) -> Judged:
    found = velocity(history(world, agents, seed))
    told = [int((found["direction"] == each).sum()) for each in ("improving", "declining")]
    raw = int((found["slope_low"] > 0).sum())
    return Judged(told[0], told[1], raw, float(found.select(pl.col("mix").mean() / pl.col("velocity").mean()).item()))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="mixes")
    parser.add_argument("--agents", type=int, default=2000)
    agents = parser.parse_args(arguments).agents
    head = ("improving", "declining", "either", "95% interval", "raw", "mix")
    print(f"{'of ' + str(agents) + ' agents':46}" + "".join(f"{each:>16}" for each in head))
    for name, world in WORLDS.items():
        found = judged(world, agents)
        either = found.improving + found.declining
        low, high = clopper_pearson(either, agents)
        shares = [f"{each / agents:.1%}" for each in (found.improving, found.declining, either, found.raw)]
        row = (*shares[:3], f"{low:.1%} to {high:.1%}", shares[3], f"{found.mix:.0%}")
        print(f"{name:46}" + "".join(f"{each:>16}" for each in row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
