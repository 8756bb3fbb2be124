"""Read by mypy and basedpyright, never called: what each operation of webhooks gives, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.exchange.webhooks import (
    CreatedWebhook,
    DeletedWebhook,
    OpenedNotice,
    TestedWebhook,
    WebhookDeliveries,
    WebhookDetail,
    Webhooks,
)


def blocking(client: Client) -> None:
    assert_type(client.create_webhook("https://example.com/hook", ["all"], description="pager"), CreatedWebhook)
    assert_type(client.create_webhook("https://example.com/hook").webhook.secret, str)
    assert_type(client.get_webhooks(), Webhooks)
    assert_type(client.update_webhook("wh_1", active=True, events=("halt.changed",)), WebhookDetail)
    assert_type(client.delete_webhook("wh_1"), DeletedWebhook)
    assert_type(client.rotate_webhook_secret("wh_1"), CreatedWebhook)
    assert_type(client.test_webhook("wh_1"), TestedWebhook)
    assert_type(client.get_webhook_deliveries("wh_1", status="failed", limit=5), WebhookDeliveries)
    assert_type(client.open_notice("wh_1.7.1790000000.c2ln"), OpenedNotice)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.create_webhook("https://example.com/hook"), CreatedWebhook)
    assert_type(await client.get_webhooks(), Webhooks)
    assert_type(await client.update_webhook("wh_1", url="https://example.com/"), WebhookDetail)
    assert_type(await client.delete_webhook("wh_1"), DeletedWebhook)
    assert_type(await client.rotate_webhook_secret("wh_1"), CreatedWebhook)
    assert_type(await client.test_webhook("wh_1"), TestedWebhook)
    assert_type(await client.get_webhook_deliveries("wh_1"), WebhookDeliveries)
    assert_type(await client.open_notice("wh_1.7.1790000000.c2ln"), OpenedNotice)
