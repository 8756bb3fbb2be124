"""Webhooks and their deliveries: their tables, what is shown of them, and what an admin's change makes of a webhook."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

import msgspec

from assent.contract.events import EventName
from assent.contract.exchange.webhooks import DeliveryStatus, UpdateWebhook, Webhook, WebhookDelivery
from assent.contract.record import OrganizationId, Record, RecordedAt, meaning
from assent_service.base.clock import moment
from assent_service.core.carry import carry
from assent_service.core.payload import encode
from assent_service.store.event import Draft
from assent_service.store.tables import Table

SYSTEM = "system"

Key = tuple[str, str]
"""An organization and the id of its webhook."""


class WebhookRow(Record, frozen=True, kw_only=True):
    """`after_n` is the organization's event after which it is told; `version` says which of its secrets counts."""

    org_id: OrganizationId
    webhook_id: Annotated[str, meaning("id of the webhook", frozen=True)]
    url: Annotated[str, meaning("where deliveries go")]
    description: Annotated[str | None, meaning("what people say about it")]
    events: Annotated[list[str], meaning("names of events and kinds of signals that it is told, or all")]
    active: Annotated[bool, meaning("whether anything is sent")]
    hint: Annotated[str, meaning("last characters of the secret")]
    fingerprint: Annotated[str, meaning("SHA-256 of the secret, hex")]
    version: Annotated[int, meaning("which secret it has, from 1")]
    rotated_at: Annotated[datetime | None, meaning("when it got its present secret, empty for the first")]
    after_n: Annotated[int, meaning("number of the event after which it is told what is recorded")]
    failing_since: Annotated[datetime | None, meaning("since when nothing gets through, empty while deliveries do")]
    disabled_at: Annotated[datetime | None, meaning("when it was switched off")]
    disabled_reason: Annotated[str | None, meaning("why it was switched off")]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that made it")]
    updated_at: Annotated[datetime, meaning("when it last changed")]
    deleted_at: Annotated[datetime | None, meaning("when it was removed")]
    sealed: Annotated[str, meaning("the address of a notice, encrypted; empty for any other webhook")] = ""
    quiet_from: Annotated[str, meaning("when the quiet hours of a notice begin, HH:MM, empty without")] = ""
    quiet_until: Annotated[str, meaning("when they end")] = ""
    time_zone: Annotated[str, meaning("the time zone of both, and of the times that a notice tells; empty for UTC")] = (
        ""
    )
    digest_minutes: Annotated[
        int, meaning("minutes from one notice to the next at least, 0 to tell at once", unit="minutes")
    ] = 0

    @property
    def notice(self) -> bool:
        """Whether it tells people in words."""
        return bool(self.sealed)

    @property
    def key(self) -> Key:
        return self.org_id, self.webhook_id

    def public(self, retrying: int, secret: str | None = None) -> Webhook:
        """Without `secret`, masked."""
        return carry(
            Webhook,
            self,
            id=self.webhook_id,
            secret=secret or ("" if self.notice else f"whsec_...{self.hint}"),
            retrying=retrying,
            notice=self.notice,
        )

    def changed(self, actor: str, now: int) -> Draft:
        """The event that makes this the webhook."""
        return self._event(EventName.WEBHOOK_UPDATED, actor, now)

    def made(self, now: int) -> Draft:
        return self._event(EventName.WEBHOOK_CREATED, self.created_by, now)

    def _event(self, name: EventName, actor: str, now: int) -> Draft:
        data = encode(self)
        return Draft(org=self.org_id, type=name.value, ts=now, subject=self.webhook_id, actor=actor, data=data)


