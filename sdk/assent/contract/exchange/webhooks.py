"""Webhooks: addresses that are told what was recorded, signed as Standard Webhooks 1.0.0 has it; and notices, which
tell people in words, in a chat, by e-mail or a pager."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Cursor, Example, Id, Limit, Offset, Query, Record, Request
from assent.contract.roles import ADMIN, OPERATING

ALL = "all"
"""Stands for every event that is ever sent."""
TEST_EVENT = "webhook.test"
"""The `type` of what `test_webhook` sends."""

Url = Annotated[str, Meta(min_length=1, max_length=2048)]
EventNames = Annotated[list[Annotated[str, Meta(min_length=1, max_length=64)]], Meta(max_length=100)]
Description = Annotated[str, Meta(max_length=500)]
QuietTime = Annotated[
    str,
    Meta(
        pattern=r"^(([01][0-9]|2[0-3]):[0-5][0-9])?(?!\n)$",
        description="a time of the day in `time_zone`, HH:MM; empty for none",
    ),
]
TimeZone = Annotated[str, Meta(max_length=64, description="name of a time zone, such as Europe/Berlin")]
DigestMinutes = Annotated[
    int, Meta(ge=0, le=1440, description="minutes from one notice to the next at least; 0 tells at once")
]


class DeliveryStatus(StrEnum):
    """`retrying` is tried again at `next_attempt_at`; `failed` was given up."""

    DELIVERED = "delivered"
    RETRYING = "retrying"
    FAILED = "failed"


class CreateWebhook(Request, frozen=True, kw_only=True):
    """`url` is https, or the address of a notice as apprise writes it (`slack://...`, `mailtos://...`), a secret
    that is never shown again. `events` are names of events, kinds of signals, or "all"; without it, all. A notice can
    tell of `approval.requested`, `approval.expiring`, `approval.escalated`, `halt.changed` and signals, and is quiet
    from `quiet_from` until `quiet_until`."""

    example: ClassVar[Example] = {"url": "https://example.org/hook"}

    url: Url
    events: EventNames | None = None
    description: Description | None = None
    quiet_from: QuietTime | None = None
    quiet_until: QuietTime | None = None
    time_zone: TimeZone | None = None
    digest_minutes: DigestMinutes | None = None


class UpdateWebhook(Request, frozen=True, kw_only=True):
    """What is left out stays. `active` true begins anew with what is recorded from then on, as other `events` do."""

    example: ClassVar[Example] = {"active": False}

    url: Url | None = None
    events: EventNames | None = None
    active: bool | None = None
    description: Description | None = None
    quiet_from: QuietTime | None = None
    quiet_until: QuietTime | None = None
    time_zone: TimeZone | None = None
    digest_minutes: DigestMinutes | None = None


class Webhook(Record, frozen=True, kw_only=True):
    """`id` is `webhook_id`, for published clients. `secret` is whole in the answer that made it and masked ever after.

    `retrying` counts deliveries that failed and are tried again. `failing_since` is set while nothing gets through;
    `disabled_reason` says why a webhook is not active. Of a notice `url` is the beginning of its address alone, and it
    has no secret.
    """

    id: str
    org_id: str
    webhook_id: str
    url: str
    description: str | None
    events: list[str]
    active: bool
    secret: str
    retrying: int
    failing_since: datetime | None
    disabled_at: datetime | None
    disabled_reason: str | None
    rotated_at: datetime | None
    created_at: datetime
    created_by: str
    updated_at: datetime
    notice: bool = False
    quiet_from: str = ""
    quiet_until: str = ""
    time_zone: str = ""
    digest_minutes: int = 0


class CreatedWebhook(Record, frozen=True, kw_only=True):
    webhook: Webhook
    secret_warning: str


class WebhookDetail(Record, frozen=True, kw_only=True):
    webhook: Webhook


class Webhooks(Record, frozen=True, kw_only=True):
    """In the order of their creation."""

    webhooks: list[Webhook]


class DeletedWebhook(Record, frozen=True, kw_only=True):
    success: bool
    deleted: bool
    webhook_id: str


class WebhookDelivery(Record, frozen=True, kw_only=True):
    """One event on its way to one webhook. `id` is `delivery_id`, which the receiver sees as `webhook-id`. A notice may
    tell several events at once, from number `first_n` to `event_n`; `event` is then `digest`.

    `event_n` is the event's number within the organization, None for a test. `response_status`, `response_excerpt` (of
    failures, at most 500 characters), `error` and `duration_ms` are the last attempt's.
    """

    id: str
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
    first_n: int | None = None


class OpenNotice(Request, frozen=True, kw_only=True):
    """`link` is the last part of the link in a notice."""

    example: ClassVar[Example] = {"link": "wh_1.7.1790000000.c2lnbmVk"}

    link: Annotated[str, Meta(min_length=1, max_length=400)]


class OpenedNotice(Record, frozen=True, kw_only=True):
    """The request that the notice told of. To decide on it is the operator's, as ever."""

    action_id: str
    event: str
    opened_at: datetime


