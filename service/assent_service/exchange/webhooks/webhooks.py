"""Webhooks: making, changing, testing and deleting them, a new secret for one, and the list of its deliveries."""

from __future__ import annotations

from assent.contract.exchange.webhooks import (
    CREATE_WEBHOOK,
    DELETE_WEBHOOK,
    GET_WEBHOOK_DELIVERIES,
    GET_WEBHOOKS,
    ROTATE_WEBHOOK_SECRET,
    TEST_EVENT,
    TEST_WEBHOOK,
    UPDATE_WEBHOOK,
    CreatedWebhook,
    CreateWebhook,
    DeletedWebhook,
    DeliveriesQuery,
    TestedWebhook,
    UpdateWebhook,
    Webhook,
    WebhookDeliveries,
    WebhookDetail,
    WebhookQuery,
)
from assent.contract.exchange.webhooks import Webhooks as WebhookList
from assent.contract.problems import Code
from assent_service.base.clock import Clock, moment, new_id
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.locks import WEBHOOK_FENCE, EntityLocks, Fence
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.core.rows import Filter, Filters, read_page
from assent_service.exchange.webhooks import keyring
from assent_service.exchange.webhooks.address import check_url
from assent_service.exchange.webhooks.choice import chosen
from assent_service.exchange.webhooks.dispatcher import Dispatcher
from assent_service.exchange.webhooks.keyring import Keyring
from assent_service.exchange.webhooks.rows import (
    WEBHOOK_DELIVERIES,
    DeliveryRow,
    Key,
    WebhookRow,
    changed,
    removed,
    rotated,
)
from assent_service.exchange.webhooks.sender import Sender, test_body
from assent_service.exchange.webhooks.settle import FAILED_LONG, GONE, AttemptedJob, Job, delivery_of, give_up
from assent_service.exchange.webhooks.state import WebhookState
from assent_service.store.conditions import once
from assent_service.store.ledger import Ledger