class DeliveryRow(Record, frozen=True, kw_only=True):
    """As `WebhookDelivery`, which shows its id twice."""

    org_id: OrganizationId
    delivery_id: Annotated[str, meaning("id of the delivery, which the receiver sees as webhook-id", frozen=True)]
    webhook_id: Annotated[str, meaning("the webhook", frozen=True)]
    event: Annotated[str, meaning("name of the event", frozen=True)]
    event_n: Annotated[
        int | None, meaning("number of the event within its organization, the last of several; empty for a test")
    ]
    status: Annotated[DeliveryStatus, meaning("delivered, retrying or failed")]
    attempts: Annotated[int, meaning("how often it was tried")]
    response_status: Annotated[int | None, meaning("HTTP status of the last answer, empty when there was none")]
    response_excerpt: Annotated[str | None, meaning("beginning of the last answer, of failures only")]
    error: Annotated[str | None, meaning("what went wrong the last time")]
    duration_ms: Annotated[int, meaning("how long the last attempt took", unit="ms")]
    next_attempt_at: Annotated[datetime | None, meaning("when it is tried again")]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it last changed")]
    first_n: Annotated[int | None, meaning("number of the first event that a notice of several tells")] = None

    @property
    def key(self) -> Key:
        return self.org_id, self.webhook_id

    def public(self) -> WebhookDelivery:
        members = {name: getattr(self, name) for name in DeliveryRow.__struct_fields__}
        return WebhookDelivery(id=self.delivery_id, **members)

    def event_of(self, *, first: bool, actor: str, now: int) -> Draft:
        """The event that makes this the delivery; `first` when there was none."""
        name = EventName.DELIVERY_CREATED if first else EventName.DELIVERY_UPDATED
        data = encode(self)
        return Draft(org=self.org_id, type=name.value, ts=now, subject=self.delivery_id, actor=actor, data=data)


WEBHOOKS = Table.of(
    WebhookRow,
    name="webhooks",
    meaning="addresses that are told what is recorded, removed ones included; their secrets are not here",
    key="webhook_id",
    created=("webhook.created",),
    replaced=("webhook.updated",),
)

WEBHOOK_DELIVERIES = Table.of(
    DeliveryRow,
    name="webhook_deliveries",
    meaning="what was sent to webhooks and what came of it, one row for each event and webhook",
    key="delivery_id",
    created=("webhook_delivery.created",),
    replaced=("webhook_delivery.updated",),
)


# What an admin's change makes of a webhook. Pure.
#
# 1. What is left out stays; a change that says what is so already changes nothing.
# 2. Switching on again begins with what is recorded from then on, and forgets how long it had failed: what happened
#    meanwhile is in the log and in the tables, and a receiver that comes back is not drowned in it.
# 3. Another address has not failed yet either.
# 4. Switching off says who did it.
# 5. Another address of a notice is sealed like the one before, and `said` holds what is shown of it.
# 6. Other events are told from the place that the webhook has got to, which is where the first event is that it was
#    still to be told, and now when there is none: nobody who asks for more is sent the past.


def changed(
    webhook: WebhookRow,
    said: UpdateWebhook,
    events: Sequence[str] | None,
    *,
    sealed: str | None = None,
    by: str,
    newest: int,
    told: int,
    now: int,
) -> WebhookRow:
    """The webhook after the change, the same object when there is none. `events` are those of `said`, checked;
    `newest` is the number of the organization's newest event, `told` that of the last one before those that the webhook
    waits for."""
    at = moment(now)
    said_so: dict[str, Any] = {
        "url": said.url,
        "events": events,
        "active": said.active,
        "description": said.description,
        "sealed": sealed,
        "quiet_from": said.quiet_from,
        "quiet_until": said.quiet_until,
        "time_zone": said.time_zone,
        "digest_minutes": said.digest_minutes,
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
    if "url" in news or "sealed" in news:
        news["failing_since"] = None
    return msgspec.structs.replace(webhook, **news, updated_at=at)


def rotated(webhook: WebhookRow, hint: str, fingerprint: str, now: int) -> WebhookRow:
    at = moment(now)
    version = webhook.version + 1
    return msgspec.structs.replace(
        webhook, version=version, hint=hint, fingerprint=fingerprint, rotated_at=at, updated_at=at
    )


def removed(webhook: WebhookRow, now: int) -> WebhookRow:
    at = moment(now)
    return msgspec.structs.replace(webhook, active=False, deleted_at=at, updated_at=at)
