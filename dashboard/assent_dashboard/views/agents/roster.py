"""The list of agents: what is asked for it, and how it is narrowed. Pure but for the asking.

The address keeps what is chosen: `?presence=online` or `offline`, `?provider=`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from assent import Agent, Signal
from assent.contract.agents import AgentConnection, AgentPresence, Agents, ConnectionStatus
from assent.contract.signals import Severity
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.agents.presence import presence
from assent_dashboard.views.scope import LONGEST_NAME, read_text
from assent_dashboard.views.side_by_side import later

MOST = 200
"""Agents, and connections, that are looked at."""


@dataclass(frozen=True)
class Narrowed:
    """What the list leaves out; None leaves nothing out."""

    presence: AgentPresence | None = None
    provider: str | None = None


@dataclass(frozen=True)
class Row:
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
    rows: list[Row]
    unheard: list[Row]
    providers: list[str]

    @property
    def left_out(self) -> int:
        """How many agents that fit by their presence are not looked at."""
        return max(0, self.agents.total - len(self.agents.agents))


def read(address: Mapping[str, str]) -> tuple[Narrowed, list[str]]:
    """What an address asks for, and a sentence for each value that means nothing."""
    problems: list[str] = []
    given = address.get("presence", "").strip()
    chosen = AgentPresence(given) if given in list(AgentPresence) else None
    if given and chosen is None:
        problems.append(f"presence is {given[:40]!r}; online and offline are possible. Showing all.")
    return Narrowed(chosen, read_text(address, "provider", LONGEST_NAME, problems)), problems


def load(session: Session, narrowed: Narrowed, recent: Iterable[str]) -> Roster:
    """At most `MOST` agents, those heard of last. `recent` are agents of lately recorded actions."""
    client = session.client
    signals = later(client.get_signals)
    connections = later(lambda: client.get_connections(limit=MOST).connections)
    agents = client.get_agents(status=narrowed.presence, with_actions=True, limit=MOST)
    called = {agent.agent_id for agent in agents.agents}
    # Only who is looked at can be told from who has never called.
    everybody = narrowed.presence is None and agents.total <= len(called)
    acting = sorted(set(recent) - called) if everybody else []
    return arrange(agents, signals().signals, connections(), acting, narrowed)


def arrange(
    agents: Agents,
    signals: Iterable[Signal],
    connections: Iterable[AgentConnection],
    acting: Iterable[str],
    narrowed: Narrowed,
) -> Roster:
    """`acting` are agents of recorded actions that have never called."""
    every, connected = list(signals), list(connections)

    def row(agent_id: str, agent: Agent | None) -> Row:
        return Row(
            agent_id,
            agent,
            tuple(signal for signal in every if signal.agent_id == agent_id),
            tuple(each for each in connected if each.agent_id == agent_id),
        )

    def fits(found: Row) -> bool:
        return narrowed.provider is None or any(each.provider == narrowed.provider for each in found.connections)

    rows = [row(agent.agent_id, agent) for agent in agents.agents]
    unheard = [row(agent_id, None) for agent_id in acting]
    return Roster(
        agents=agents,
        rows=[each for each in rows if fits(each)],
        unheard=[each for each in unheard if fits(each)],
        providers=sorted({each.provider for each in connected}),
    )


def signals_of(row: Row) -> str:
    """Markdown: how many signals are on, and what the first one is."""
    if row.worst is None:
        return ""
    icon = ":red[:material/error:]" if row.worst is Severity.RED else ":orange[:material/warning:]"
    first = words.plain(row.signals[0].label)
    more = f" and {len(row.signals) - 1} more" if len(row.signals) > 1 else ""
    return f"{icon} {first}{more}"


def connected_to(row: Row) -> str:
    """Markdown: its providers, those that do not work with what they report."""
    return ", ".join(
        words.code(each.provider) + ("" if each.status is ConnectionStatus.ACTIVE else f" ({each.status})")
        for each in row.connections
    )


def summary(roster: Roster) -> str:
    """`3 online, 2 offline, 1 that never called.`"""
    never = f", {words.amount(len(roster.unheard))} that never called" if roster.unheard else ""
    return f"{words.amount(roster.agents.online)} online, {words.amount(roster.agents.offline)} offline{never}."


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
