"""Traces: how an action came to be what it is, and what may have gone wrong."""

from assent_service.traces.replay import replay
from assent_service.traces.routes import routes
from assent_service.traces.traces import Traces

__all__ = ["Traces", "replay", "routes"]
