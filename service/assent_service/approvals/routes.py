"""Approvals over HTTP."""

from __future__ import annotations

from assent.contract.actions import APPROVE_ACTION
from assent.contract.claims import CLAIM_ACTION
from assent_service.approvals.approvals import Approvals
from assent_service.core.call import Answer, Call
from assent_service.core.idempotency import idempotency_key
from assent_service.core.route import Route, route


def routes(approvals: Approvals) -> tuple[Route, ...]:
    @route(APPROVE_ACTION)
    async def approve(call: Call) -> Answer:
        key = idempotency_key(call)
        return Answer(await approvals.decide(call.principal, call.path["action_id"], call.body, key))

    @route(CLAIM_ACTION)
    async def claim(call: Call) -> Answer:
        key = idempotency_key(call)
        return Answer(await approvals.claim(call.principal, call.path["action_id"], call.body, key))

    return approve, claim
