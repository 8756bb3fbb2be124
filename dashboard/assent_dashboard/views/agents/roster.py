"""The list of agents: what is asked for it, how it is narrowed, and how present each is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import polars as pl

from assent import Agent, Signal
from assent.contract.control.signals import Severity
from assent.contract.people.agents import AgentConnection, AgentPresence, Agents, ConnectionStatus
from assent_analytics.charts.palette import spoken
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import AgentsAddress
from assent_dashboard.views.answers import later


class PresenceLabel(StrEnum):
    ONLINE = "Online"
    SIGNED_OFF = "Signed off"
    SILENT = "Silent"
    QUIET = "Not heard of"
    HISTORY = "History only"


@dataclass(frozen=True)
class Look:
    """How a presence is shown: never by its colour alone."""

    color: str
    icon: str
    means: str


LOOKS = {
    PresenceLabel.ONLINE: Look("green", ":material/sensors:", "It was heard of lately."),
    PresenceLabel.SIGNED_OFF: Look(
        "gray", ":material/logout:", "It said itself that it goes. Its next call brings it back; nothing is wrong."
    ),
    PresenceLabel.SILENT: Look(
        "orange",
        ":material/sensors_off:",
        "It used to send heartbeats and stopped without signing off: it crashed, hangs, or cannot reach the service. "
        "Look at its process; its next call brings it back.",
    ),
    PresenceLabel.QUIET: Look(
        "gray",
        ":material/schedule:",
        "It calls when it acts and sends no heartbeats, so its silence says nothing.",
    ),
    PresenceLabel.HISTORY: Look(
        "violet",
        ":material/history:",
        "Its actions were imported or simulated: it has never called, so nothing is known of its presence.",
    ),
}


def presence(agent: Agent | None) -> PresenceLabel:
    if agent is None:
        return PresenceLabel.HISTORY
    if agent.status is AgentPresence.ONLINE:
        return PresenceLabel.ONLINE
    if agent.last_heartbeat is None:
        return PresenceLabel.QUIET
    signed_off = agent.said == AgentPresence.OFFLINE and agent.last_seen <= agent.last_heartbeat
    return PresenceLabel.SIGNED_OFF if signed_off else PresenceLabel.SILENT


def badge(of: PresenceLabel) -> str:
    """Markdown: colour, icon and word."""
    look = LOOKS[of]
    return f":{look.color}-badge[{look.icon} {of}]"


def heard(agent: Agent, now: datetime) -> str:
    """`heard of 3 min ago`; `now` is the service's time."""
    return f"heard of {words.ago(agent.last_seen, now)}"


def doing(agent: Agent) -> str:
    """Markdown: what it last said of itself; nothing when it has never said so."""
    if agent.last_heartbeat is None:
        return ""
    task = f", at the task {words.code(agent.current_task_id)}" if agent.current_task_id else ""
    return f"says it is {words.code(agent.said)}{task}"


MOST = 200
"""Agents, and connections, that are looked at."""


@dataclass(frozen=True)
class RosterRow:
    """`agent` is None for one that is known from recorded actions alone."""

    agent_id: str
    agent: Agent | None
    signals: tuple[Signal, ...]
    connections: tuple[AgentConnection, ...]

    @property
    def name(self) -> str | None:
        return self.agent.agent_name if self.agent is not None else None

    @property
    def worst(self) -> Severity | None:
        if not self.signals:
            return None
        return Severity.RED if any(signal.severity is Severity.RED for signal in self.signals) else Severity.AMBER


@dataclass(frozen=True)
class Roster:
    """`rows` are those that fit, `agents` what the service said, `providers` the names to choose from. `unheard` are
    the agents of lately recorded actions that have never called."""

    agents: Agents
    rows: list[RosterRow]
    unheard: list[RosterRow]
    providers: list[str]

    @property
    def left_out(self) -> int:
        """How many agents that fit by their presence are not looked at."""
        return max(0, self.agents.total - len(self.agents.agents))


