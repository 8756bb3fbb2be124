"""Who acts and who decides: agents with their skill, learning, confidence and changes; operators with their pace.

Of an agent with `skill` s (logit), `learning` l, `confidence_slope` a and `confidence_offset` b, on its k-th action of
a type (k counts from 0, only actions that ran), at risk r (0 to 100):

    logit P(failure) = intercept + slope * r / 100 - s - l * ln(1 + k)          (`Curve`)
    confidence       = round(100 * sigmoid(a * logit(P(success)) + b))

so a = 1, b = 0 is calibrated, and a > 1 or b > 0 says more than it holds. An operator answers after a log-normal time,
ln(wait in seconds) ~ Normal(wait_mu, wait_sigma), and says no with probability `denies`.

A `PlantedChange` begins at a known time and moves one metric of one agent by `size` of its standard deviations:
`duration` the z' of ln(duration), `risk` the z of the logit of risk (see `kinds`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import log

import numpy as np

from assent_analytics.simulate.kinds import NAMES


class Metric(StrEnum):
    DURATION = "duration"
    RISK = "risk"


@dataclass(frozen=True, kw_only=True)
class Curve:
    """How risk becomes failure; the module has the formula."""

    intercept: float = -3.0
    slope: float = 4.0


@dataclass(frozen=True, kw_only=True)
class PlantedChange:
    """`at` is the share of the window that has passed when it begins, 0 to 1; `size` is in standard deviations."""

    agent_id: str
    metric: Metric
    at: float
    size: float


@dataclass(frozen=True, kw_only=True)
class Agent:
    """`share` is its part of all actions, `mix` the parts of each type in its own, both relative; `price` is US
    dollars for a million tokens read, four times that for written ones."""

    agent_id: str
    name: str
    share: float
    mix: dict[str, float] = field(hash=False)
    skill: float
    learning: float
    confidence_slope: float = 1.0
    confidence_offset: float = 0.0
    model: str = "atlas-small"
    price: float = 0.4


@dataclass(frozen=True, kw_only=True)
class Operator:
    """`share` is the part of all approvals that come to this operator, relative."""

    name: str
    share: float
    wait_mu: float
    wait_sigma: float
    denies: float


AGENTS: tuple[Agent, ...] = (
    Agent(
        agent_id="support-concierge",
        name="Support concierge",
        share=0.28,
        mix={"answer_ticket": 0.5, "lookup_order": 0.36, "refund": 0.08, "discount": 0.06},
        skill=0.8,
        learning=0.25,
    ),
    Agent(
        agent_id="refund-desk",
        name="Refund desk",
        share=0.18,
        mix={"lookup_order": 0.45, "refund": 0.4, "send_email": 0.15},
        skill=0.2,
        learning=0.15,
        confidence_slope=2.0,
        confidence_offset=0.6,
    ),
    Agent(
        agent_id="release-captain",
        name="Release captain",
        share=0.16,
        mix={"review": 0.3, "test": 0.4, "release": 0.2, "config": 0.1},
        skill=0.4,
        learning=0.3,
        model="atlas-large",
        price=2.5,
    ),
    Agent(
        agent_id="crm-gardener",
        name="CRM gardener",
        share=0.16,
        mix={"update_crm": 0.7, "research": 0.22, "refund": 0.02, "delete_customers": 0.06},
        skill=0.0,
        learning=0.2,
    ),
    Agent(
        agent_id="campaign-writer",
        name="Campaign writer",
        share=0.14,
        mix={"send_email": 0.5, "research": 0.3, "discount": 0.15, "config": 0.05},
        skill=0.3,
        learning=0.1,
        model="atlas-large",
        price=2.5,
    ),
    Agent(
        agent_id="ops-steward",
        name="Operations steward",
        share=0.08,
        mix={"config": 0.35, "test": 0.35, "release": 0.2, "delete_customers": 0.1},
        skill=-0.4,
        learning=0.35,
        confidence_slope=1.6,
    ),
)

OPERATORS: tuple[Operator, ...] = (
    Operator(name="Mara Lind", share=0.5, wait_mu=log(6 * 60), wait_sigma=0.8, denies=0.12),
    Operator(name="Jonas Okafor", share=0.35, wait_mu=log(25 * 60), wait_sigma=1.0, denies=0.3),
    Operator(name="Priya Raman", share=0.15, wait_mu=log(90 * 60), wait_sigma=1.2, denies=0.08),
)

CHANGES: tuple[PlantedChange, ...] = (
    PlantedChange(agent_id="release-captain", metric=Metric.DURATION, at=0.7, size=2.0),
    PlantedChange(agent_id="campaign-writer", metric=Metric.RISK, at=0.5, size=1.2),
)


def roster(agents: int, seed: int) -> tuple[Agent, ...]:
    """The first `agents` agents: the six above, then colleagues of theirs, who have the same work and a number in
    their names, and whose skill ~ Normal(0, 0.6), learning ~ Uniform(0, 0.4) and confidence_slope ~ Uniform(0.7, 2)."""
    found = list(AGENTS[:agents])
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0,))))
    for number in range(len(AGENTS), agents):
        model, turn = AGENTS[number % len(AGENTS)], number // len(AGENTS) + 1
        found.append(
            replace(
                model,
                agent_id=f"{model.agent_id}-{turn}",
                name=f"{model.name} {turn}",
                skill=float(rng.normal(0, 0.6)),
                learning=float(rng.uniform(0, 0.4)),
                confidence_slope=float(rng.uniform(0.7, 2.0)),
                confidence_offset=0.0,
            )
        )
    return tuple(found)


def check_mixes(agents: tuple[Agent, ...]) -> None:
    """Raises ValueError for an agent whose work names a type that is not in `KINDS`."""
    for agent in agents:
        if unknown := sorted(set(agent.mix) - set(NAMES)):
            raise ValueError(f"agent {agent.agent_id!r} does {unknown[0]!r}; there are: {', '.join(NAMES)}")
