"""Erasure: taking back what was said about an action, without taking back that it happened."""

from assent_service.erasure.erasures import Erasures
from assent_service.erasure.routes import routes
from assent_service.erasure.state import ErasureState, StoredErasure, gone, key_digest
from assent_service.erasure.tables import ERASURES

__all__ = ["ERASURES", "ErasureState", "Erasures", "StoredErasure", "gone", "key_digest", "routes"]
