"""Sync: an agent's whole state in one call."""

from assent_service.sync.routes import routes
from assent_service.sync.sections import Nouns
from assent_service.sync.sync import Sync

__all__ = ["Nouns", "Sync", "routes"]
