"""A simulated history: agents' actions over a window, the same for the same parameters, with the truth behind it.

`simulate` gives it whole, `batches` in pieces.

When actions begin: a fixed number of them over a window, with the rhythm of days and weeks.

The window is cut into hours from its beginning. The numbers of actions in them are multinomial with weights

    weight = day * (0.15 + exp(-((h - 10.5) / 2.5)^2) + 0.9 exp(-((h - 15) / 2.2)^2))

with h the hour of the day (UTC) in the middle of the step, and day 1 from Monday to Friday, 0.4 on Saturday, 0.3 on
Sunday. Within an hour they are uniform.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from assent_analytics.simulate.draw import Exposure, believe, draw
from assent_analytics.simulate.frames import Categories, Frames, frame, true_agents, true_kinds, true_operators
from assent_analytics.simulate.plan import MOST_AGENTS, Layout, Plan, check
from assent_analytics.simulate.roster import CHANGES, OPERATORS, Agent, Curve, Operator, PlantedChange, roster
from assent_analytics.simulate.texts import Texts, write

if TYPE_CHECKING:
    from numpy.typing import NDArray

HOUR = 3_600_000_000
DAY_WEIGHTS = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.4, 0.3])
_EPOCH_WEEKDAY = 3  # 1970-01-01 was a Thursday


def hour_weights(begin: int, hours: int) -> NDArray[np.float64]:
    """The relative weight of each of the `hours` from `begin` (microseconds since 1970)."""
    middle = begin + HOUR * np.arange(hours, dtype=np.int64) + HOUR // 2
    hour = (middle % (24 * HOUR)) / HOUR
    weekday = (middle // (24 * HOUR) + _EPOCH_WEEKDAY) % 7
    shape = 0.15 + np.exp(-(((hour - 10.5) / 2.5) ** 2)) + 0.9 * np.exp(-(((hour - 15) / 2.2) ** 2))
    weights: NDArray[np.float64] = DAY_WEIGHTS[weekday] * shape
    return weights


def arrive(rng: np.random.Generator, actions: int, begin: int, days: int) -> NDArray[np.int64]:
    """`actions` times in microseconds since 1970, ascending, from `begin` on for `days` days."""
    weights = hour_weights(begin, 24 * days)
    counts = rng.multinomial(actions, weights / weights.sum())
    times = np.repeat(begin + HOUR * np.arange(24 * days, dtype=np.int64), counts)
    times += rng.integers(0, HOUR, actions, dtype=np.int64)
    times.sort()
    return times


# A simulated history: seeded, the same for the same parameters, and with the truth behind it.
#
# Blocks of BLOCK actions are drawn one after the other, each from a stream of its own (PCG64, spawned by SeedSequence
# from the seed), so that a history can be taken in pieces (`batches`) or whole (`simulate`) and is the same.


BLOCK = 1 << 19
"""Actions drawn at once. It is part of what a seed means."""
YOUNGEST, OLDEST = 3 * 60 * 1_000_000, 70_200 * 1_000_000
"""Microseconds that planted approvals have waited at the end of the window: 3 minutes to 19.5 hours."""


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What was put in. `agents`, `kinds` and `operators` hold the parameters of `roster` and `kinds`; `actions` and
    `approvals` the latent values by `number`: success probability, exposure k, z with any change in it, whether the
    agent had changed, and the whole waiting time of an approval, censored by nothing."""

    curve: Curve
    agents: pl.DataFrame
    kinds: pl.DataFrame
    operators: pl.DataFrame
    actions: pl.DataFrame
    approvals: pl.DataFrame


@dataclass(frozen=True, kw_only=True)
class History:
    """The frames of a history, or of a batch of one. `number` joins them."""

    plan: Plan
    actions: pl.DataFrame
    decisions: pl.DataFrame
    approvals: pl.DataFrame
    assumptions: pl.DataFrame
    truth: Truth

    def with_text(self) -> Texts:
        """The same frames with ids, goals, systems, summaries and reasons, which take far more room and time."""
        return write(self.plan, self.actions, self.decisions, self.approvals, self.assumptions)


class _Times(NamedTuple):
    start: NDArray[np.int64]
    planted: NDArray[np.bool_]


