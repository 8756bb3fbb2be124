"""Identities: whose signature is whose."""

from assent_service.identities.given import GivenKey, read_key
from assent_service.identities.identities import Identities, lock
from assent_service.identities.routes import routes
from assent_service.identities.state import IdentityState
from assent_service.identities.tables import IDENTITIES

__all__ = ["IDENTITIES", "GivenKey", "Identities", "IdentityState", "lock", "read_key", "routes"]
