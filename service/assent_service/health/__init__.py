"""Whether the service lives, and whether it can do its work."""

from assent_service.health.health import Inspect, Vitals
from assent_service.health.routes import routes

__all__ = ["Inspect", "Vitals", "routes"]
