"""Making, changing and trying out webhooks."""

from __future__ import annotations

from assent.contract.problems import Code
from assent.contract.webhooks import (
    TEST_EVENT,
    CreatedWebhook,
    CreateWebhook,
    DeletedWebhook,
    DeliveriesQuery,
    TestedWebhook,
    UpdateWebhook,
    Webhook,
    WebhookDeliveries,
)
from assent_service.core.clock import Clock, moment, new_id
from assent_service.core.locks import EntityLocks
from assent_service.core.page import read_page
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.core.rows import Filter
from assent_service.store.ledger import Ledger
from assent_service.webhooks import keyring
from assent_service.webhooks.address import check_url
from assent_service.webhooks.change import changed, removed, rotated
from assent_service.webhooks.choice import chosen
from assent_service.webhooks.courier import Courier, lock_of
from assent_service.webhooks.keyring import Keyring
from assent_service.webhooks.message import test_body
from assent_service.webhooks.sender import Sender
from assent_service.webhooks.settle import FAILED_LONG, GONE, Job, Tried, delivery_of, give_up
from assent_service.webhooks.state import WebhookState
from assent_service.webhooks.stored import Key, StoredDelivery, StoredWebhook
from assent_service.webhooks.tables import WEBHOOK_DELIVERIES

MOST = 50
"""Webhooks of one organization."""
WARNING = "Keep this secret now: it is not shown again. It verifies the signature of every delivery."


