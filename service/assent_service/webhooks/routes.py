"""Webhooks over HTTP."""

from __future__ import annotations

from assent.contract.webhooks import (
    CREATE_WEBHOOK,
    DELETE_WEBHOOK,
    GET_WEBHOOK_DELIVERIES,
    GET_WEBHOOKS,
    ROTATE_WEBHOOK_SECRET,
    TEST_WEBHOOK,
    UPDATE_WEBHOOK,
    WebhookDetail,
)
from assent.contract.webhooks import Webhooks as WebhookList
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.webhooks.webhooks import Webhooks


def routes(webhooks: Webhooks) -> tuple[Route, ...]:
    @route(CREATE_WEBHOOK)
    async def create(call: Call) -> Answer:
        return Answer(await webhooks.create(call.principal, call.body), 201)

    @route(GET_WEBHOOKS)
    async def list_all(call: Call) -> Answer:
        return Answer(WebhookList(webhooks=webhooks.of(call.principal.org_id)))

    @route(UPDATE_WEBHOOK)
    async def update(call: Call) -> Answer:
        changed = await webhooks.update(call.principal, call.path["webhook_id"], call.body)
        return Answer(WebhookDetail(webhook=changed))

    @route(DELETE_WEBHOOK)
    async def delete(call: Call) -> Answer:
        return Answer(await webhooks.delete(call.principal, call.path.get("webhook_id") or call.query.id))

    @route(ROTATE_WEBHOOK_SECRET)
    async def rotate(call: Call) -> Answer:
        return Answer(await webhooks.rotate(call.principal, call.path["webhook_id"]))

    @route(TEST_WEBHOOK)
    async def test(call: Call) -> Answer:
        return Answer(await webhooks.test(call.principal, call.path["webhook_id"]))

    @route(GET_WEBHOOK_DELIVERIES)
    async def deliveries(call: Call) -> Answer:
        return Answer(await webhooks.deliveries(call.principal, call.path["webhook_id"], call.query))

    return create, list_all, update, delete, rotate, test, deliveries
