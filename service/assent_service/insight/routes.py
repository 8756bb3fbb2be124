"""Insight over HTTP."""

from __future__ import annotations

from assent.contract.insight import GET_APPROVAL_INSIGHT, GET_DECISION_MIX, GET_SIGNAL_HISTORY
from assent.contract.weekly import GET_DIGEST
from assent_service.core.call import Answer, Call
from assent_service.core.clock import Clock
from assent_service.core.route import Route, route
from assent_service.insight.approvals import approval_insight
from assent_service.insight.decisions import decision_mix
from assent_service.insight.digest import weekly_digest
from assent_service.insight.signals import signal_history
from assent_service.store.ledger import Ledger


def routes(ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @route(GET_APPROVAL_INSIGHT)
    async def approvals(call: Call) -> Answer:
        return Answer(await approval_insight(ledger, call.principal, call.query, clock()))

    @route(GET_DECISION_MIX)
    async def decisions(call: Call) -> Answer:
        return Answer(await decision_mix(ledger, call.principal, call.query, clock()))

    @route(GET_SIGNAL_HISTORY)
    async def signals(call: Call) -> Answer:
        return Answer(await signal_history(ledger, call.principal, call.query, clock()))

    @route(GET_DIGEST)
    async def digest(call: Call) -> Answer:
        return Answer(await weekly_digest(ledger, call.principal, call.query, clock()))

    return approvals, decisions, signals, digest