class TestedWebhook(Record, frozen=True, kw_only=True):
    """`success` says that the receiver answered 2xx; `delivery` says what happened instead."""

    __test__ = False  # not a test, whatever its name makes pytest believe

    success: bool
    delivery: WebhookDelivery


class WebhookDeliveries(Record, frozen=True, kw_only=True):
    """Newest first."""

    deliveries: list[WebhookDelivery]
    next_cursor: str | None


class WebhookQuery(Query, frozen=True, kw_only=True):
    """`id` names the webhook for published clients, which do not put it in the path."""

    id: Id | None = None


class DeliveriesQuery(Query, frozen=True, kw_only=True):
    status: DeliveryStatus | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


CREATE_WEBHOOK = Endpoint(
    operation="create_webhook",
    method="POST",
    path="/api/webhooks",
    summary="Have an address told what is recorded from now on; the secret is shown this once.",
    roles=ADMIN,
    request=CreateWebhook,
    response=CreatedWebhook,
    statuses=(201,),
    problems=(Code.INVALID_WEBHOOK,),
    # The address of a receiver may hold what lets one in.
    keeps_secrets=("url",),
)
GET_WEBHOOKS = Endpoint(
    operation="get_webhooks",
    method="GET",
    path="/api/webhooks",
    summary="The organization's webhooks and how they fare, without their secrets.",
    roles=ADMIN,
    response=Webhooks,
)
GET_WEBHOOK = Endpoint(
    operation="get_webhook",
    method="GET",
    path="/api/webhooks/{webhook_id}",
    summary="One webhook and how it fares, without its secret.",
    roles=ADMIN,
    response=WebhookDetail,
    problems=(Code.WEBHOOK_NOT_FOUND,),
)
UPDATE_WEBHOOK = Endpoint(
    operation="update_webhook",
    method="PATCH",
    path="/api/webhooks/{webhook_id}",
    summary="Change where a webhook leads or what it is told, switch it off, or on again.",
    roles=ADMIN,
    request=UpdateWebhook,
    response=WebhookDetail,
    problems=(Code.INVALID_WEBHOOK, Code.WEBHOOK_NOT_FOUND, Code.PROJECTION_BEHIND),
    keeps_secrets=("url",),
)
DELETE_WEBHOOK = Endpoint(
    operation="delete_webhook",
    method="DELETE",
    path="/api/webhooks/{webhook_id}",
    also=("/api/webhooks",),
    summary="Remove a webhook; nothing more is sent to it.",
    roles=ADMIN,
    query=WebhookQuery,
    response=DeletedWebhook,
    problems=(Code.WEBHOOK_NOT_FOUND,),
)
ROTATE_WEBHOOK_SECRET = Endpoint(
    operation="rotate_webhook_secret",
    method="POST",
    path="/api/webhooks/{webhook_id}/secret",
    summary="Give a webhook a new secret, shown this once; for a day, deliveries are signed with the old one too.",
    roles=ADMIN,
    response=CreatedWebhook,
    problems=(Code.INVALID_WEBHOOK, Code.WEBHOOK_NOT_FOUND),
)
TEST_WEBHOOK = Endpoint(
    operation="test_webhook",
    method="POST",
    path="/api/webhooks/{webhook_id}/test",
    summary="Send one signed test delivery now, and answer with what came of it.",
    roles=ADMIN,
    response=TestedWebhook,
    problems=(Code.WEBHOOK_NOT_FOUND,),
)
GET_WEBHOOK_DELIVERIES = Endpoint(
    operation="get_webhook_deliveries",
    method="GET",
    path="/api/webhooks/{webhook_id}/deliveries",
    summary="What was sent to a webhook and what came of it, newest first.",
    roles=ADMIN,
    query=DeliveriesQuery,
    response=WebhookDeliveries,
    problems=(Code.WEBHOOK_NOT_FOUND,),
)
OPEN_NOTICE = Endpoint(
    operation="open_notice",
    method="POST",
    path="/api/notices/open",
    summary="Follow the link of a notice to its request; it leads there once, and within a day.",
    roles=OPERATING,
    request=OpenNotice,
    response=OpenedNotice,
    problems=(Code.NOTICE_NOT_FOUND, Code.NOTICE_USED, Code.NOTICE_EXPIRED, Code.PROJECTION_BEHIND),
    # Signed by the service, and not stored.
    keeps_secrets=("link",),
)
