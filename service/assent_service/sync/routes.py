"""Sync over HTTP."""

from __future__ import annotations

from assent.contract.sync import SYNC_STATE
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.sync.sync import Sync


def routes(sync: Sync) -> tuple[Route, ...]:
    @route(SYNC_STATE)
    async def state(call: Call) -> Answer:
        return Answer(await sync.state(call.principal, call.body))

    return (state,)
