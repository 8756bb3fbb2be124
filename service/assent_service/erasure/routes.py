"""Erasure over HTTP."""

from __future__ import annotations

from assent.contract.erasure import ERASE_ACTION
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.erasure.erasures import Erasures


def routes(erasures: Erasures) -> tuple[Route, ...]:
    @route(ERASE_ACTION)
    async def erase(call: Call) -> Answer:
        return Answer(await erasures.erase(call.principal, call.path["action_id"], call.body.reason))

    return (erase,)
