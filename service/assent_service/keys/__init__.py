"""API keys: who may call, made and revoked."""

from assent_service.keys.keys import Keys
from assent_service.keys.routes import routes
from assent_service.keys.secret import new_secret
from assent_service.keys.tables import KEYS

__all__ = ["KEYS", "Keys", "new_secret", "routes"]
