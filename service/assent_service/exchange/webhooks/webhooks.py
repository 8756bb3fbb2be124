"""Webhooks and notices: making, changing, testing and deleting them, a new secret for one, the list of its deliveries;
and following the link of a notice."""

from __future__ import annotations

import asyncio
from hashlib import blake2b

import msgspec

from assent.contract.events import EventName
from assent.contract.exchange.webhooks import (
    CREATE_WEBHOOK,
    DELETE_WEBHOOK,
    GET_WEBHOOK,
    GET_WEBHOOK_DELIVERIES,
    GET_WEBHOOKS,
    OPEN_NOTICE,
    ROTATE_WEBHOOK_SECRET,
    TEST_EVENT,
    TEST_WEBHOOK,
    UPDATE_WEBHOOK,
    CreatedWebhook,
    CreateWebhook,
    DeletedWebhook,
    DeliveriesQuery,
    OpenedNotice,
    OpenNotice,
    TestedWebhook,
    UpdateWebhook,
    Webhook,
    WebhookDeliveries,
    WebhookDetail,
    WebhookQuery,
)
from assent.contract.exchange.webhooks import Webhooks as WebhookList
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import Clock, moment, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.control.approvals import Expiring
from assent_service.core.call import Call
from assent_service.core.locks import WEBHOOK_FENCE, EntityLocks, Fence
from assent_service.core.payload import decode, encode
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.core.rows import Filter, Filters, read_page
from assent_service.exchange.webhooks import keyring
from assent_service.exchange.webhooks.address import check_url
from assent_service.exchange.webhooks.choice import chosen
from assent_service.exchange.webhooks.dispatcher import Dispatcher
from assent_service.exchange.webhooks.keyring import Keyring
from assent_service.exchange.webhooks.notices import (
    AGAIN,
    Link,
    Links,
    check_hours,
    chosen_for_notice,
    is_notice,
)
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
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger

WEBHOOKS_FENCE = Fence("webhooks")
NOTICE_FENCE = Fence("notice", "link_id")
DELIVERY_FILTERS = Filters(WEBHOOK_DELIVERIES, DeliveriesQuery)
"""How many an organization has is limited."""
MOST = 50
"""Webhooks of one organization."""
NOT_SIGNED = "A notice is for people and is not signed, so it has no secret. Its address is not shown again."
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
        links: Links,
        *,
        allow_private: bool,
    ) -> None:
        self._ledger, self._clock, self._locks, self.state = ledger, clock, locks, state
        self._keys, self._sender, self._dispatcher = keys, sender, dispatcher
        self._allow_private, self._links = allow_private, links

    async def create(self, principal: Principal, said: CreateWebhook) -> CreatedWebhook:
        """Raises `invalid_webhook`."""
        notice = is_notice(said.url)
        events = (chosen_for_notice if notice else chosen)(said.events)
        _check_when(said, notice=notice)
        check_hours(said.quiet_from or "", said.quiet_until or "", said.time_zone or "")
        await self._check_place(said.url)
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
                url=_shown(said.url),
                sealed=self._keys.seal(principal.org_id, webhook_id, said.url) if notice else "",
                quiet_from=said.quiet_from or "",
                quiet_until=said.quiet_until or "",
                time_zone=said.time_zone or "",
                digest_minutes=said.digest_minutes or 0,
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
        if notice:
            return CreatedWebhook(webhook=webhook.public(0), secret_warning=NOT_SIGNED)
        return CreatedWebhook(webhook=webhook.public(0, keyring.as_text(secret)), secret_warning=WARNING)

    def of(self, org_id: str) -> list[Webhook]:
        """In the order of their creation."""
        return [self._public(webhook) for webhook in self.state.of(org_id)]

    def get(self, principal: Principal, webhook_id: str) -> Webhook:
        """Raises `webhook_not_found`."""
        return self._public(self._find(principal, webhook_id))

    def disabled(self, org_id: str) -> list[Webhook]:
        """Those that were switched off because their receiver failed or is gone, and by nobody's hand."""
        found = [webhook for webhook in self.state.of(org_id) if webhook.disabled_reason in (FAILED_LONG, GONE)]
        return [self._public(webhook) for webhook in found if not webhook.active]

    async def update(self, principal: Principal, webhook_id: str, said: UpdateWebhook) -> Webhook:
        """Raises `invalid_webhook` and `webhook_not_found`. Changing nothing records nothing."""
        notice = self._find(principal, webhook_id).notice
        events = None if said.events is None else (chosen_for_notice if notice else chosen)(said.events)
        _check_when(said, notice=notice)
        sealed = None
        if said.url is not None:
            if is_notice(said.url) != notice:
                raise _other_kind()
            await self._check_place(said.url)
            if notice:
                sealed = self._keys.seal(principal.org_id, webhook_id, said.url)
                said = msgspec.structs.replace(said, url=_shown(said.url))
        async with self._locks.hold(WEBHOOK_FENCE.of(principal.org_id, webhook_id)):
            before = self._find(principal, webhook_id)
            now = self._clock()
            newest = self._newest(principal.org_id)
            told = before.after_n if events is None else await self._dispatcher.delivered_up_to(before, newest)
            by = principal.key_id
            after = changed(before, said, events, sealed=sealed, by=by, newest=newest, told=told, now=now)
            check_hours(after.quiet_from, after.quiet_until, after.time_zone)
            if after is not before:
                drafts = [after.changed(principal.key_id, now)]
                if not after.active:
                    waiting = self.state.retrying(after.key)
                    drafts += give_up(waiting, after.disabled_reason or "", principal.key_id, now)
                await self._ledger.append(*drafts)
            if (after.url, after.sealed) != (before.url, before.sealed):
                self._dispatcher.hasten(after.key)
            return self._public(after)

    async def rotate(self, principal: Principal, webhook_id: str) -> CreatedWebhook:
        """Raises `webhook_not_found`, and `invalid_webhook` for a notice."""
        async with self._locks.hold(WEBHOOK_FENCE.of(principal.org_id, webhook_id)):
            before = self._find(principal, webhook_id)
            if before.notice:
                raise refuse(
                    Code.INVALID_WEBHOOK,
                    "A notice is not signed and has no secret. Make a new address where it goes, and give it that.",
                )
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

    async def open(self, principal: Principal, text: str) -> OpenedNotice:
        """Raises `notice_not_found`, `notice_used` and `notice_expired`."""
        link = self._links.read(principal.org_id, text)
        if link is None:
            raise refuse(
                Code.NOTICE_NOT_FOUND,
                "No notice of this organization has this link. Copy the whole link, and sign in with a key of the "
                "organization that was told.",
            )
        link_id = _link_id(link)
        async with self._locks.hold(NOTICE_FENCE.of(principal.org_id, link_id)):
            rows = await self._ledger.read(
                "SELECT epoch_us(created_at), actor FROM events WHERE org_id = ? AND type = ? AND subject = ?",
                [principal.org_id, EventName.NOTICE_OPENED.value, link_id],
            )
            event = await asyncio.to_thread(self._ledger.event_at, principal.org_id, link.n)
            now = self._clock()
            at = int(str(rows[0][0])) if rows else now
            if rows and (rows[0][1] != principal.key_id or now >= at + AGAIN):
                raise refuse(
                    Code.NOTICE_USED,
                    f"This link was followed at {moment(at):%Y-%m-%d %H:%M:%S} UTC, with the key {rows[0][1]}. Look "
                    "for the request in the inbox.",
                )
            if now >= link.until:
                raise refuse(
                    Code.NOTICE_EXPIRED,
                    f"This link was good until {moment(link.until):%Y-%m-%d %H:%M} UTC. Look for the request in the "
                    "inbox.",
                )
            action_id = _action_of(event)
            opened = OpenedNotice(action_id=action_id, event=event.type, opened_at=moment(at))
            if not rows:
                data = encode(opened)
                await self._ledger.append(
                    Draft(
                        org=principal.org_id,
                        type=EventName.NOTICE_OPENED.value,
                        ts=now,
                        subject=link_id,
                        actor=principal.key_id,
                        data=data,
                    )
                )
        return opened

    async def _check_place(self, url: str) -> None:
        if is_notice(url):
            await self._sender.check_address(url)
        else:
            await check_url(url, allow_private=self._allow_private)

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


