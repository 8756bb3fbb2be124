"""Webhooks: who is told what was recorded, and how that goes. Pure but for the asking."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import polars as pl

from assent import EventName, Webhook
from assent.contract.events import PRIVATE
from assent.contract.signals import SignalType
from assent.contract.webhooks import ALL, DeliveryStatus, TestedWebhook, WebhookDelivery
from assent.errors import NotFound
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.side_by_side import later

RECENT = 50
KINDS = ("approval_granted", "approval_denied", *(each.value for each in SignalType))
EVENTS = (*KINDS, *sorted(each.value for each in EventName if each not in PRIVATE))
"""What a webhook may be told, the kinds that people ask for first."""
MANY = 4
MARKS = {
    DeliveryStatus.DELIVERED: (":green[:material/check_circle:]", "delivered"),
    DeliveryStatus.RETRYING: (":orange[:material/schedule:]", "is tried again"),
    DeliveryStatus.FAILED: (":red[:material/error:]", "given up"),
}


@dataclass(frozen=True)
class WebhookList:
    """`deliveries` are the newest of the webhook `opened`, None when none is or when it is not there."""

    webhooks: list[Webhook]
    opened: str | None
    deliveries: list[WebhookDelivery] | None


def load(session: Session, opened: str | None) -> WebhookList:
    deliveries = later(lambda: _deliveries(session, opened))
    return WebhookList(session.client.get_webhooks().webhooks, opened, deliveries())


def state(webhook: Webhook, now: datetime) -> str:
    """Markdown: whether it is on, and how it fares."""
    if not webhook.active:
        why = f": {words.plain(webhook.disabled_reason)}" if webhook.disabled_reason else ""
        when = "" if webhook.disabled_at is None else f" {words.ago(webhook.disabled_at, now)}"
        return f":gray[:material/pause_circle:] **Off**{when}{why}"
    if webhook.failing_since is not None:
        said = f":red[:material/error:] **On, and nothing gets through** since {words.moment(webhook.failing_since)}"
        return f"{said}{_again(webhook)}"
    if webhook.retrying:
        return f":orange[:material/schedule:] **On**{_again(webhook)}"
    return ":green[:material/check_circle:] **On**"


def _again(webhook: Webhook) -> str:
    if not webhook.retrying:
        return ""
    return f"; {words.several(webhook.retrying, 'delivery is', 'deliveries are')} tried again"


def told(webhook: Webhook) -> str:
    """Markdown: what it is told."""
    if ALL in webhook.events:
        return "Told of every event"
    shown = ", ".join(words.code(name) for name in webhook.events[:MANY])
    more = len(webhook.events) - MANY
    return f"Told of {shown}" + (f" and {more} more" if more > 0 else "")


def outcome(tested: TestedWebhook) -> str:
    """What came of a test, in a sentence."""
    took = words.exact(tested.delivery.duration_ms / 1000)
    if tested.success:
        return f"The receiver answered {tested.delivery.response_status} after {took}."
    return f"The test did not get through: {why(tested.delivery)} (after {took})."


def why(delivery: WebhookDelivery) -> str:
    """What the last attempt came to."""
    if delivery.error:
        return delivery.error
    if delivery.response_status is None:
        return "no answer"
    return f"the receiver answered {delivery.response_status}"


def shown(deliveries: list[WebhookDelivery]) -> pl.DataFrame:
    """Deliveries as people read them."""
    return pl.DataFrame(
        [
            {
                "When": each.created_at,
                "Event": each.event,
                "Status": MARKS[each.status][1],
                "Attempts": each.attempts,
                "Answer": each.response_status,
                "Why": "" if each.status is DeliveryStatus.DELIVERED else words.clean(why(each)),
                "Took": words.exact(each.duration_ms / 1000),
                "Tried again": each.next_attempt_at,
            }
            for each in deliveries
        ],
        schema={
            "When": pl.Datetime("us", "UTC"),
            "Event": pl.String,
            "Status": pl.String,
            "Attempts": pl.Int64,
            "Answer": pl.Int64,
            "Why": pl.String,
            "Took": pl.String,
            "Tried again": pl.Datetime("us", "UTC"),
        },
    )


def tables(found: WebhookList) -> dict[str, pl.DataFrame]:
    """Never a secret: the service shows it masked here, and even that stays out."""
    texts = ("webhook_id", "url", "description", "disabled_reason", "created_by")
    moments = ("created_at", "failing_since", "disabled_at")
    schema: dict[str, pl.DataType | type[pl.DataType]] = dict.fromkeys(texts, pl.String)
    schema |= {"events": pl.List(pl.String), "active": pl.Boolean, "retrying": pl.Int64}
    schema |= {name: pl.Datetime("us", "UTC") for name in moments}
    made = {
        "webhooks": pl.DataFrame([{name: getattr(each, name) for name in schema} for each in found.webhooks], schema)
    }
    if found.deliveries is not None:
        made["deliveries"] = shown(found.deliveries)
    return made


def _deliveries(session: Session, webhook_id: str | None) -> list[WebhookDelivery] | None:
    if webhook_id is None:
        return None
    try:
        return session.client.get_webhook_deliveries(webhook_id, limit=RECENT).deliveries
    except NotFound:
        return None
