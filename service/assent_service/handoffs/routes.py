"""Handoffs over HTTP."""

from __future__ import annotations

from assent.contract.handoffs import CREATE_HANDOFF, GET_HANDOFFS
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.handoffs.handoffs import Handoffs


def routes(handoffs: Handoffs) -> tuple[Route, ...]:
    @route(CREATE_HANDOFF)
    async def create(call: Call) -> Answer:
        return Answer(await handoffs.create(call.principal, call.body), 201)

    @route(GET_HANDOFFS)
    async def list_all(call: Call) -> Answer:
        return Answer(await handoffs.page(call.principal, call.query))

    return create, list_all
