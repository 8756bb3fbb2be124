"""The activity log: who did what to what."""

from assent_service.activity.routes import routes

__all__ = ["routes"]
