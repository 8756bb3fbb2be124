"""The kill switch over HTTP."""

from __future__ import annotations

from assent.contract.halt import GET_HALT, HALT, RESUME
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.halt.halts import Halts


def routes(halts: Halts) -> tuple[Route, ...]:
    @route(HALT)
    async def halt(call: Call) -> Answer:
        return Answer(await halts.halt(call.principal, call.body.reason))

    @route(RESUME)
    async def resume(call: Call) -> Answer:
        return Answer(await halts.resume(call.principal))

    @route(GET_HALT)
    async def get(call: Call) -> Answer:
        return Answer(halts.get(call.principal.org_id))

    return halt, resume, get
