"""What a window's approvals and decisions add up to."""

from assent_service.insight.routes import routes

__all__ = ["routes"]
