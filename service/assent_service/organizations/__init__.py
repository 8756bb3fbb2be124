"""Organizations: each with its own keys, policies and evidence."""

from assent_service.organizations.organizations import Organizations, Seed
from assent_service.organizations.routes import routes
from assent_service.organizations.tables import ORGANIZATIONS

__all__ = ["ORGANIZATIONS", "Organizations", "Seed", "routes"]
