"""Webhooks and notices: who is told what was recorded. All of it needs an admin's key, but to follow a notice."""

from __future__ import annotations

from collections.abc import Sequence

from assent.client.method import Response, sends
from assent.client.operation import Caller, each
from assent.contract.exchange.webhooks import (
    CREATE_WEBHOOK,
    DELETE_WEBHOOK,
    GET_WEBHOOK,
    GET_WEBHOOK_DELIVERIES,
    GET_WEBHOOKS,
    OPEN_NOTICE,
    ROTATE_WEBHOOK_SECRET,
    TEST_WEBHOOK,
    UPDATE_WEBHOOK,
    DeliveryStatus,
    WebhookDelivery,
)


class WebhookOperations(Caller):
    @sends(CREATE_WEBHOOK)
    def create_webhook(
        self,
        url: str,
        events: Sequence[str] | None = None,
        description: str | None = None,
        *,
        quiet_from: str | None = None,
        quiet_until: str | None = None,
        time_zone: str | None = None,
        digest_minutes: int | None = None,
    ) -> Response:
        """Have `url` told what is recorded from now on, or only what `events` names: events ("approval.requested"),
        kinds of signals ("autonomy_spike"), or "all". `webhook.secret` in the answer is shown this once. Raises
        InvalidRequest for an address that is not https and public.

        An address such as "slack://..." or "mailtos://..." is told in words, for people: a notice. `quiet_from` and
        `quiet_until` ("22:00", "07:00") are in `time_zone`; with `digest_minutes` there is one notice in so many
        minutes at most.
        """

    @sends(GET_WEBHOOKS)
    def get_webhooks(self) -> Response:
        """The organization's webhooks, their secrets masked."""

    @sends(GET_WEBHOOK)
    def get_webhook(self, webhook_id: str) -> Response:
        """One webhook and how it fares, its secret masked. Raises NotFound."""

    @sends(UPDATE_WEBHOOK)
    def update_webhook(
        self,
        webhook_id: str,
        *,
        url: str | None = None,
        events: Sequence[str] | None = None,
        active: bool | None = None,
        description: str | None = None,
        quiet_from: str | None = None,
        quiet_until: str | None = None,
        time_zone: str | None = None,
        digest_minutes: int | None = None,
    ) -> Response:
        """Change a webhook. `active=True` switches one on again that was disabled; it begins with what is recorded
        from then on. Empty times end the quiet hours of a notice. Raises NotFound.
        """

    @sends(DELETE_WEBHOOK, without=("id",))
    def delete_webhook(self, webhook_id: str) -> Response:
        """Remove a webhook; what waited to be tried again is given up. Raises NotFound."""

    @sends(ROTATE_WEBHOOK_SECRET)
    def rotate_webhook_secret(self, webhook_id: str) -> Response:
        """Give a webhook a new secret; for a day, deliveries carry a signature of the old one too. Raises NotFound."""

    @sends(TEST_WEBHOOK)
    def test_webhook(self, webhook_id: str) -> Response:
        """Send one test delivery and wait for what comes of it, at most about ten seconds, twenty of a notice. Raises
        NotFound."""

    @sends(GET_WEBHOOK_DELIVERIES)
    def get_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        status: DeliveryStatus | str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """What was sent and what came of it, newest first. `limit` is 1 to 200. Raises NotFound."""

    iterate_webhook_deliveries = each(get_webhook_deliveries, WebhookDelivery, lambda page: page.deliveries)

    @sends(OPEN_NOTICE)
    def open_notice(self, link: str) -> Response:
        """The request that a notice told of, by the last part of its link; an operator's key may. Raises NotFound for a
        link that is no notice's, Conflict for one that was followed before, and Gone after a day.
        """
