"""A block as Polars frames, in numbers and categories: texts are a step of their own (`texts`).

Columns are named as the service's tables name them; scores are 0 to 100, times UTC. `number` counts the actions of the
history from 0 and joins the frames; assumptions have a number of their own and `action_number`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assent.contract.control.guard import Runtime, Source
from assent_analytics.simulate.draw import (
    APPROVED,
    AWAITING,
    BLOCKED,
    CANCELLED,
    DENIED,
    STATES,
    STATUSES,
    Beliefs,
    Block,
    sigmoid,
)
from assent_analytics.simulate.kinds import KINDS, NAMES
from assent_analytics.simulate.plan import Layout, Plan
from assent_analytics.simulate.policies import DECISIONS, NOT_OBSERVED
from assent_analytics.simulate.roster import PlantedChange

# Arrays of any shape of element, which numpy's own types would spell out one by one.
Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

TIME = pl.Datetime("us", "UTC")


class Frames(NamedTuple):
    """The observable frames of a history, and the truth behind actions and approvals."""

    actions: pl.DataFrame
    decisions: pl.DataFrame
    approvals: pl.DataFrame
    assumptions: pl.DataFrame
    true_actions: pl.DataFrame
    true_approvals: pl.DataFrame


class Categories:
    """The category types of one plan; each is as small as its names allow."""

    def __init__(self, plan: Plan) -> None:
        self.agent = list(dict.fromkeys(agent.agent_id for agent in plan.agents))
        self.model = list(dict.fromkeys(agent.model for agent in plan.agents))
        self.model_of = np.array([self.model.index(agent.model) for agent in plan.agents], np.uint8)
        self.operator = [operator.name for operator in plan.operators]


def frame(plan: Plan, layout: Layout, names: Categories, block: Block, beliefs: Beliefs, believed: int) -> Frames:
    """`believed` is how many assumptions came before this block."""
    number = pl.Series("number", np.arange(block.first, block.first + len(block.start), dtype=np.uint32))
    agent = category("agent_id", block.agent, names.agent)
    kind = category("action_type", block.kind, NAMES)
    source = constant("source", Source.SIMULATED.value, len(block.start))
    risk = pl.Series("risk_score", block.risk)
    judged = [number, agent, kind, *_verdict(block, risk), source]
    return Frames(
        actions=pl.DataFrame([*judged, *_outcome(plan, layout, names, block)]),
        decisions=pl.DataFrame(
            [
                *judged,
                pl.Series("matched", block.verdicts.matched),
                time("occurred_at", block.start),
            ]
        ),
        approvals=_approvals(names, block, number, agent, kind, risk),
        assumptions=_assumptions(block, beliefs, believed, agent, kind),
        true_actions=_truth(block, number),
        true_approvals=pl.DataFrame(
            [
                number.gather(block.approvals.action),
                category("operator", block.approvals.operator, names.operator),
                pl.Series("wait_seconds", block.approvals.wait),
                pl.Series("planted", block.approvals.planted),
            ]
        ),
    )


def category(name: str, codes: Array, names: tuple[str, ...] | list[str]) -> pl.Series:
    """Codes in `names` as a column of categories."""
    return pl.Series(name, list(names), dtype=pl.Enum(list(names))).gather(codes)


def constant(name: str, value: str, count: int) -> pl.Series:
    return pl.Series(name, [value], dtype=pl.Enum([value])).new_from_index(0, count)


def time(name: str, microseconds: Array, where: Array | None = None) -> pl.Series:
    """Times, null where `where` is false."""
    return masked(pl.Series(name, microseconds).cast(TIME), where)


def masked(column: pl.Series, where: Array | None) -> pl.Series:
    if where is None:
        return column
    return pl.select(pl.when(pl.Series(where)).then(column).alias(column.name)).to_series()


def _verdict(block: Block, risk: pl.Series) -> list[pl.Series]:
    would = np.where(block.verdicts.would == NOT_OBSERVED, 0, block.verdicts.would)
    return [
        category("decision", block.verdicts.decision, DECISIONS),
        masked(category("would_decide", would, DECISIONS), block.verdicts.would != NOT_OBSERVED),
        risk,
        risk.alias("agent_risk_score"),
    ]


def _outcome(plan: Plan, layout: Layout, names: Categories, block: Block) -> list[pl.Series]:
    ended, approvals = block.ended, block.approvals
    given = approvals.state == APPROVED
    closed = (block.status == CANCELLED) | (block.status == BLOCKED)
    end = np.where(closed, block.start, block.end)
    end[approvals.action] = np.where(given, end[approvals.action], approvals.decided)
    approved_by = np.zeros(len(ended), np.uint8)
    approved_by[approvals.action] = approvals.operator
    approved_at = np.zeros(len(ended), np.int64)
    approved_at[approvals.action] = approvals.decided
    approved = np.zeros(len(ended), np.bool_)
    approved[approvals.action[given]] = True
    return [
        category("status", block.status, STATUSES),
        pl.Series("reversible", layout.kind_reversible[block.kind]),
        pl.Series("confidence", block.confidence),
        time("timestamp_start", block.start),
        time("timestamp_end", end, ended | closed),
        masked(pl.Series("duration_ms", block.duration), ended),
        masked(pl.Series("cost_estimate", block.cost), ended),
        masked(pl.Series("tokens_in", block.tokens_in), ended),
        masked(pl.Series("tokens_out", block.tokens_out), ended),
        category("model", names.model_of[block.agent], names.model),
        masked(category("approved_by", approved_by, names.operator), approved),
        time("approved_at", approved_at, approved),
        constant("runtime", Runtime.SDK_SERVICE.value, len(ended)),
    ]


def _approvals(
    names: Categories, block: Block, number: pl.Series, agent: pl.Series, kind: pl.Series, risk: pl.Series
) -> pl.DataFrame:
    approvals = block.approvals
    said = (approvals.state == APPROVED) | (approvals.state == DENIED)
    return pl.DataFrame(
        [
            *(column.gather(approvals.action) for column in (number, agent, kind, risk)),
            category("state", approvals.state, STATES),
            time("requested_at", approvals.requested),
            time("expires_at", approvals.expires),
            time("decided_at", approvals.decided, approvals.state != AWAITING),
            masked(category("decided_by", approvals.operator, names.operator), said),
            constant("source", Source.SIMULATED.value, len(approvals.action)),
        ]
    )


def _assumptions(block: Block, beliefs: Beliefs, believed: int, agent: pl.Series, kind: pl.Series) -> pl.DataFrame:
    count = len(beliefs.action)
    return pl.DataFrame(
        [
            pl.Series("number", np.arange(believed, believed + count, dtype=np.uint32)),
            pl.Series("action_number", (beliefs.action + block.first).astype(np.uint32)),
            agent.gather(beliefs.action),
            kind.gather(beliefs.action),
            pl.Series("validated", beliefs.judged & ~beliefs.wrong),
            pl.Series("invalidated", beliefs.wrong),
            time("validated_at", beliefs.judged_at, beliefs.judged),
            time("occurred_at", beliefs.at),
            constant("source", Source.SIMULATED.value, count),
        ]
    )


def _truth(block: Block, number: pl.Series) -> pl.DataFrame:
    return pl.DataFrame(
        [
            number,
            pl.Series("success_probability", sigmoid(-block.failure)),
            pl.Series("exposure", block.exposure),
            pl.Series("risk_z", block.risk_z),
            pl.Series("duration_z", block.duration_z),
            pl.Series("changed", block.changed),
            pl.Series("planted", block.planted),
        ]
    )


def true_agents(plan: Plan) -> pl.DataFrame:
    """One row for each agent: its parameters, and its change when it has one (one row for each of several)."""
    rows = []
    for agent in plan.agents:
        own: list[PlantedChange | None] = [change for change in plan.changes if change.agent_id == agent.agent_id]
        for change in own or [None]:
            rows.append(
                {
                    "agent_id": agent.agent_id,
                    "skill": agent.skill,
                    "learning": agent.learning,
                    "confidence_slope": agent.confidence_slope,
                    "confidence_offset": agent.confidence_offset,
                    "change_metric": None if change is None else change.metric.value,
                    "change_at": None if change is None else plan.changed_at(change),
                    "change_size": None if change is None else change.size,
                }
            )
    schema = {"change_metric": pl.String, "change_at": pl.Int64, "change_size": pl.Float64}
    return pl.DataFrame(rows, schema_overrides=schema).with_columns(pl.col("change_at").cast(TIME))


def true_kinds() -> pl.DataFrame:
    """One row for each action type, as `kinds` names its parameters."""
    return pl.DataFrame([vars(kind) for kind in KINDS]).rename({"name": "action_type"})


def true_operators(plan: Plan) -> pl.DataFrame:
    return pl.DataFrame([vars(operator) for operator in plan.operators]).rename({"name": "operator"})
