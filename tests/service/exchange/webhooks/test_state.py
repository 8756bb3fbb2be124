"""Webhooks in memory, where their events are not all there any more."""

from __future__ import annotations

from msgspec.structs import replace

from assent_service.exchange.webhooks.state import WebhookState
from tests.service.exchange.webhooks.receiver import Post, Receiver


async def test_an_erased_event_changes_nothing(post: Post, receiver: Receiver) -> None:
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    await post.world.act()
    await post.rounds(webhook_id)
    state = WebhookState()
    for event in await post.world.events():
        if event.type in state.types:
            state.fold(event)
            state.fold(replace(event, body=b" " * len(event.body)))
    assert state.of(post.world.org_id) == post.state.of(post.world.org_id)
    (webhook,) = state.of(post.world.org_id)
    assert state.reached(webhook) == post.state.reached(webhook)
