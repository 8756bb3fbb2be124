"""Webhooks: who is told what was recorded. All of it needs an admin's key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.webhooks import (
    CREATE_WEBHOOK,
    DELETE_WEBHOOK,
    GET_WEBHOOK_DELIVERIES,
    GET_WEBHOOKS,
    ROTATE_WEBHOOK_SECRET,
    TEST_WEBHOOK,
    UPDATE_WEBHOOK,
    CreatedWebhook,
    CreateWebhook,
    DeletedWebhook,
    DeliveriesQuery,
    DeliveryStatus,
    TestedWebhook,
    UpdateWebhook,
    WebhookDeliveries,
    WebhookDetail,
    Webhooks,
)


class WebhookChanges(TypedDict, total=False):
    """What may be changed; each is as in `contract.webhooks`."""

    url: str | None
    events: Sequence[str] | None
    active: bool | None
    description: str | None


class DeliveryFilters(TypedDict, total=False):
    """Filters of the list; `limit` is 1 to 200."""

    status: DeliveryStatus | str | None
    limit: int | None
    offset: int | None
    cursor: str | None


class WebhookOperations(Caller):
    @operation
    def create_webhook(
        self, url: str, events: Sequence[str] | None = None, description: str | None = None
    ) -> Flow[CreatedWebhook]:
        """Have `url` told what is recorded from now on, or only what `events` names: events ("approval.requested"),
        kinds of signals ("autonomy_spike"), or "all". `webhook.secret` in the answer is shown this once. Raises
        InvalidRequest for an address that is not https and public.
        """
        body = CreateWebhook(url=url, events=None if events is None else list(events), description=description)
        return (yield from send(CREATE_WEBHOOK, body=body))

    @operation
    def get_webhooks(self) -> Flow[Webhooks]:
        """The organization's webhooks, their secrets masked."""
        return (yield from send(GET_WEBHOOKS))

    @operation
    def update_webhook(self, webhook_id: str, **changes: Unpack[WebhookChanges]) -> Flow[WebhookDetail]:
        """Change a webhook. `active=True` switches one on again that was disabled; it begins with what is recorded
        from then on. Raises NotFound.
        """
        body = members(UpdateWebhook, changes, "update_webhook")
        return (yield from send(UPDATE_WEBHOOK, path={"webhook_id": webhook_id}, body=body))

    @operation
    def delete_webhook(self, webhook_id: str) -> Flow[DeletedWebhook]:
        """Remove a webhook; what waited to be tried again is given up. Raises NotFound."""
        return (yield from send(DELETE_WEBHOOK, path={"webhook_id": webhook_id}))

    @operation
    def rotate_webhook_secret(self, webhook_id: str) -> Flow[CreatedWebhook]:
        """Give a webhook a new secret; for a day, deliveries carry a signature of the old one too. Raises NotFound."""
        return (yield from send(ROTATE_WEBHOOK_SECRET, path={"webhook_id": webhook_id}))

    @operation
    def test_webhook(self, webhook_id: str) -> Flow[TestedWebhook]:
        """Send one test delivery and wait for what comes of it, at most about ten seconds. Raises NotFound."""
        return (yield from send(TEST_WEBHOOK, path={"webhook_id": webhook_id}))

    @operation
    def get_webhook_deliveries(self, webhook_id: str, **filters: Unpack[DeliveryFilters]) -> Flow[WebhookDeliveries]:
        """What was sent and what came of it, newest first. Raises NotFound."""
        query = members(DeliveriesQuery, filters, "get_webhook_deliveries")
        return (yield from send(GET_WEBHOOK_DELIVERIES, path={"webhook_id": webhook_id}, query=query))
