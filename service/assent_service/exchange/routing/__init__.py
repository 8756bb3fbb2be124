"""Routing: tasks that are handed to whoever has the skills and the time."""

from __future__ import annotations

from assent_service.core.foundation import Foundation
from assent_service.exchange.routing.routing import Routing, routes
from assent_service.exchange.routing.state import ROUTING_AGENTS, ROUTING_TASKS

__all__ = [
    "ROUTING_AGENTS",
    "ROUTING_TASKS",
    "TABLES",
    "Routing",
    "open_routing",
]

TABLES = (
    ROUTING_AGENTS,
    ROUTING_TASKS,
)


def open_routing(on: Foundation) -> None:
    routing = Routing(on.ledger, on.clock, on.locks)
    on.bring(routes=routes(routing), memory=routing.state)
