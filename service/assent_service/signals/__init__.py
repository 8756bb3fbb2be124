"""Signals: what an operator should look at now."""

from assent_service.signals.herald import Herald
from assent_service.signals.routes import routes
from assent_service.signals.signals import Presence, Signals, SilentAgent
from assent_service.signals.state import SignalState
from assent_service.signals.tables import SIGNALS

__all__ = ["SIGNALS", "Herald", "Presence", "SignalState", "Signals", "SilentAgent", "routes"]
