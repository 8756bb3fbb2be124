"""Actions: what agents do, from the declaration to the outcome."""

from assent_service.actions.actions import Actions
from assent_service.actions.change import CORRECTION, OUTCOME, changed, draft
from assent_service.actions.routes import routes
from assent_service.actions.tables import ACTIONS

__all__ = ["ACTIONS", "CORRECTION", "OUTCOME", "Actions", "changed", "draft", "routes"]