WEBHOOKS_FENCE = Fence("webhooks")
DELIVERY_FILTERS = Filters(WEBHOOK_DELIVERIES, DeliveriesQuery)
"""How many an organization has is limited."""
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
        dispatcher: Dispatcher,
        *,
        allow_private: bool,
    ) -> None:
        self._ledger, self._clock, self._locks, self.state = ledger, clock, locks, state
        self._keys, self._sender, self._dispatcher = keys, sender, dispatcher
        self._allow_private = allow_private

    async def create(self, principal: Principal, said: CreateWebhook) -> CreatedWebhook:
        """Raises `invalid_webhook`."""
        events = chosen(said.events)
        await check_url(said.url, allow_private=self._allow_private)
        async with self._locks.hold(WEBHOOKS_FENCE.of(principal.org_id)):
            if len(self.state.of(principal.org_id)) >= MOST:
                raise refuse(
                    Code.INVALID_WEBHOOK, f"The organization has {MOST} webhooks already; delete one of them first."
                )
            now = self._clock()
            webhook_id = new_id("wh_", now)
            secret = self._keys.secret(principal.org_id, webhook_id, 1)
            webhook = WebhookRow(
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
        return CreatedWebhook(webhook=webhook.public(0, keyring.as_text(secret)), secret_warning=WARNING)

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
        async with self._locks.hold(WEBHOOK_FENCE.of(principal.org_id, webhook_id)):
            before = self._find(principal, webhook_id)
            now = self._clock()
            newest = self._newest(principal.org_id)
            told = before.after_n if events is None else await self._dispatcher.delivered_up_to(before, newest)
            after = changed(before, said, events, by=principal.key_id, newest=newest, told=told, now=now)
            if after is not before:
                drafts = [after.changed(principal.key_id, now)]
                if not after.active:
                    waiting = self.state.retrying(after.key)
                    drafts += give_up(waiting, after.disabled_reason or "", principal.key_id, now)
                await self._ledger.append(*drafts)
            if after.url != before.url:
                self._dispatcher.hasten(after.key)
            return self._public(after)

    async def rotate(self, principal: Principal, webhook_id: str) -> CreatedWebhook:
        """Raises `webhook_not_found`."""
        async with self._locks.hold(WEBHOOK_FENCE.of(principal.org_id, webhook_id)):
            before = self._find(principal, webhook_id)
            now = self._clock()
            secret = self._keys.secret(principal.org_id, webhook_id, before.version + 1)
            after = rotated(before, keyring.hint(secret), keyring.fingerprint(secret), now)
            await self._ledger.append(after.changed(principal.key_id, now))
            shown = after.public(len(self.state.retrying(after.key)), keyring.as_text(secret))
            return CreatedWebhook(webhook=shown, secret_warning=WARNING)

    async def delete(self, principal: Principal, webhook_id: str | None) -> DeletedWebhook:
        """Raises `webhook_not_found`."""
        key = (principal.org_id, webhook_id or "")
        async with self._locks.hold(WEBHOOK_FENCE.of(*key)):
            before = self._find(principal, webhook_id or "")
            now = self._clock()
            after = removed(before, now)
            ended = give_up(self.state.retrying(key), "The webhook was deleted.", principal.key_id, now)
            await self._ledger.append(*ended, after.changed(principal.key_id, now))
        return DeletedWebhook(success=True, deleted=True, webhook_id=after.webhook_id)

    async def test(self, principal: Principal, webhook_id: str) -> TestedWebhook:
        """Send one delivery now, also to a webhook that is switched off. Raises `webhook_not_found`."""
        webhook = self._find(principal, webhook_id)
        tried = await once("sent", lambda: self._try(webhook))
        now = self._clock()
        delivery = delivery_of(webhook, tried, now, 0.0)
        await self._ledger.append(delivery.event_of(first=True, actor=principal.key_id, now=now))
        if tried.attempt.delivered:
            self._dispatcher.hasten(webhook.key)
        return TestedWebhook(success=tried.attempt.delivered, delivery=delivery.public())

    async def _try(self, webhook: WebhookRow) -> AttemptedJob:
        now = self._clock()
        job = Job(new_id("wd_", now), TEST_EVENT, None, test_body(webhook, now), None)
        return AttemptedJob(job, await self._sender.send(webhook, job.delivery_id, job.body))

    async def deliveries(self, principal: Principal, webhook_id: str, query: DeliveriesQuery) -> WebhookDeliveries:
        """Raises `webhook_not_found`."""
        webhook = self._find(principal, webhook_id)
        wanted = Filter(webhook.org_id)
        wanted.add("webhook_id = ?", webhook.webhook_id)
        DELIVERY_FILTERS.narrow(wanted, query)
        page = await read_page(self._ledger, WEBHOOK_DELIVERIES, DeliveryRow, wanted, query)
        return WebhookDeliveries(deliveries=[each.public() for each in page.rows], next_cursor=page.next_cursor)

    def _find(self, principal: Principal, webhook_id: str) -> WebhookRow:
        key: Key = (principal.org_id, webhook_id)
        found = self.state.get(key)
        if found is None:
            raise refuse(
                Code.WEBHOOK_NOT_FOUND,
                f"There is no webhook {webhook_id[:128]!r} in this organization; get_webhooks lists those that are.",
            )
        return found

    def _public(self, webhook: WebhookRow) -> Webhook:
        return webhook.public(len(self.state.retrying(webhook.key)))

    def _newest(self, org_id: str) -> int:
        """The number of the organization's newest event."""
        return self._ledger.count(org_id) - 1


def routes(webhooks: Webhooks) -> tuple[Route, ...]:
    @serves(CREATE_WEBHOOK, holds=(WEBHOOKS_FENCE,))
    async def create(call: Call[CreateWebhook, None]) -> CreatedWebhook:
        return await webhooks.create(call.principal, call.body)

    @serves(GET_WEBHOOKS)
    async def list_all(call: Call[None, None]) -> WebhookList:
        return WebhookList(webhooks=webhooks.of(call.principal.org_id))

    @serves(UPDATE_WEBHOOK, holds=(WEBHOOK_FENCE,))
    async def update(call: Call[UpdateWebhook, None], webhook_id: str) -> WebhookDetail:
        changed = await webhooks.update(call.principal, webhook_id, call.body)
        return WebhookDetail(webhook=changed)

    @serves(DELETE_WEBHOOK, holds=(WEBHOOK_FENCE,))
    async def delete(call: Call[None, WebhookQuery], webhook_id: str | None = None) -> DeletedWebhook:
        return await webhooks.delete(call.principal, webhook_id or call.query.id)

    @serves(ROTATE_WEBHOOK_SECRET, holds=(WEBHOOK_FENCE,))
    async def rotate(call: Call[None, None], webhook_id: str) -> CreatedWebhook:
        return await webhooks.rotate(call.principal, webhook_id)

    @serves(TEST_WEBHOOK, unfenced=NEW_ID, effects="sends the delivery")
    async def test(call: Call[None, None], webhook_id: str) -> TestedWebhook:
        return await webhooks.test(call.principal, webhook_id)

    @serves(GET_WEBHOOK_DELIVERIES)
    async def deliveries(call: Call[None, DeliveriesQuery], webhook_id: str) -> WebhookDeliveries:
        return await webhooks.deliveries(call.principal, webhook_id, call.query)

    return create, list_all, update, delete, rotate, test, deliveries
