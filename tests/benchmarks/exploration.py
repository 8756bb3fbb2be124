"""What a policy would have caused, in worlds where it is known.

    python -m tests.benchmarks.exploration [WORLDS] [SEED]

Each world has keys, sessions whose actions share a state (a normal factor behind a threshold), and hours in which a
policy that asks about two of four types lets them pass by the draws that guard makes. Asking keeps a share of the
failures from happening. Asked are `evaluate_policy` and the policies in force without the one that asks (what would
happen if nobody was asked), and with one more that asks about a type that was only warned of (with its share, or
without: then nobody saw it).

Told are, with Clopper and Pearson's intervals: how often intervals of 95% hold the true value and the true change; how
often bounds hold what these decisions would have come to; and how often going because the answer is sure was worse.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assent.contract.analysis.backtest import Costs
from assent.contract.analysis.policy_value import PolicyEvaluation, ValueStatus
from assent.contract.control.policies import PolicyDraft
from assent_analytics.backtest import evaluate_policy
from assent_analytics.beta import beta_quantile
from assent_service.control.guard.explore import draw_of

HOUR = 3_600_000_000
BEGIN = datetime(2026, 3, 2, tzinfo=UTC)
RELATIVE = np.array([1.5, 1.2, 0.8, 0.5])
"""How often each type fails, of the base."""
TYPES = np.array(["pay", "send", "tell", "look"])
DAYS = 30


class Scenario(NamedTuple):
    """`rate` sessions of a key and day, of `length` actions on average; `share` of hours explored; `alike` is the part
    of the factor that a session shares; `base` the failures of 1; asking keeps `caught` of them from happening."""

    name: str
    keys: int
    rate: float
    length: float
    share: float
    alike: float
    base: float
    caught: float


SCENARIOS = [
    Scenario("2 % of hours, many keys", 40, 1.5, 4, 0.02, 0.2, 0.10, 0.5),
    Scenario("5 % of hours, rare failures", 20, 1.5, 4, 0.05, 0.3, 0.03, 0.7),
    Scenario("10 % of hours", 20, 1.5, 4, 0.10, 0.2, 0.10, 0.5),
    Scenario("20 % of hours, few keys", 8, 1.5, 4, 0.20, 0.2, 0.05, 0.5),
    Scenario("30 % of hours, no sessions", 20, 1.5, 1, 0.30, 0.0, 0.30, 0.5),
    Scenario("50 % of hours, long sessions", 10, 0.6, 12, 0.50, 0.4, 0.20, 0.5),
]


class World(NamedTuple):
    decisions: pl.DataFrame
    actions: pl.DataFrame
    passed: np.ndarray[Any, np.dtype[np.float64]]
    """Whether each would fail if it was let pass, and if it was asked about."""
    asked: np.ndarray[Any, np.dtype[np.float64]]
    types: np.ndarray[Any, np.dtype[np.int64]]


NOBODY = [PolicyDraft(name="none", policy_type="require_approval", rules={"action_types": ["nothing"]})]
EVERYBODY = [
    PolicyDraft(name="all", policy_type="require_approval", rules={"action_types": ["pay", "send", "tell"]}),
]
TARGETS: list[tuple[str, list[PolicyDraft], list[int]]] = [
    ("nobody is asked", NOBODY, []),
    ("one more is asked", EVERYBODY, [0, 1, 2]),
]


def make_world(random: np.random.Generator, scenario: Scenario, third: float) -> World:
    """`third` is the share of the policy that warns of the third type."""
    sessions = max(2, int(random.poisson(scenario.keys * DAYS * scenario.rate)))
    of_key = random.integers(0, scenario.keys, sessions)
    begun = random.integers(0, DAYS * 24, sessions)
    size = random.geometric(1 / scenario.length, sessions)
    session = np.repeat(np.arange(sessions), size)
    n = len(session)
    key, hour = of_key[session], begun[session] + (random.random(n) < 0.3)
    seed = str(random.integers(1 << 60))
    pairs = list(zip(key.tolist(), hour.tolist(), strict=True))
    drawn = {pair: draw_of(seed, f"key_{pair[0]}", pair[1] * HOUR) for pair in set(pairs)}
    draw = np.array([drawn[pair] for pair in pairs])
    types = random.integers(0, 4, n)
    factor = np.sqrt(scenario.alike) * random.normal(size=sessions)[session]
    factor += np.sqrt(1 - scenario.alike) * random.normal(size=n)
    limits = np.array([NormalDist().inv_cdf(float(each)) for each in scenario.base * RELATIVE])
    passed = (factor < limits[types]).astype(np.float64)
    asked = passed * (random.random(n) >= scenario.caught)
    asks, warns = types < 2, types == 2
    share = np.where(asks, scenario.share, np.where(warns, third, 0.0))
    other = draw < share
    done = np.where(asks != other, "require_approval", np.where(asks | warns, "warn", "allow"))
    done = np.where(warns & other, "require_approval", done)
    fails = np.where(done == "require_approval", asked, passed)
    kept = (done == "require_approval") & (passed > 0) & (asked == 0)
    status = np.where(fails > 0, "failed", np.where(kept, "cancelled", "completed"))
    at = [BEGIN + timedelta(hours=int(each)) for each in hour]
    ids = [f"dec_{number}" for number in range(n)]
    decisions = pl.DataFrame(
        {
            "decision_id": ids,
            "decision": done,
            "occurred_at": at,
            "created_at": at,
            "risk_score": np.full(n, 20.0),
            "action_type": TYPES[types],
            "agent_id": [f"agent-{each}" for each in key],
            "session_id": [f"s{each}" for each in session],
            "propensity": np.where(share > 0, np.where(other, share, 1 - share), 1.0),
            "explore_draw": [each if some else None for each, some in zip(draw, share > 0, strict=True)],
            "explore_below": np.full(n, 60.0),
        }
    )
    return World(decisions, pl.DataFrame({"decision_id": ids, "status": status}), passed, asked, types)


def truth(scenario: Scenario, asked: list[int]) -> float:
    """The share of failures where these types are asked about."""
    fails = scenario.base * RELATIVE
    fails[asked] *= 1 - scenario.caught
    return float(fails.mean())


def true_change(scenario: Scenario, asked: list[int], third: float) -> float:
    """The change of the share of failures from what is done, draws included."""
    fails = scenario.base * RELATIVE
    fails[:2] *= 1 - scenario.caught * (1 - scenario.share)
    fails[2] *= 1 - scenario.caught * third
    return truth(scenario, asked) - float(fails.mean())


class Tally:
    """How often something held."""

    def __init__(self) -> None:
        self.held = self.of = 0

    def add(self, held: bool) -> None:
        self.held, self.of = self.held + held, self.of + 1

    def __str__(self) -> str:
        if not self.of:
            return "none"
        low = beta_quantile(0.025, self.held, self.of - self.held + 1) if self.held else 0.0
        high = beta_quantile(0.975, self.held + 1, self.of - self.held) if self.held < self.of else 1.0
        return f"{self.held} of {self.of} ({self.held / self.of:.2%}; {low:.2%} to {high:.2%})"


def holds(found: Any, true: float) -> bool:
    return bool(found.low <= true <= found.high)


def run(worlds: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    tallies: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
    width: defaultdict[str, list[float]] = defaultdict(list)
    for number in range(worlds):
        scenario = SCENARIOS[number % len(SCENARIOS)]
        third = scenario.share if number // len(SCENARIOS) % 2 else 0.0
        world = make_world(random, scenario, third)
        for name, target, asked in TARGETS:
            change = true_change(scenario, asked, third)
            asks = len(asked) / 4 - (2 - 2 * scenario.share + third) / 4
            # Around where staying and going cost the same.
            price = -asks / change * 2 ** random.uniform(-1, 1)
            found = evaluate_policy(world.decisions, world.actions, target, costs=Costs(interruption=1, failure=price))
            _tell(tallies, width, name, scenario, found, world, asked, change)
            worse = asks + price * change > 0
            tallies["going because it is sure was worse, of all", ""].add(found.better is True and worse)
            if found.better is True:
                tallies["going because it is sure was worse, of those that went", ""].add(worse)
            tallies["staying because it is sure was worse, of all", ""].add(found.better is False and not worse)
    for number in range(worlds // 4):
        # Where nobody explores: only bounds, and they hold whatever happens.
        scenario = SCENARIOS[number % len(SCENARIOS)]._replace(share=0.0)
        world = make_world(random, scenario, 0.0)
        for name, target, asked in TARGETS:
            found = evaluate_policy(world.decisions, world.actions, target)
            _tell(tallies, width, f"{name}, nothing explored", scenario, found, world, asked, 0.0)
    for (what, where), tally in sorted(tallies.items()):
        print(f"{what:60} {where:30} {tally}")
    for where, each in sorted(width.items()):
        print(f"width of the interval of failures, {where}: median {np.median(each):.4f}")


def _tell(
    tallies: dict[tuple[str, str], Tally],
    width: dict[str, list[float]],
    name: str,
    scenario: Scenario,
    found: PolicyEvaluation,
    world: World,
    asked: list[int],
    change: float,
) -> None:
    assert found.failures is not None
    going = found.failures.going
    is_asked = np.isin(world.types, asked)
    here = float(np.where(is_asked, world.asked, world.passed).mean())
    identified = found.status is ValueStatus.OK
    tallies["refused: not identified", name].add(not identified)
    if identified:
        assert going.low is not None
        assert going.high is not None
        width[scenario.name].append(going.high - going.low)
        tallies["the interval of going holds the truth", ""].add(holds(going, truth(scenario, asked)))
        tallies["the interval of going holds the truth", scenario.name].add(holds(going, truth(scenario, asked)))
        tallies["the interval of the change holds the truth", ""].add(holds(found.failures.change, change))
        tallies["the interval of the change holds the truth", scenario.name].add(holds(found.failures.change, change))
    elif not found.explored:
        tallies["bounds hold what would have been", name].add(going.least - 1e-12 <= here <= going.most + 1e-12)
    else:
        tallies["the band of the bounds holds the truth", name].add(holds(going, truth(scenario, asked)))


if __name__ == "__main__":
    arguments = [int(each) for each in sys.argv[1:3]]
    run(*(arguments + [2000, 1][len(arguments) :]))
