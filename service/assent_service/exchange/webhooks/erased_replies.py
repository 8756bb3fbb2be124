"""What receivers answered to events that are being erased.

A receiver that refuses a delivery may repeat in its answer what it was sent, and the beginning of that answer is kept.
So a delivery of an erased event that failed at least once is recorded once more, without the answer, and given up if
it still waited; everything that was recorded of it before is erased with the event.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from assent.contract.exchange.webhooks import DeliveryStatus
from assent_service.base.clock import Clock, moment
from assent_service.core.locks import WEBHOOK_FENCE, EntityLocks
from assent_service.core.rows import record, select
from assent_service.exchange.webhooks.rows import SYSTEM, WEBHOOK_DELIVERIES, DeliveryRow
from assent_service.exchange.webhooks.state import WebhookState
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

ERASED = "what the event said was erased"


class ErasedReplies:
    """Finds such deliveries."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, state: WebhookState) -> None:
        self._ledger, self._clock, self._locks, self._state = ledger, clock, locks, state

    @asynccontextmanager
    async def silenced(self, org_id: str, numbers: Sequence[int]) -> AsyncIterator[list[Draft]]:
        """The events that replace such deliveries of the organization's events `numbers`, to be recorded right behind
        the erasure; until then nothing else is recorded of them. Raises `projection_behind`."""
        names = [WEBHOOK_FENCE.of(*webhook.key) for webhook in self._state.of(org_id)]
        async with self._locks.hold(*sorted(names)):
            now = self._clock()
            failed = await self._failed(org_id, numbers) if names else []
            yield [silent(each, now).event_of(first=False, actor=SYSTEM, now=now) for each in failed]

    async def _failed(self, org_id: str, numbers: Sequence[int]) -> list[DeliveryRow]:
        marks = ", ".join("?" * len(numbers))
        rows = await self._ledger.read(
            f"SELECT {select(WEBHOOK_DELIVERIES)} FROM webhook_deliveries "
            f"WHERE org_id = ? AND event_n IN ({marks}) AND (status <> 'delivered' OR attempts > 1)",
            [org_id, *numbers],
        )
        return [record(WEBHOOK_DELIVERIES, row, DeliveryRow) for row in rows]


def silent(delivery: DeliveryRow, now: int) -> DeliveryRow:
    """The delivery without what was answered."""
    waiting = delivery.status is DeliveryStatus.RETRYING
    return msgspec.structs.replace(
        delivery,
        status=DeliveryStatus.FAILED if waiting else delivery.status,
        response_excerpt=None,
        error=None if delivery.status is DeliveryStatus.DELIVERED else ERASED,
        next_attempt_at=None,
        updated_at=moment(now),
    )
