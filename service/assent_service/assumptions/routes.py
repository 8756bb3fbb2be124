"""Assumptions over HTTP."""

from __future__ import annotations

from assent.contract.assumptions import (
    GET_ASSUMPTION,
    GET_ASSUMPTIONS,
    RECORD_ASSUMPTION,
    VALIDATE_ASSUMPTION,
    AssumptionDetail,
)
from assent_service.assumptions.assumptions import Assumptions
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route


def routes(assumptions: Assumptions) -> tuple[Route, ...]:
    @route(RECORD_ASSUMPTION)
    async def record(call: Call) -> Answer:
        return Answer(await assumptions.record(call.principal, call.body), 201)

    @route(GET_ASSUMPTIONS)
    async def list_all(call: Call) -> Answer:
        return Answer(await assumptions.page(call.principal, call.query))

    @route(GET_ASSUMPTION)
    async def get(call: Call) -> Answer:
        found = await assumptions.visible(call.principal, call.path["assumption_id"])
        return Answer(AssumptionDetail(assumption=found))

    @route(VALIDATE_ASSUMPTION)
    async def validate(call: Call) -> Answer:
        judged = await assumptions.validate(call.principal, call.path["assumption_id"], call.body)
        return Answer(AssumptionDetail(assumption=judged))

    return record, list_all, get, validate
