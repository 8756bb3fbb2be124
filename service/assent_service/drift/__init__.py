"""Drift: streams of values that are watched as they come, alerts of those that changed, and windows compared."""

from assent_service.drift.drift import Drift
from assent_service.drift.routes import routes
from assent_service.drift.state import DriftState
from assent_service.drift.tables import DRIFT_ALERTS

__all__ = ["DRIFT_ALERTS", "Drift", "DriftState", "routes"]
