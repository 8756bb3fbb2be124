"""Key points: single things that an agent wants to have at hand later."""

from assent_service.key_points.key_points import KeyPoints
from assent_service.key_points.routes import routes
from assent_service.key_points.tables import KEY_POINTS

__all__ = ["KEY_POINTS", "KeyPoints", "routes"]
