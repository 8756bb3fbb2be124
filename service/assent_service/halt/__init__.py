"""The kill switch."""

from assent_service.halt.halts import Halts
from assent_service.halt.routes import routes
from assent_service.halt.tables import HALTS

__all__ = ["HALTS", "Halts", "routes"]
