"""What attempts make of deliveries and of their webhook. Pure.

1. 2xx delivers. Anything else is tried again by the schedule (`schedule`), until it is given up; an event that was
   erased meanwhile is given up at once, and is not held against the webhook.
2. A webhook is failing from the first attempt that failed, until one delivers.
3. It is disabled at once when the receiver answers 410, and when a delivery is given up while nothing has got through
   for five days. Whatever waited to be tried again is then given up, too.
4. While a webhook is disabled nothing is tried again; what was on its way is recorded as it ended.
5. A delivery that was given up meanwhile, because somebody disabled its webhook, stays as it was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

import msgspec

from assent.contract.exchange.webhooks import DeliveryStatus
from assent_service.base.clock import moment
from assent_service.exchange.webhooks.rows import SYSTEM, DeliveryRow, WebhookRow
from assent_service.exchange.webhooks.schedule import next_attempt
from assent_service.exchange.webhooks.sender import Attempt
from assent_service.store.event import Draft

GIVE_UP_AFTER = timedelta(days=5)
GONE = "The receiver answered 410 Gone."
FAILED_LONG = "Nothing has got through for five days."

Retrying = Mapping[str, DeliveryRow]


class Job(NamedTuple):
    """What is to be sent. `before` is None for a first attempt. `action` is the one that the event belongs to.
    `first_n` is the number of the first of several events, and None for one."""

    delivery_id: str
    event: str
    event_n: int | None
    body: bytes
    before: DeliveryRow | None
    action: str | None = None
    first_n: int | None = None


class AttemptedJob(NamedTuple):
    job: Job
    attempt: Attempt


class Settled(NamedTuple):
    """`webhook` is as it is now; `recovered` when something got through after a time of failures."""

    drafts: list[Draft]
    webhook: WebhookRow
    recovered: bool


def settle(
    webhook: WebhookRow, retrying: Retrying, tried: Sequence[AttemptedJob], now: int, chance: Callable[[], float]
) -> Settled:
    """What is to be recorded, all at once; `retrying` are the deliveries that are to be tried again by now."""
    counted = [each for each in tried if each.job.before is None or each.job.delivery_id in retrying]
    after = _judged(webhook, [each.attempt for each in counted], now)
    settled = {each.job.delivery_id: delivery_of(after, each, now, chance()) for each in counted}
    given_up = any(each.status is DeliveryStatus.FAILED for each in settled.values())
    if after.active and given_up and _silent_for_long(after, now):
        after = disabled(after, FAILED_LONG, now)
        settled = {id_: _failed(each, FAILED_LONG, now) for id_, each in settled.items()}
    drafts = [
        settled[each.job.delivery_id].event_of(first=each.job.before is None, actor=SYSTEM, now=now) for each in counted
    ]
    if webhook.active and not after.active:
        others = {id_: each for id_, each in retrying.items() if id_ not in settled}
        drafts += give_up(others, after.disabled_reason or "", SYSTEM, now)
    if after is not webhook:
        drafts.append(after.changed(SYSTEM, now))
    recovered = webhook.failing_since is not None and after.failing_since is None
    return Settled(drafts, after, recovered)


def delivery_of(webhook: WebhookRow, tried: AttemptedJob, now: int, chance: float) -> DeliveryRow:
    """The delivery after an attempt; a webhook that is not active tries nothing again."""
    job, attempt = tried
    attempts = 1 if job.before is None else job.before.attempts + 1
    status, again = DeliveryStatus.DELIVERED, None
    if not attempt.delivered:
        # A test has no number, and nobody waits for another one.
        if webhook.active and job.event_n is not None and not attempt.hopeless:
            again = next_attempt(attempts, now, chance=chance, asked=attempt.asked)
        status = DeliveryStatus.FAILED if again is None else DeliveryStatus.RETRYING
    return DeliveryRow(
        org_id=webhook.org_id,
        delivery_id=job.delivery_id,
        webhook_id=webhook.webhook_id,
        event=job.event,
        event_n=job.event_n,
        status=status,
        attempts=attempts,
        response_status=attempt.status,
        response_excerpt=attempt.excerpt,
        error=attempt.error,
        duration_ms=attempt.duration_ms,
        next_attempt_at=None if again is None else moment(again),
        created_at=moment(now) if job.before is None else job.before.created_at,
        updated_at=moment(now),
        first_n=job.first_n,
    )


def disabled(webhook: WebhookRow, why: str, now: int) -> WebhookRow:
    at = moment(now)
    return msgspec.structs.replace(webhook, active=False, disabled_at=at, disabled_reason=why, updated_at=at)


def give_up(retrying: Retrying, why: str, actor: str, now: int) -> list[Draft]:
    """The events that end what waited to be tried again."""
    return [_failed(each, why, now).event_of(first=False, actor=actor, now=now) for each in retrying.values()]


def _failed(delivery: DeliveryRow, why: str, now: int) -> DeliveryRow:
    if delivery.status is not DeliveryStatus.RETRYING:
        return delivery
    error = f"{delivery.error}; given up: {why}"
    return msgspec.structs.replace(
        delivery, status=DeliveryStatus.FAILED, next_attempt_at=None, error=error, updated_at=moment(now)
    )


def _judged(webhook: WebhookRow, attempts: Sequence[Attempt], now: int) -> WebhookRow:
    """The webhook after these attempts, made at the same time; the same object when they change nothing."""
    attempts = [attempt for attempt in attempts if not attempt.hopeless]
    if not webhook.active or not attempts:
        return webhook
    if any(attempt.gone for attempt in attempts):
        return disabled(webhook, GONE, now)
    through = any(attempt.delivered for attempt in attempts)
    if through == (webhook.failing_since is None):
        return webhook
    since = None if through else moment(now)
    return msgspec.structs.replace(webhook, failing_since=since, updated_at=moment(now))


def _silent_for_long(webhook: WebhookRow, now: int) -> bool:
    return webhook.failing_since is not None and moment(now) - webhook.failing_since >= GIVE_UP_AFTER