class Webhooks:
    """The webhooks of every organization. `allow_private` lets them lead to private addresses and over http."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        state: WebhookState,
        keys: Keyring,
        sender: Sender,
        courier: Courier,
        *,
        allow_private: bool,
    ) -> None:
        self._ledger, self._clock, self._locks, self.state = ledger, clock, locks, state
        self._keys, self._sender, self._courier = keys, sender, courier
        self._allow_private = allow_private

    async def create(self, principal: Principal, said: CreateWebhook) -> CreatedWebhook:
        """Raises `invalid_webhook`."""
        events = chosen(said.events)
        await check_url(said.url, allow_private=self._allow_private)
        async with self._locks.hold(f"webhooks:{principal.org_id}"):
            if len(self.state.of(principal.org_id)) >= MOST:
                raise refuse(
                    Code.INVALID_WEBHOOK, f"The organization has {MOST} webhooks already; delete one of them first."
                )
            now = self._clock()
            webhook_id = new_id("wh_", now)
            secret = self._keys.secret(principal.org_id, webhook_id, 1)
            webhook = StoredWebhook(
                org_id=principal.org_id,
                webhook_id=webhook_id,
                url=said.url,
                description=said.description,
                events=events,
                active=True,
                hint=keyring.hint(secret),
                fingerprint=keyring.fingerprint(secret),
                version=1,
                rotated_at=None,
                after_n=self._newest(principal.org_id),
                failing_since=None,
                disabled_at=None,
                disabled_reason=None,
                created_at=moment(now),
                created_by=principal.key_id,
                updated_at=moment(now),
                deleted_at=None,
            )
            await self._ledger.append(webhook.made(now))
        return CreatedWebhook(webhook=webhook.public(0, keyring.shown(secret)), secret_warning=WARNING)

    def of(self, org_id: str) -> list[Webhook]:
        """In the order of their creation."""
        return [self._public(webhook) for webhook in self.state.of(org_id)]

    def disabled(self, org_id: str) -> list[Webhook]:
        """Those that were switched off because their receiver failed or is gone, and by nobody's hand."""
        found = [webhook for webhook in self.state.of(org_id) if webhook.disabled_reason in (FAILED_LONG, GONE)]
        return [self._public(webhook) for webhook in found if not webhook.active]

    async def update(self, principal: Principal, webhook_id: str, said: UpdateWebhook) -> Webhook:
        """Raises `invalid_webhook` and `webhook_not_found`. Changing nothing records nothing."""
        self._find(principal, webhook_id)
        events = None if said.events is None else chosen(said.events)
        if said.url is not None:
            await check_url(said.url, allow_private=self._allow_private)
        async with self._locks.hold(lock_of((principal.org_id, webhook_id))):
            before = self._find(principal, webhook_id)
            now = self._clock()
            newest = self._newest(principal.org_id)
            told = before.after_n if events is None else await self._courier.told(before, newest)
            after = changed(before, said, events, by=principal.key_id, newest=newest, told=told, now=now)
            if after is not before:
                drafts = [after.changed(principal.key_id, now)]
                if not after.active:
                    waiting = self.state.retrying(after.key)
                    drafts += give_up(waiting, after.disabled_reason or "", principal.key_id, now)
                await self._ledger.append(*drafts)
            if after.url != before.url:
                self._courier.hasten(after.key)
            return self._public(after)

    async def rotate(self, principal: Principal, webhook_id: str) -> CreatedWebhook:
        """Raises `webhook_not_found`."""
        async with self._locks.hold(lock_of((principal.org_id, webhook_id))):
            before = self._find(principal, webhook_id)
            now = self._clock()
            secret = self._keys.secret(principal.org_id, webhook_id, before.version + 1)
            after = rotated(before, keyring.hint(secret), keyring.fingerprint(secret), now)
            await self._ledger.append(after.changed(principal.key_id, now))
            shown = after.public(len(self.state.retrying(after.key)), keyring.shown(secret))
            return CreatedWebhook(webhook=shown, secret_warning=WARNING)

    async def delete(self, principal: Principal, webhook_id: str | None) -> DeletedWebhook:
        """Raises `webhook_not_found`."""
        key = (principal.org_id, webhook_id or "")
        async with self._locks.hold(lock_of(key)):
            before = self._find(principal, webhook_id or "")
            now = self._clock()
            after = removed(before, now)
            ended = give_up(self.state.retrying(key), "The webhook was deleted.", principal.key_id, now)
            await self._ledger.append(*ended, after.changed(principal.key_id, now))
        return DeletedWebhook(success=True, deleted=True, webhook_id=after.webhook_id)

    async def test(self, principal: Principal, webhook_id: str) -> TestedWebhook:
        """Send one delivery now, also to a webhook that is switched off. Raises `webhook_not_found`."""
        webhook = self._find(principal, webhook_id)
        now = self._clock()
        job = Job(new_id("wd_", now), TEST_EVENT, None, test_body(webhook, now), None)
        attempt = await self._sender.send(webhook, job.delivery_id, job.body)
        now = self._clock()
        delivery = delivery_of(webhook, Tried(job, attempt), now, 0.0)
        await self._ledger.append(delivery.event_of(first=True, actor=principal.key_id, now=now))
        if attempt.delivered:
            self._courier.hasten(webhook.key)
        return TestedWebhook(success=attempt.delivered, delivery=delivery.public())

    async def deliveries(self, principal: Principal, webhook_id: str, query: DeliveriesQuery) -> WebhookDeliveries:
        """Raises `webhook_not_found`."""
        webhook = self._find(principal, webhook_id)
        wanted = Filter(webhook.org_id)
        wanted.add("webhook_id = ?", webhook.webhook_id)
        wanted.add("status = ?", query.status)
        page = await read_page(
            self._ledger,
            WEBHOOK_DELIVERIES,
            StoredDelivery,
            wanted,
            cursor=query.cursor,
            limit=query.limit,
            offset=query.offset,
        )
        return WebhookDeliveries(deliveries=[each.public() for each in page.rows], next_cursor=page.next_cursor)

    def _find(self, principal: Principal, webhook_id: str) -> StoredWebhook:
        key: Key = (principal.org_id, webhook_id)
        found = self.state.get(key)
        if found is None:
            raise refuse(
                Code.WEBHOOK_NOT_FOUND,
                f"There is no webhook {webhook_id[:128]!r} in this organization; get_webhooks lists those that are.",
            )
        return found

    def _public(self, webhook: StoredWebhook) -> Webhook:
        return webhook.public(len(self.state.retrying(webhook.key)))

    def _newest(self, org_id: str) -> int:
        """The number of the organization's newest event."""
        return self._ledger.count(org_id) - 1
