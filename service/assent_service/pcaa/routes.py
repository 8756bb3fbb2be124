"""PCAA over HTTP."""

from __future__ import annotations

from assent.contract.pcaa import GET_PCAA_HEALTH
from assent.contract.pcaa_actions import GET_PCAA_ACTION
from assent.contract.pcaa_gaps import GET_PCAA_GAPS
from assent_service.core.call import Answer, Call
from assent_service.core.clock import Clock
from assent_service.core.route import Route, route
from assent_service.pcaa.actions import Proofs, Traces, pcaa_action
from assent_service.pcaa.gaps import gaps
from assent_service.pcaa.queries import health
from assent_service.store.ledger import Ledger


def routes(ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @route(GET_PCAA_HEALTH)
    async def get_health(call: Call) -> Answer:
        return Answer(await health(ledger, call.principal, call.query, clock()))

    @route(GET_PCAA_GAPS)
    async def get_gaps(call: Call) -> Answer:
        return Answer(await gaps(ledger, call.principal, call.query, clock()))

    return get_health, get_gaps


def action_routes(traces: Traces, proofs: Proofs) -> tuple[Route, ...]:
    @route(GET_PCAA_ACTION)
    async def get_action(call: Call) -> Answer:
        return Answer(await pcaa_action(traces, proofs, call.principal, call.path["action_id"]))

    return (get_action,)
