"""Webhooks in memory: those that are there, what of theirs is tried again, and how far each has got.

How far is the highest number of an event that has a delivery: first attempts are made in the order of the log and
recorded together, so everything below has one too, or does not concern the webhook. So a place in the log needs no
record of its own, and after a crash what was sent but not recorded is simply sent again.
"""

from __future__ import annotations

from collections.abc import Iterable

from assent.contract.events import EventName
from assent.contract.exchange.webhooks import DeliveryStatus
from assent_service.base.clock import microseconds
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.exchange.webhooks.choice import types_of
from assent_service.exchange.webhooks.rows import WEBHOOK_DELIVERIES, WEBHOOKS, DeliveryRow, Key, WebhookRow
from assent_service.store.event import Event
from assent_service.store.ledger import Read

_OF_WEBHOOKS = frozenset({EventName.WEBHOOK_CREATED.value, EventName.WEBHOOK_UPDATED.value})
_OF_DELIVERIES = frozenset({EventName.DELIVERY_CREATED.value, EventName.DELIVERY_UPDATED.value})
_NONE: frozenset[str] = frozenset()


class WebhookState:
    """Every webhook that was not removed, by organization and id."""

    types = _OF_WEBHOOKS | _OF_DELIVERIES

    def __init__(self) -> None:
        self._webhooks: dict[str, dict[str, WebhookRow]] = {}
        self._retrying: dict[Key, dict[str, DeliveryRow]] = {}
        self._reached: dict[Key, int] = {}
        self._begun: dict[Key, int] = {}
        self._wanted: dict[str, frozenset[str]] = {}

    def load(self, read: Read) -> None:
        table, deliveries = WEBHOOKS, WEBHOOK_DELIVERIES
        for row in read(
            f"SELECT {select(table)} FROM webhooks WHERE deleted_at IS NULL ORDER BY created_at, webhook_id", []
        ):
            self._keep(record(table, row, WebhookRow))
        for row in read(f"SELECT {select(deliveries)} FROM webhook_deliveries WHERE status = 'retrying'", []):
            self._follow(record(deliveries, row, DeliveryRow))
        for org_id, webhook_id, n, begun in read(
            "SELECT org_id, webhook_id, max(event_n), epoch_us(max(created_at)) FROM webhook_deliveries "
            "WHERE event_n IS NOT NULL GROUP BY org_id, webhook_id",
            [],
        ):
            self._reach((str(org_id), str(webhook_id)), int(str(n)), int(str(begun)))

    def fold(self, event: Event) -> None:
        if event.erased:
            return
        if event.type in _OF_WEBHOOKS:
            self._keep(decode(event, WebhookRow))
        else:
            self._follow(decode(event, DeliveryRow))

    def get(self, key: Key) -> WebhookRow | None:
        return self._webhooks.get(key[0], {}).get(key[1])

    def of(self, org_id: str) -> list[WebhookRow]:
        """In the order of their creation."""
        return list(self._webhooks.get(org_id, {}).values())

    def all(self) -> Iterable[WebhookRow]:
        return [webhook for mine in self._webhooks.values() for webhook in mine.values()]

    @property
    def empty(self) -> bool:
        """Whether nobody has ever had a webhook."""
        return not self._webhooks

    def wanted(self, org_id: str) -> frozenset[str]:
        """The types of events that some active webhook of the organization may take."""
        return self._wanted.get(org_id, _NONE)

    def retrying(self, key: Key) -> dict[str, DeliveryRow]:
        """Deliveries that are tried again, by id."""
        return self._retrying.get(key, {})

    def reached(self, webhook: WebhookRow) -> int:
        """The number of the last event that was tried, or after which the webhook begins."""
        return max(webhook.after_n, self._reached.get(webhook.key, -1))

    def begun(self, key: Key) -> int | None:
        """When the newest first attempt was recorded (microseconds), tests aside."""
        return self._begun.get(key)

    def _keep(self, webhook: WebhookRow) -> None:
        mine = self._webhooks.setdefault(webhook.org_id, {})
        if webhook.deleted_at is None:
            mine[webhook.webhook_id] = webhook
        else:
            mine.pop(webhook.webhook_id, None)
            self._retrying.pop(webhook.key, None)
            self._reached.pop(webhook.key, None)
            self._begun.pop(webhook.key, None)
        types = [types_of(each.events) for each in mine.values() if each.active]
        if types:
            self._wanted[webhook.org_id] = frozenset().union(*types)
        else:
            self._wanted.pop(webhook.org_id, None)

    def _follow(self, delivery: DeliveryRow) -> None:
        if self.get(delivery.key) is None:
            return
        if delivery.event_n is not None:
            self._reach(delivery.key, delivery.event_n, microseconds(delivery.created_at))
        if delivery.status is DeliveryStatus.RETRYING:
            self._retrying.setdefault(delivery.key, {})[delivery.delivery_id] = delivery
        else:
            self._retrying.get(delivery.key, {}).pop(delivery.delivery_id, None)

    def _reach(self, key: Key, n: int, begun: int) -> None:
        if self.get(key) is not None:
            self._reached[key] = max(n, self._reached.get(key, -1))
            self._begun[key] = max(begun, self._begun.get(key, begun))
