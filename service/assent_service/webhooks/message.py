"""What a receiver gets: the body that Standard Webhooks 1.0.0 advises (`type`, `timestamp`, `data`), and beside it
`event`, which is `type` as receivers of the published system look for it, the organization and the event's number
`id`, the same as on the stream. `data` is the payload as it was recorded, byte for byte."""

from __future__ import annotations

import hashlib

import msgspec

from assent.contract.webhooks import TEST_EVENT
from assent_service.core.clock import moment
from assent_service.store.event import Event
from assent_service.webhooks.stored import StoredWebhook

_encode = msgspec.json.Encoder().encode


def message_id(webhook_id: str, n: int) -> str:
    """The same for the same event at every attempt, also after a crash, so that a receiver can drop repeats."""
    return "wd_" + hashlib.sha256(f"{webhook_id} {n}".encode()).hexdigest()[:32]


def body_of(event: Event) -> bytes:
    members = {
        "type": event.type,
        "event": event.type,
        "timestamp": moment(event.ts),
        "org_id": event.org,
        "id": event.n,
        "data": msgspec.Raw(event.data or b"{}"),
    }
    return _encode(members)


def test_body(webhook: StoredWebhook, now: int) -> bytes:
    members = {
        "type": TEST_EVENT,
        "event": TEST_EVENT,
        "timestamp": moment(now),
        "org_id": webhook.org_id,
        "id": None,
        "data": {"webhook_id": webhook.webhook_id, "message": "A test that an admin asked for; nothing has happened."},
    }
    return _encode(members)
