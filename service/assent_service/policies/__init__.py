"""Policies: what guard is told to look at."""

from assent_service.policies.policies import Policies
from assent_service.policies.routes import routes
from assent_service.policies.tables import POLICIES
from assent_service.policies.trial import Trial

__all__ = ["POLICIES", "Policies", "Trial", "routes"]
