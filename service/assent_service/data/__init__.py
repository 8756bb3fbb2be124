"""Tables as data: whole tables of a window for notebooks and warehouses, and what their columns mean."""

from assent_service.data.data import Data
from assent_service.data.pace import Pace
from assent_service.data.routes import routes

__all__ = ["Data", "Pace", "routes"]
