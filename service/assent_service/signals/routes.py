"""Signals over HTTP."""

from __future__ import annotations

from assent.contract.signals import GET_SIGNALS
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.signals.signals import Signals


def routes(signals: Signals) -> tuple[Route, ...]:
    @route(GET_SIGNALS)
    async def get(call: Call) -> Answer:
        return Answer(signals.page(call.principal, call.query))

    return (get,)