def _shown(url: str) -> str:
    """What is shown of an address: all of a webhook's, of a notice's the scheme alone."""
    return f"{url.partition('://')[0].lower()}://..." if is_notice(url) else url


def _check_when(said: CreateWebhook | UpdateWebhook, *, notice: bool) -> None:
    """Raises `invalid_webhook` for a webhook that is to rest: a program needs none."""
    for place in ("quiet_from", "quiet_until", "time_zone", "digest_minutes"):
        if not notice and getattr(said, place):
            message = "is for notices, which tell people; a webhook is told at once"
            raise refuse(Code.INVALID_WEBHOOK, f"{place} {message}.", FieldError(place=place, message=message))


def _other_kind() -> Refusal:
    message = "leads from a webhook to a notice, or back; make another one instead"
    return refuse(Code.INVALID_WEBHOOK, f"url {message}.", FieldError(place="url", message=message))


def _link_id(link: Link) -> str:
    return "nl_" + blake2b(f"{link.webhook_id} {link.n}".encode(), digest_size=16).hexdigest()


def _action_of(event: Event) -> str:
    """The action that a link leads to: a request keeps it in its header, one that expires soon or was
    escalated in its data."""
    if event.action is not None:
        return event.action
    return decode(event, Expiring).action_id


def routes(webhooks: Webhooks) -> tuple[Route, ...]:
    @serves(CREATE_WEBHOOK, holds=(WEBHOOKS_FENCE,))
    async def create(call: Call[CreateWebhook, None]) -> CreatedWebhook:
        return await webhooks.create(call.principal, call.body)

    @serves(GET_WEBHOOKS)
    async def list_all(call: Call[None, None]) -> WebhookList:
        return WebhookList(webhooks=webhooks.of(call.principal.org_id))

    @serves(GET_WEBHOOK)
    async def get(call: Call[None, None], webhook_id: str) -> WebhookDetail:
        return WebhookDetail(webhook=webhooks.get(call.principal, webhook_id))

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

    @serves(OPEN_NOTICE, holds=(NOTICE_FENCE,))
    async def open_notice(call: Call[OpenNotice, None]) -> OpenedNotice:
        return await webhooks.open(call.principal, call.body.link)

    return create, list_all, get, update, delete, rotate, test, deliveries, open_notice
