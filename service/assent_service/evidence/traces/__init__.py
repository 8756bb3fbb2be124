"""Traces: how an action came to be what it is, and what may have gone wrong."""

from __future__ import annotations

from assent_service.core.foundation import Foundation
from assent_service.evidence.traces.traces import Actions, Assumptions, Heads, Loops, Traces, replay, routes

__all__ = [
    "Traces",
    "open_traces",
    "replay",
]


def open_traces(on: Foundation, actions: Actions, assumptions: Assumptions, loops: Loops, heads: Heads) -> Traces:
    traces = Traces(on.ledger, actions, assumptions, loops, heads)
    on.bring(routes=[*routes(traces), replay(on.settings.dashboard_url)])
    return traces
