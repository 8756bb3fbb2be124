"""Durable outcomes over HTTP."""

from __future__ import annotations

from assent.contract.outcomes import GET_OUTCOME, REPORT_OUTCOME, ReportedOutcome
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.outcomes.outcomes import Outcomes


def routes(outcomes: Outcomes) -> tuple[Route, ...]:
    @route(REPORT_OUTCOME)
    async def report(call: Call) -> Answer:
        outcome, action = await outcomes.report(call.principal, call.path["action_id"], call.body)
        return Answer(ReportedOutcome(outcome=outcome, action=action, action_id=action.action_id))

    @route(GET_OUTCOME)
    async def get(call: Call) -> Answer:
        return Answer(await outcomes.get(call.principal, call.path["action_id"]))

    return report, get
