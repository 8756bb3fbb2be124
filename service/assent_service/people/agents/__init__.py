"""Agents: who is there, since when silent, and which providers they are connected to."""

from __future__ import annotations

from datetime import timedelta

from assent_service.core.foundation import Foundation
from assent_service.people.agents.agents import Agents, Recorder, routes
from assent_service.people.agents.connections import CONNECTIONS, CONNECTIONS_FENCE, ProviderConnections
from assent_service.people.agents.presence import AGENTS

__all__ = [
    "AGENTS",
    "CONNECTIONS",
    "CONNECTIONS_FENCE",
    "TABLES",
    "Agents",
    "ProviderConnections",
    "Recorder",
    "open_agents",
]

TABLES = (
    AGENTS,
    CONNECTIONS,
)


def open_agents(on: Foundation) -> tuple[Agents, ProviderConnections]:
    """Who is there, and what they are connected to. A recorder writes down what was seen."""
    settings = on.settings
    interval = timedelta(minutes=settings.presence_minutes)
    agents = Agents(
        on.ledger, on.clock, offline_after=timedelta(minutes=settings.agent_offline_minutes), interval=interval
    )
    recorder = Recorder(on.ledger, on.clock, agents, seconds=settings.presence_write_seconds)
    connections = ProviderConnections(on.ledger, on.clock, on.locks, interval=interval)
    on.bring(routes=routes(agents, connections), memory=agents.state, start=recorder.start, stop=recorder.stop)
    return agents, connections
