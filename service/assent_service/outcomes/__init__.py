"""Durable outcomes: how an execution ended, said once."""

from assent_service.outcomes.outcomes import Outcomes
from assent_service.outcomes.routes import routes
from assent_service.outcomes.tables import ACTION_OUTCOMES

__all__ = ["ACTION_OUTCOMES", "Outcomes", "routes"]
