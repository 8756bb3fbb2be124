"""Health over HTTP."""

from __future__ import annotations

from assent.contract.health import HEALTH, READY
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.health.health import Vitals


def routes(vitals: Vitals) -> tuple[Route, ...]:
    @route(HEALTH)
    async def health(call: Call) -> Answer:
        return Answer(vitals.health())

    @route(READY)
    async def ready(call: Call) -> Answer:
        readiness = await vitals.readiness()
        return Answer(readiness, 200 if readiness.ready else 503)

    return health, ready
