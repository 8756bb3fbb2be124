"""The live stream of what was recorded."""

from __future__ import annotations

from assent_service.core.foundation import Foundation
from assent_service.evidence.events.events import Events, routes

__all__ = [
    "Events",
    "open_events",
]


def open_events(on: Foundation) -> Events:
    events = Events(on.ledger, on.clock, heartbeat=on.settings.heartbeat_seconds, queue=on.settings.stream_queue)
    on.bring(routes=routes(events), stop=events.stop_all)
    return events
