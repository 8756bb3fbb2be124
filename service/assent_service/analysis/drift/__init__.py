"""Drift: streams of values that are watched as they come, alerts of those that changed, and windows compared."""

from __future__ import annotations

from assent_service.analysis.drift.drift import Drift, routes
from assent_service.analysis.drift.state import DRIFT_ALERTS, DriftState
from assent_service.core.foundation import Foundation

__all__ = [
    "DRIFT_ALERTS",
    "TABLES",
    "Drift",
    "DriftState",
    "open_drift",
]

TABLES = (DRIFT_ALERTS,)


def open_drift(on: Foundation) -> Drift:
    drift = Drift(
        on.ledger,
        on.clock,
        on.locks,
        on.home,
        on.shy_pace,
        weights=on.settings.episodes,
        alpha=on.settings.drift_false_alarms,
    )
    on.bring(
        routes=routes(drift),
        memory=drift.state,
        start=drift.follower.start,
        stop=drift.follower.stop,
        inspect=drift.follower.inspect,
    )
    return drift
