"""Readiness over HTTP."""

from __future__ import annotations

from assent.contract.readiness import GET_READINESS, TEST_CONNECTION
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.readiness.connection import ConnectionCheck
from assent_service.readiness.readiness import Readiness


def routes(readiness: Readiness, connection: ConnectionCheck) -> tuple[Route, ...]:
    @route(GET_READINESS)
    async def get(call: Call) -> Answer:
        return Answer(await readiness.get(call.principal.org_id))

    @route(TEST_CONNECTION)
    async def test(call: Call) -> Answer:
        return Answer(await connection.test(call.principal, call.body))

    return get, test
