"""Guard over HTTP."""

from __future__ import annotations

from assent.contract.guard import GET_GUARD_DECISIONS, GUARD
from assent_service.core.call import Answer, Call
from assent_service.core.clock import Clock
from assent_service.core.route import Route, route
from assent_service.guard.guard import Guard
from assent_service.guard.queries import list_decisions
from assent_service.store.ledger import Ledger


def routes(guard: Guard, ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @route(GUARD)
    async def ask(call: Call) -> Answer:
        include = call.query.include_signals is True
        return Answer(await guard.ask(call.principal, call.body, call.members, include_signals=include))

    @route(GET_GUARD_DECISIONS)
    async def decisions(call: Call) -> Answer:
        return Answer(await list_decisions(ledger, call.principal, call.query, clock()))

    return ask, decisions
