"""Handoffs: what one session of an agent leaves for the next."""

from assent_service.handoffs.handoffs import Handoffs
from assent_service.handoffs.routes import routes
from assent_service.handoffs.tables import HANDOFFS

__all__ = ["HANDOFFS", "Handoffs", "routes"]
