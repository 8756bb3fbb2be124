"""Risk templates over HTTP."""

from __future__ import annotations

from assent.contract.risk_templates import (
    CREATE_RISK_TEMPLATE,
    DELETE_RISK_TEMPLATE,
    LIST_RISK_TEMPLATES,
    UPDATE_RISK_TEMPLATE,
)
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.risk_templates.risk_templates import RiskTemplateBook


def routes(templates: RiskTemplateBook) -> tuple[Route, ...]:
    @route(CREATE_RISK_TEMPLATE)
    async def create(call: Call) -> Answer:
        return Answer(await templates.create(call.principal, call.body), 201)

    @route(LIST_RISK_TEMPLATES)
    async def list_all(call: Call) -> Answer:
        return Answer(templates.page(call.principal.org_id, call.query))

    @route(UPDATE_RISK_TEMPLATE)
    async def update(call: Call) -> Answer:
        return Answer(await templates.update(call.principal, call.path["template_id"], call.body))

    @route(DELETE_RISK_TEMPLATE)
    async def delete(call: Call) -> Answer:
        return Answer(await templates.delete(call.principal, call.path["template_id"]))

    return create, list_all, update, delete
