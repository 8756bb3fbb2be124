"""How well a window's actions passed the checkpoints."""

from assent_service.pcaa.routes import routes

__all__ = ["routes"]
