"""What an admin's change makes of a webhook. Pure.

1. What is left out stays; a change that says what is so already changes nothing.
2. Switching on again begins with what is recorded from then on, and forgets how long it had failed: what happened
   meanwhile is in the log and in the tables, and a receiver that comes back is not drowned in it.
3. Another address has not failed yet either.
4. Switching off says who did it.
5. Other events are told from the place that the webhook has got to, which is where the first event is that it was
   still to be told, and now when there is none: nobody who asks for more is sent the past.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from assent.contract.webhooks import UpdateWebhook
from assent_service.core.clock import moment
from assent_service.webhooks.stored import StoredWebhook


def changed(
    webhook: StoredWebhook,
    said: UpdateWebhook,
    events: Sequence[str] | None,
    *,
    by: str,
    newest: int,
    told: int,
    now: int,
) -> StoredWebhook:
    """The webhook after the change, the same object when there is none. `events` are those of `said`, checked;
    `newest` is the number of the organization's newest event, `told` that of the last one before those that the webhook
    waits for."""
    at = moment(now)
    said_so: dict[str, Any] = {
        "url": said.url,
        "events": events,
        "active": said.active,
        "description": said.description,
    }
    news = {name: value for name, value in said_so.items() if value is not None and value != getattr(webhook, name)}
    if not news:
        return webhook
    if "events" in news:
        news["after_n"] = max(webhook.after_n, told)
    if news.get("active") is True:
        news |= {"after_n": newest, "failing_since": None, "disabled_at": None, "disabled_reason": None}
    elif news.get("active") is False:
        news |= {"disabled_at": at, "disabled_reason": f"An admin switched it off (key {by})."}
    if "url" in news:
        news["failing_since"] = None
    return msgspec.structs.replace(webhook, **news, updated_at=at)


def rotated(webhook: StoredWebhook, hint: str, fingerprint: str, now: int) -> StoredWebhook:
    at = moment(now)
    version = webhook.version + 1
    return msgspec.structs.replace(
        webhook, version=version, hint=hint, fingerprint=fingerprint, rotated_at=at, updated_at=at
    )


def removed(webhook: StoredWebhook, now: int) -> StoredWebhook:
    at = moment(now)
    return msgspec.structs.replace(webhook, active=False, deleted_at=at, updated_at=at)
