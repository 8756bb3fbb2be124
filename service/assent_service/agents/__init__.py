"""Agents: who is there, since when silent, and which providers they are connected to."""

from assent_service.agents.agents import Agents
from assent_service.agents.connections import Connections
from assent_service.agents.recorder import Recorder
from assent_service.agents.routes import routes
from assent_service.agents.tables import AGENTS, CONNECTIONS

__all__ = ["AGENTS", "CONNECTIONS", "Agents", "Connections", "Recorder", "routes"]
