"""Signals: what an operator should look at now."""

from __future__ import annotations

from assent_service.control.signals.announcer import SIGNALS, SignalAnnouncer
from assent_service.control.signals.signals import Presence, Signals, SilentAgent, routes
from assent_service.control.signals.state import SignalState
from assent_service.core.foundation import Foundation
from assent_service.core.settings import Thresholds

__all__ = [
    "SIGNALS",
    "TABLES",
    "Presence",
    "SignalAnnouncer",
    "SignalState",
    "Signals",
    "SilentAgent",
    "open_signals",
]

TABLES = (SIGNALS,)


def open_signals(on: Foundation, presence: Presence) -> tuple[Signals, SignalAnnouncer]:
    signals = Signals(SignalState(on.clock, on.settings.signals or Thresholds()), on.clock)
    signals.presence = presence
    announcer = SignalAnnouncer(on.ledger, on.clock, on.locks, signals, on.all_organizations)
    on.bring(routes=routes(signals), memory=signals.state)
    on.bring(start=announcer.start, stop=announcer.stop)
    return signals, announcer