def simulate(
    seed: int,
    *,
    until: datetime,
    agents: int | Sequence[Agent] = 6,
    days: int = 30,
    actions: int = 2000,
    waiting: int = 0,
    operators: Sequence[Operator] = OPERATORS,
    changes: Sequence[PlantedChange] | None = None,
    curve: Curve | None = None,
) -> History:
    """A whole history of `actions` actions over the `days` before `until` (aware). About 130 bytes an action stay in
    memory. `agents` is how many of `roster`, or the agents themselves; `waiting` approvals wait at the end in any
    case. Raises ValueError for numbers that cannot be."""
    plan = make_plan(
        seed,
        until=until,
        agents=agents,
        days=days,
        actions=actions,
        waiting=waiting,
        operators=operators,
        changes=changes,
        curve=curve,
    )
    parts = list(_frames(plan))
    return _history(plan, Frames(*(pl.concat(frames, rechunk=False) for frames in zip(*parts, strict=True))))


def batches(plan: Plan) -> Iterator[History]:
    """What `simulate` gives, in pieces of at most BLOCK actions in order of time: constant memory but for 9 bytes an
    action."""
    for part in _frames(plan):
        yield _history(plan, part)


def make_plan(
    seed: int,
    *,
    until: datetime,
    agents: int | Sequence[Agent] = 6,
    days: int = 30,
    actions: int = 2000,
    waiting: int = 0,
    operators: Sequence[Operator] = OPERATORS,
    changes: Sequence[PlantedChange] | None = None,
    curve: Curve | None = None,
) -> Plan:
    """The parameters of `simulate`, checked; without `changes`, the usual ones of those agents that there are. Raises
    ValueError."""
    if seed < 0:
        raise ValueError(f"seed is {seed}; give 0 or more")
    if isinstance(agents, int):
        if not 1 <= agents <= MOST_AGENTS:
            raise ValueError(f"agents is {agents}; give 1 to {MOST_AGENTS}")
        agents = roster(agents, seed)
    known = {agent.agent_id for agent in agents}
    usual = [change for change in CHANGES if change.agent_id in known]
    plan = Plan(
        seed=seed,
        agents=tuple(agents),
        operators=tuple(operators),
        changes=tuple(usual if changes is None else changes),
        curve=curve or Curve(),
        days=days,
        actions=actions,
        until=until,
        waiting=waiting,
    )
    check(plan)
    return plan


def _frames(plan: Plan) -> Iterator[Frames]:
    layout, names = Layout(plan), Categories(plan)
    exposures = Exposure(len(layout.pair_kind))
    times, believed = _times(plan), 0
    for first in range(0, plan.actions, BLOCK):
        rng = _stream(plan, 2, first // BLOCK)
        start, planted = times.start[first : first + BLOCK], times.planted[first : first + BLOCK]
        block = draw(rng, plan, layout, exposures, first, start, planted)
        beliefs = believe(rng, plan, layout, block)
        yield frame(plan, layout, names, block, beliefs, believed)
        believed += len(beliefs.action)


def _times(plan: Plan) -> _Times:
    """When the actions begin, those that are planted to wait among them."""
    usual = arrive(_stream(plan, 1), plan.actions - plan.waiting, plan.begin, plan.days)
    ages = np.geomspace(YOUNGEST, OLDEST, plan.waiting) if plan.waiting > 1 else np.full(plan.waiting, YOUNGEST)
    added = plan.end - ages.astype(np.int64)[::-1]
    places = np.searchsorted(usual, added)
    planted = np.zeros(plan.actions, np.bool_)
    planted[places + np.arange(plan.waiting)] = True
    return _Times(np.insert(usual, places, added), planted)


def _stream(plan: Plan, *key: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(plan.seed, spawn_key=key)))


def _history(plan: Plan, frames: Frames) -> History:
    return History(
        plan=plan,
        actions=frames.actions,
        decisions=frames.decisions,
        approvals=frames.approvals,
        assumptions=frames.assumptions,
        truth=Truth(
            curve=plan.curve,
            agents=true_agents(plan),
            kinds=true_kinds(),
            operators=true_operators(plan),
            actions=frames.true_actions,
            approvals=frames.true_approvals,
        ),
    )
