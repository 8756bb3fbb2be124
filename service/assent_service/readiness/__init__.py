"""Whether the workspace is ready: its checks, its shares, and a test from end to end."""

from assent_service.readiness.connection import ConnectionCheck
from assent_service.readiness.readiness import Readiness
from assent_service.readiness.routes import routes

__all__ = ["ConnectionCheck", "Readiness", "routes"]
