"""The activity log over HTTP."""

from __future__ import annotations

from assent.contract.activity import GET_ACTIVITY_LOGS
from assent_service.activity.queries import activity
from assent_service.core.call import Answer, Call
from assent_service.core.clock import Clock
from assent_service.core.route import Route, route
from assent_service.store.ledger import Ledger


def routes(ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @route(GET_ACTIVITY_LOGS)
    async def logs(call: Call) -> Answer:
        return Answer(await activity(ledger, call.principal, call.query, clock()))

    return (logs,)
