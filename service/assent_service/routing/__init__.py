"""Routing: tasks that are handed to whoever has the skills and the time."""

from assent_service.routing.routes import routes
from assent_service.routing.routing import Routing
from assent_service.routing.tables import ROUTING_AGENTS, ROUTING_TASKS

__all__ = ["ROUTING_AGENTS", "ROUTING_TASKS", "Routing", "routes"]
