"""Pairings: an agent asks that its public key be trusted, and an admin says yes."""

from assent_service.pairings.pairings import Pairings
from assent_service.pairings.routes import routes
from assent_service.pairings.tables import PAIRINGS

__all__ = ["PAIRINGS", "Pairings", "routes"]
