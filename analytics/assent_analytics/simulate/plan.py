"""What is to be simulated, checked, and laid out as arrays that a draw can index."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from assent_analytics.simulate.kinds import KINDS, NAMES
from assent_analytics.simulate.policies import asking_risk
from assent_analytics.simulate.roster import Agent, Curve, Metric, Operator, PlantedChange, check_mixes

MOST_AGENTS, MOST_DAYS, MOST_ACTIONS, MOST_WAITING = 1000, 3650, 1_000_000_000, 1000
APPROVAL_LIFE = 24 * 3_600_000_000
"""Microseconds until an approval expires."""
NEVER = np.iinfo(np.int64).max
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The parameters of one history. `nobody` is the share of approvals that no operator will ever answer,
    `unreported` the share of actions whose outcome is never told; `waiting` approvals are made to wait at the end."""

    seed: int
    agents: tuple[Agent, ...]
    operators: tuple[Operator, ...]
    changes: tuple[PlantedChange, ...]
    curve: Curve
    days: int
    actions: int
    until: datetime
    waiting: int
    nobody: float = 0.05
    unreported: float = 0.02

    @property
    def end(self) -> int:
        """Microseconds since 1970, exact."""
        return (self.until - EPOCH) // timedelta(microseconds=1)

    @property
    def begin(self) -> int:
        return self.end - self.days * 24 * 3_600_000_000

    def changed_at(self, change: PlantedChange) -> int:
        """When a change begins, in microseconds since 1970."""
        return self.begin + round((self.end - self.begin) * change.at)


def check(plan: Plan) -> None:
    """Raises ValueError naming the number that cannot be, its value and what is allowed."""
    bounds = (
        ("agents", len(plan.agents), 1, MOST_AGENTS),
        ("days", plan.days, 1, MOST_DAYS),
        ("actions", plan.actions, 1, MOST_ACTIONS),
        ("waiting", plan.waiting, 0, min(plan.actions, MOST_WAITING)),
    )
    for name, value, least, most in bounds:
        if not least <= value <= most:
            raise ValueError(f"{name} is {value}; give {least} to {most}")
    if plan.until.tzinfo is None:
        raise ValueError(f"until is {plan.until.isoformat()}, which names no time zone; give an aware datetime")
    known = {agent.agent_id for agent in plan.agents}
    for change in plan.changes:
        if change.agent_id not in known:
            raise ValueError(f"a change names agent {change.agent_id!r}; there are: {', '.join(sorted(known)[:20])}")
        if not 0 <= change.at <= 1:
            raise ValueError(f"a change begins at {change.at} of the window; give 0 to 1")
    check_mixes(plan.agents)


class Layout:
    """The plan as arrays. A *pair* is an agent and a type that it does; `pair_*` are indexed by pair, `agent_*` by
    agent, `kind_*` by type. `shift_from` and `shift_by` say from when on and by how much a metric of an agent moves."""

    def __init__(self, plan: Plan) -> None:
        pairs = [(a, NAMES.index(name)) for a, agent in enumerate(plan.agents) for name in agent.mix]
        self.pair_agent = np.array([agent for agent, _ in pairs], np.uint16)
        self.pair_kind = np.array([kind for _, kind in pairs], np.uint8)
        weights = np.array([_weight(plan.agents[agent], NAMES[kind]) for agent, kind in pairs])
        self.pair_cumulative = np.cumsum(weights / weights.sum())
        self.pair_cumulative[-1] = 1.0
        self.agent_skill = np.array([agent.skill for agent in plan.agents])
        self.agent_learning = np.array([agent.learning for agent in plan.agents])
        self.agent_slope = np.array([agent.confidence_slope for agent in plan.agents])
        self.agent_offset = np.array([agent.confidence_offset for agent in plan.agents])
        self.agent_price = np.array([agent.price for agent in plan.agents])
        self.kind_floor = np.array([kind.floor for kind in KINDS], float)
        self.kind_risk = np.array([(kind.risk_mean, kind.risk_spread) for kind in KINDS])
        self.kind_duration = np.array([(kind.duration_mu, kind.duration_sigma) for kind in KINDS])
        self.kind_tokens = np.array([kind.tokens_mu for kind in KINDS])
        self.kind_beliefs = np.array([(kind.first_belief, kind.second_belief) for kind in KINDS])
        self.kind_reversible = np.array([kind.reversible for kind in KINDS])
        self.operator_cumulative = np.cumsum([o.share for o in plan.operators]) / sum(o.share for o in plan.operators)
        self.operator_wait = np.array([(operator.wait_mu, operator.wait_sigma) for operator in plan.operators])
        self.operator_denies = np.array([operator.denies for operator in plan.operators])
        self.asking = asking_pairs(pairs)
        self.shift_from: dict[Metric, np.ndarray[tuple[int], np.dtype[np.int64]]] = {}
        self.shift_by: dict[Metric, np.ndarray[tuple[int], np.dtype[np.float64]]] = {}
        ids = [agent.agent_id for agent in plan.agents]
        for metric in Metric:
            self.shift_from[metric] = np.full(len(ids), NEVER, np.int64)
            self.shift_by[metric] = np.zeros(len(ids))
            for change in plan.changes:
                if change.metric is metric:
                    self.shift_from[metric][ids.index(change.agent_id)] = plan.changed_at(change)
                    self.shift_by[metric][ids.index(change.agent_id)] = change.size


def asking_pairs(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs whose actions may need an operator, each with the risk from which they do, one agent after the
    other."""
    return [(pair, risk) for pair, (_, kind) in enumerate(pairs) if (risk := asking_risk(kind)) is not None]


def _weight(agent: Agent, kind: str) -> float:
    return agent.share * agent.mix[kind] / sum(agent.mix.values())
