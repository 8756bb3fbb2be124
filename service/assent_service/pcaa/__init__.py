"""How well a window's actions passed the checkpoints, and one of them with its proof."""

from assent_service.pcaa.routes import action_routes, routes

__all__ = ["action_routes", "routes"]