def load(session: Session, address: AgentsAddress, recent: Iterable[str]) -> Roster:
    """At most `MOST` agents, those heard of last. `recent` are agents of lately recorded actions."""
    client = session.client
    signals = later(client.get_signals)
    connections = later(lambda: client.get_connections(limit=MOST).connections)
    agents = client.get_agents(status=address.presence, with_actions=True, limit=MOST)
    called = {agent.agent_id for agent in agents.agents}
    # Only who is looked at can be told from who has never called.
    everybody = address.presence is None and agents.total <= len(called)
    acting = sorted(set(recent) - called) if everybody else []
    return arrange(agents, signals().signals, connections(), acting, address)


def arrange(
    agents: Agents,
    signals: Iterable[Signal],
    connections: Iterable[AgentConnection],
    acting: Iterable[str],
    address: AgentsAddress,
) -> Roster:
    """`acting` are agents of recorded actions that have never called."""
    every, connected = list(signals), list(connections)

    def row(agent_id: str, agent: Agent | None) -> RosterRow:
        return RosterRow(
            agent_id,
            agent,
            tuple(signal for signal in every if signal.agent_id == agent_id),
            tuple(each for each in connected if each.agent_id == agent_id),
        )

    def fits(found: RosterRow) -> bool:
        return address.provider is None or any(each.provider == address.provider for each in found.connections)

    rows = [row(agent.agent_id, agent) for agent in agents.agents]
    unheard = [row(agent_id, None) for agent_id in acting]
    return Roster(
        agents=agents,
        rows=[each for each in rows if fits(each)],
        unheard=[each for each in unheard if fits(each)],
        providers=sorted({each.provider for each in connected}),
    )


def signals_of(row: RosterRow) -> str:
    """Markdown: how many signals are on, and what the first one is."""
    if row.worst is None:
        return ""
    icon = ":red[:material/error:]" if row.worst is Severity.RED else ":orange[:material/warning:]"
    first = words.plain(row.signals[0].label)
    more = f" and {len(row.signals) - 1} more" if len(row.signals) > 1 else ""
    return f"{icon} {first}{more}"


def connected_to(row: RosterRow) -> str:
    """Markdown: its providers, those that do not work with what they report."""
    return ", ".join(
        words.code(each.provider) + ("" if each.status is ConnectionStatus.ACTIVE else f" ({spoken(each.status)})")
        for each in row.connections
    )


def summary(roster: Roster) -> str:
    """`3 online, 2 offline, 1 that never called.`"""
    never = f", {words.amount(len(roster.unheard))} that never called" if roster.unheard else ""
    return f"{words.amount(roster.agents.online)} online, {words.amount(roster.agents.offline)} offline{never}."


def signalled(roster: Roster) -> str:
    """`2 of those below have a signal on, 1 of them a red one.`"""
    worst = [row.worst for row in [*roster.rows, *roster.unheard] if row.worst is not None]
    if not worst:
        return "No signal is on for any of those below."
    red = worst.count(Severity.RED)
    has = "has" if len(worst) == 1 else "have"
    return f"{words.amount(len(worst))} of those below {has} a signal on, {words.amount(red)} of them a red one."


def table(roster: Roster) -> pl.DataFrame:
    rows = [
        {
            "agent_id": row.agent_id,
            "agent_name": row.name,
            "presence": presence(row.agent).value,
            "said": row.agent and row.agent.said,
            "current_task_id": row.agent and row.agent.current_task_id,
            "first_seen": row.agent and row.agent.first_seen,
            "last_seen": row.agent and row.agent.last_seen,
            "last_heartbeat": row.agent and row.agent.last_heartbeat,
            "actions": row.agent and row.agent.actions,
            "signals": len(row.signals),
            "signal_types": sorted(Counter(signal.type.value for signal in row.signals)),
            "providers": [each.provider for each in row.connections],
        }
        for row in [*roster.rows, *roster.unheard]
    ]
    schema: dict[str, pl.DataType | type[pl.DataType]] = dict.fromkeys(
        ("agent_id", "agent_name", "presence", "said", "current_task_id"), pl.String
    )
    schema |= {name: pl.Datetime("us", "UTC") for name in ("first_seen", "last_seen", "last_heartbeat")}
    schema |= {"actions": pl.Int64, "signals": pl.Int64}
    schema |= {"signal_types": pl.List(pl.String), "providers": pl.List(pl.String)}
    return pl.DataFrame(rows, schema=schema)
