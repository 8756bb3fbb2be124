"""Webhooks and deliveries as they are recorded, and what is shown of them."""

from __future__ import annotations

from datetime import datetime

from assent.contract.events import EventName
from assent.contract.record import Record
from assent.contract.webhooks import DeliveryStatus, Webhook, WebhookDelivery
from assent_service.core.payload import encode
from assent_service.store.event import Draft

SYSTEM = "system"

Key = tuple[str, str]
"""An organization and the id of its webhook."""


class StoredWebhook(Record, frozen=True, kw_only=True):
    """`after_n` is the organization's event after which it is told; `version` says which of its secrets counts."""

    org_id: str
    webhook_id: str
    url: str
    description: str | None
    events: list[str]
    active: bool
    hint: str
    fingerprint: str
    version: int
    rotated_at: datetime | None
    after_n: int
    failing_since: datetime | None
    disabled_at: datetime | None
    disabled_reason: str | None
    created_at: datetime
    created_by: str
    updated_at: datetime
    deleted_at: datetime | None

    @property
    def key(self) -> Key:
        return self.org_id, self.webhook_id

    def public(self, retrying: int, secret: str | None = None) -> Webhook:
        """Without `secret`, masked."""
        return Webhook(
            id=self.webhook_id,
            org_id=self.org_id,
            webhook_id=self.webhook_id,
            url=self.url,
            description=self.description,
            events=self.events,
            active=self.active,
            secret=secret or f"whsec_...{self.hint}",
            retrying=retrying,
            failing_since=self.failing_since,
            disabled_at=self.disabled_at,
            disabled_reason=self.disabled_reason,
            rotated_at=self.rotated_at,
            created_at=self.created_at,
            created_by=self.created_by,
            updated_at=self.updated_at,
        )

    def changed(self, actor: str, now: int) -> Draft:
        """The event that makes this the webhook."""
        return self._event(EventName.WEBHOOK_UPDATED, actor, now)

    def made(self, now: int) -> Draft:
        return self._event(EventName.WEBHOOK_CREATED, self.created_by, now)

    def _event(self, name: EventName, actor: str, now: int) -> Draft:
        data = encode(self)
        return Draft(org=self.org_id, type=name.value, ts=now, subject=self.webhook_id, actor=actor, data=data)


class StoredDelivery(Record, frozen=True, kw_only=True):
    """As `WebhookDelivery`, which shows its id twice."""

    org_id: str
    delivery_id: str
    webhook_id: str
    event: str
    event_n: int | None
    status: DeliveryStatus
    attempts: int
    response_status: int | None
    response_excerpt: str | None
    error: str | None
    duration_ms: int
    next_attempt_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @property
    def key(self) -> Key:
        return self.org_id, self.webhook_id

    def public(self) -> WebhookDelivery:
        members = {name: getattr(self, name) for name in StoredDelivery.__struct_fields__}
        return WebhookDelivery(id=self.delivery_id, **members)

    def event_of(self, *, first: bool, actor: str, now: int) -> Draft:
        """The event that makes this the delivery; `first` when there was none."""
        name = EventName.DELIVERY_CREATED if first else EventName.DELIVERY_UPDATED
        data = encode(self)
        return Draft(org=self.org_id, type=name.value, ts=now, subject=self.delivery_id, actor=actor, data=data)
