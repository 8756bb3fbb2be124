"""The live stream of what was recorded."""

from assent_service.events.events import Events
from assent_service.events.routes import routes

__all__ = ["Events", "routes"]
