"""One agent: what is asked for it, and what it comes to in words. Pure but for the asking.

Counts are the service's own aggregates of the window: how guard decided, and what became of its approvals.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from assent import Action, Agent, ApprovalInsight, DecisionMix, Signal
from assent.contract.agents import AgentConnection
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.scope import Scope, in_words
from assent_dashboard.views.side_by_side import later

NEWEST, MOST = 10, 200


@dataclass(frozen=True)
class Opened:
    """`agent` is None for one that has never called. `actions` are its newest in the window, `total` how many there
    are."""

    agent_id: str
    agent: Agent | None
    connections: list[AgentConnection]
    signals: list[Signal]
    mix: DecisionMix
    approvals: ApprovalInsight
    actions: list[Action]
    total: int

    @property
    def unknown(self) -> bool:
        """Whether nothing at all is known of it in this window."""
        return self.agent is None and not (self.mix.n or self.total or self.connections)


def load(session: Session, scope: Scope, agent_id: str) -> Opened:
    client = session.client
    actions = later(lambda: client.get_actions(agent_id=agent_id, days=scope.days, limit=NEWEST))
    mix = later(lambda: client.get_decision_mix(scope.window, agent_id))
    approvals = later(lambda: client.get_approval_insight(scope.window, agent_id))
    connections = later(lambda: client.get_connections(agent_id=agent_id, limit=MOST).connections)
    signals = later(lambda: client.get_signals(agent_id).signals)
    agents = client.get_agents(agent_id=agent_id, with_actions=True, limit=1).agents
    page = actions()
    return Opened(
        agent_id=agent_id,
        agent=agents[0] if agents else None,
        connections=connections(),
        signals=signals(),
        mix=mix(),
        approvals=approvals(),
        actions=page.actions,
        total=page.total,
    )


def counts(opened: Opened) -> tuple[tuple[str, str, str], ...]:
    """Label, number, and what it is of: the window's."""
    mix, asked = opened.mix, opened.approvals
    came = [f"{asked.approved} allowed", f"{asked.denied} denied", f"{asked.expired} expired"]
    if asked.awaiting:
        came.insert(0, f"{asked.awaiting} waiting")
    return (
        ("Actions", words.amount(opened.total), "recorded in the window"),
        (
            "Asked guard",
            words.amount(mix.n),
            f"{words.amount(mix.allow)} allowed, {words.amount(mix.warn)} warned",
        ),
        ("Blocked", words.amount(mix.block), f"of {words.several(mix.n, 'decision')}"),
        ("Approvals asked", words.amount(asked.asked), ", ".join(came)),
    )


def said_of(mix: DecisionMix, scope: Scope) -> str:
    """The picture of its decisions, for somebody who cannot see it."""
    if not mix.n:
        return f"Guard decided nothing for this agent in {in_words(scope.window)}."
    most = max(mix.days, key=lambda day: (day.block, day.require_approval), default=None)
    worst = f"; most blocks on {most.day.day} {most.day:%b}" if most is not None and most.block else ""
    return (
        f"Guard's decisions for this agent by day in {in_words(scope.window)}: {words.amount(mix.allow)} allowed, "
        f"{words.amount(mix.warn)} with a warning, {words.amount(mix.require_approval)} asked for approval, "
        f"{words.amount(mix.block)} blocked{worst}"
    )


def days(mix: DecisionMix) -> pl.DataFrame:
    return pl.DataFrame(
        [(day.day, day.allow, day.warn, day.require_approval, day.block) for day in mix.days],
        schema={"day": pl.Date, "allow": pl.Int64, "warn": pl.Int64, "require_approval": pl.Int64, "block": pl.Int64},
        orient="row",
    )


def connections(opened: Opened) -> pl.DataFrame:
    return pl.DataFrame(
        [
            (each.provider, each.auth_type.value, each.plan_name, each.status.value, each.updated_at)
            for each in opened.connections
        ],
        schema={
            "provider": pl.String,
            "auth_type": pl.String,
            "plan_name": pl.String,
            "status": pl.String,
            "updated_at": pl.Datetime("us", "UTC"),
        },
        orient="row",
    )


def tables(opened: Opened) -> dict[str, pl.DataFrame]:
    return {
        "decisions_by_day": days(opened.mix),
        "newest_actions": pl.DataFrame(
            [
                (
                    *(each.action_id, each.timestamp_start, each.action_type, each.declared_goal, each.status.value),
                    *(each.decision.value, each.risk_score, each.source.value),
                )
                for each in opened.actions
            ],
            schema={
                "action_id": pl.String,
                "timestamp_start": pl.Datetime("us", "UTC"),
                **dict.fromkeys(("action_type", "declared_goal", "status", "decision"), pl.String),
                "risk_score": pl.Float64,
                "source": pl.String,
            },
            orient="row",
        ),
        "connections": connections(opened),
        "signals": pl.DataFrame(
            [(each.type.value, each.severity.value, each.label, each.detail, each.since) for each in opened.signals],
            schema={
                **dict.fromkeys(("type", "severity", "label", "detail"), pl.String),
                "since": pl.Datetime("us", "UTC"),
            },
            orient="row",
        ),
    }
