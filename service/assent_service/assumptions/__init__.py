"""Assumptions: what an agent believed while it acted, and whether that held."""

from assent_service.assumptions.assumptions import Assumptions
from assent_service.assumptions.routes import routes
from assent_service.assumptions.tables import ASSUMPTIONS

__all__ = ["ASSUMPTIONS", "Assumptions", "routes"]
