"""The stream over HTTP."""

from __future__ import annotations

from assent.contract.events import STREAM
from assent_service.core.call import Call
from assent_service.core.route import Route, route
from assent_service.core.stream import EventStream
from assent_service.events.events import Events


def routes(events: Events) -> tuple[Route, ...]:
    @route(STREAM)
    async def stream(call: Call) -> EventStream:
        resume = call.header("last-event-id")
        return await events.open(call.principal, call.query, resume, call.header("user-agent") or "")

    return (stream,)
