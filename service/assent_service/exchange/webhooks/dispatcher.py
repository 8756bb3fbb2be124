"""Takes events from the log to webhooks.

Each active webhook has one task. In a round it takes what is due to be tried again and, in the order of the log, what
was recorded since; tries these at the same time; and records what came of all of them in one write. So nothing is lost
in a crash: what was sent but not recorded is sent again under the same id.

- Nothing waits here in memory: bodies are read from the log when they are sent, also for the last retry a day later.
- One event that a receiver refuses holds up nothing; it is tried again beside the others. Only while 100 deliveries
  are being retried no new ones are begun. They stay where they are, in the log.
- A webhook has four attempts at a time, one while it fails; all webhooks together 16. A receiver that hangs for ten
  seconds costs one of those.
- A notice (`notices`) tells all that has come together, in one delivery. While it is to be quiet, events stay in the
  log. All notices together have four attempts at a time.
- As soon as something gets through again, all that waits for its turn is due, each delivery once.
- Recording an event costs a look in a set here, and nothing else: the tables are read as they are, without forcing
  them to follow. While others record much, a webhook rests after each round, and the rests of all webhooks come one
  after the other: fifty take no more from guard than one does.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec

from assent_service.base.clock import SECOND, Clock, microseconds
from assent_service.base.pace import MakeThrottle
from assent_service.core.locks import WEBHOOK_FENCE, EntityLocks
from assent_service.exchange.webhooks.choice import takes, types_of
from assent_service.exchange.webhooks.notices import DIGEST, MOST, Notices, opens, quiet_until
from assent_service.exchange.webhooks.rows import DeliveryRow, Key, WebhookRow
from assent_service.exchange.webhooks.sender import Attempt, Sender, body_of, message_id
from assent_service.exchange.webhooks.settle import AttemptedJob, Job, settle
from assent_service.exchange.webhooks.state import WebhookState
from assent_service.store.conditions import apart
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger

WIDTH = 4
AT_ONCE = 16
MOST_RETRYING = 100
GRACE = 3.0
"""Seconds that attempts are given to end when the service stops."""
LOOK_AGAIN = 60.0
"""Seconds after which a webhook is looked at even if nothing was heard: clocks can be set."""
OTHERS_TURN = 2.0
"""Seconds between two questions whose turn it is to send."""
FOLLOWING = 0.1
"""Seconds between looks while the tables follow the log."""
_AS_IT_IS = 1 << 62

log = logging.getLogger("assent.webhooks")


def _chance() -> float:
    return secrets.randbelow(1001) / 1000


class Dispatcher:
    """`chance` gives numbers from 0 to 1, for jitter."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        state: WebhookState,
        sender: Sender,
        notices: Notices,
        make_throttle: MakeThrottle,
        chance: Callable[[], float] = _chance,
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._state, self._sender, self._chance = state, sender, chance
        self._notices = notices
        self._make_throttle, self._own = make_throttle, 0
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._turn = ledger.turn("webhooks")
        self._tasks: dict[Key, asyncio.Task[None]] = {}
        self._wakes: dict[Key, asyncio.Event] = {}
        self._hastened: dict[Key, set[str]] = {}
        self._pulled: dict[Key, set[str]] = {}
        self._looked: dict[Key, int] = {}
        self._heard = 0
        self._rested = 0.0
        self._stopping = asyncio.Event()
        self._running = False
        ledger.listen(self._listen)

    def start(self) -> None:
        self._running = True
        for webhook in self._state.all():
            self._tend(webhook.key)

    async def stop(self) -> None:
        """Let attempts end for a few seconds, then cut them off; those are made again after the next start."""
        self._running = False
        self._stopping.set()
        for wake in self._wakes.values():
            wake.set()
        tasks = list(self._tasks.values())
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=GRACE)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await self._sender.close()

    def hasten(self, key: Key) -> None:
        """Have everything that waits for its turn tried now."""
        self._hastened[key] = set(self._state.retrying(key))
        self._tend(key)

    def _hasten_once(self, key: Key) -> None:
        """The same for what was not hastened before: one event that is always refused, between others that are taken,
        must not run through its attempts within minutes."""
        pulled = self._pulled.setdefault(key, set())
        pulled &= set(self._state.retrying(key))
        fresh = set(self._state.retrying(key)) - pulled
        pulled |= fresh
        self._hastened.setdefault(key, set()).update(fresh)

    async def delivered_up_to(self, webhook: WebhookRow, newest: int) -> int:
        """The number of the last event before the first one that the webhook is still to be told, at most `newest`."""
        types = sorted(types_of(webhook.events))
        after = max(self._state.reached(webhook), self._looked.get(webhook.key, -1))
        ((first,),) = await self._ledger.read(
            f"SELECT min(n) FROM events WHERE org_id = ? AND n > ? AND type IN ({', '.join('?' * len(types))})",
            [webhook.org_id, after, *types],
        )
        return newest if first is None else min(newest, int(str(first)) - 1)

    async def round(self, key: Key) -> int:
        """Try what is due, and record it; how many were tried."""
        webhook = self._state.get(key)
        if webhook is None or not webhook.active:
            return 0
        if webhook.notice and quiet_until(webhook, now := self._clock()) > now:
            return 0
        width = WIDTH if webhook.failing_since is None and not webhook.notice else 1
        jobs = await self._again(webhook, width)
        if len(jobs) < width and len(self._state.retrying(key)) < MOST_RETRYING:
            jobs += await self._new(webhook, width - len(jobs))
        attempts = await asyncio.gather(*(self._try(webhook, job) for job in jobs))
        await self._record(key, [AttemptedJob(job, attempt) for job, attempt in zip(jobs, attempts, strict=True)])
        return len(jobs)

    async def _try(self, webhook: WebhookRow, job: Job) -> Attempt:
        if not job.body:
            lost = "nothing is left of what it told" if webhook.notice else "what the event said was erased"
            return Attempt(error=lost, hopeless=True)
        if webhook.notice:  # which wait for their own turns, and keep no webhook from its
            return await self._sender.send(webhook, job.delivery_id, job.body)
        async with self._slots:
            return await self._sender.send(webhook, job.delivery_id, job.body)

    async def _record(self, key: Key, tried: Sequence[AttemptedJob]) -> None:
        # What was sent is not sent again, whoever else changed the webhook meanwhile.
        await self._ledger.run(lambda: self._settle(key, tried))

    async def _settle(self, key: Key, tried: Sequence[AttemptedJob]) -> None:
        async with self._locks.hold(WEBHOOK_FENCE.of(*key)):
            webhook = self._state.get(key)
            if webhook is None or not tried:
                return
            tried = [self._without_echo(each, webhook.org_id) for each in tried]
            settled = settle(webhook, self._state.retrying(key), tried, self._clock(), self._chance)
            if settled.drafts:
                await self._ledger.append(*settled.drafts)
                self._own += len(settled.drafts)
            for job, _ in tried:
                self._hastened.get(key, set()).discard(job.delivery_id)
            if settled.recovered:
                self._hasten_once(key)

    def _without_echo(self, tried: AttemptedJob, org_id: str) -> AttemptedJob:
        """The answer may repeat what was sent, and that may have been erased meanwhile (`erased_replies`)."""
        job, attempt = tried
        if attempt.excerpt is None or not self._ledger.ended.has(org_id, job.action):
            return tried
        return AttemptedJob(job, msgspec.structs.replace(attempt, excerpt=None))

    # What there is to do

    def _due(self, key: Key) -> list[DeliveryRow]:
        """What is to be tried again by now, the longest due first."""
        now, hastened = self._clock(), self._hastened.get(key, ())
        due = [
            each
            for each in self._state.retrying(key).values()
            if each.delivery_id in hastened or (each.next_attempt_at and microseconds(each.next_attempt_at) <= now)
        ]
        return sorted(due, key=lambda each: each.next_attempt_at or each.created_at)

    async def _again(self, webhook: WebhookRow, room: int) -> list[Job]:
        due = self._due(webhook.key)[:room]
        if webhook.notice:
            return [await self._notice_again(webhook, each) for each in due]
        numbers = [each.event_n for each in due if each.event_n is not None]
        events = await asyncio.to_thread(self._read, webhook.org_id, numbers) if numbers else []
        bodies = {event.n: b"" if event.erased else body_of(event) for event in events}
        return [
            Job(each.delivery_id, each.event, each.event_n, bodies.get(each.event_n or 0, b""), each) for each in due
        ]

    async def _notice_again(self, webhook: WebhookRow, before: DeliveryRow) -> Job:
        """With what it told before, as far as the webhook takes it still."""
        last = before.event_n or 0
        types = sorted(types_of(webhook.events))
        rows = await self._ledger.read(
            f"SELECT n FROM events WHERE org_id = ? AND n >= ? AND n <= ? AND type IN ({', '.join('?' * len(types))}) "
            "ORDER BY n",
            [webhook.org_id, last if before.first_n is None else before.first_n, last, *types],
            remembered=_AS_IT_IS,
        )
        events = await asyncio.to_thread(self._read, webhook.org_id, [int(str(n)) for (n,) in rows])
        body = self._notices.body_of(webhook, [each for each in events if takes(webhook.events, each)])
        return Job(before.delivery_id, before.event, last, body, before, first_n=before.first_n)

    async def _new(self, webhook: WebhookRow, room: int) -> list[Job]:
        """The next events that the webhook takes, in their order."""
        if webhook.notice:
            now, room = self._clock(), MOST
            if opens(webhook, self._state.begun(webhook.key), now) > now:
                return []
        types = sorted(types_of(webhook.events))
        marks = ", ".join("?" * len(types))
        while True:
            after = max(self._state.reached(webhook), self._looked.get(webhook.key, -1))
            rows = await self._ledger.read(
                f"SELECT n FROM events WHERE org_id = ? AND n > ? AND type IN ({marks}) ORDER BY n LIMIT ?",
                [webhook.org_id, after, *types, room],
                remembered=_AS_IT_IS,
            )
            if self._state.get(webhook.key) is not webhook:
                return []  # it was changed meanwhile: by what it takes now, others of these may come first
            numbers = [int(str(n)) for (n,) in rows]
            if not numbers:
                return []
            events = await asyncio.to_thread(self._read, webhook.org_id, numbers)
            taken = [event for event in events if takes(webhook.events, event)]
            if taken:
                return [self._told_together(webhook, taken)] if webhook.notice else [_told(webhook, e) for e in taken]
            self._looked[webhook.key] = numbers[-1]

    def _told_together(self, webhook: WebhookRow, events: Sequence[Event]) -> Job:
        """Named by the first of them: after a crash there may be more, and the first is the same."""
        first, last = events[0], events[-1]
        delivery_id = message_id(webhook.webhook_id, first.n)
        body = self._notices.body_of(webhook, events)
        if first is last:
            return Job(delivery_id, first.type, first.n, body, None)
        return Job(delivery_id, DIGEST, last.n, body, None, first_n=first.n)

    def _read(self, org_id: str, numbers: Sequence[int]) -> list[Event]:
        return [event for n in numbers for event in self._ledger.events(org_id, n - 1, n, 1)]

    # When to do it

    def _listen(self, batch: Sequence[Event]) -> None:
        if not self._running or self._state.empty:
            return
        orgs: set[str] = set()
        for event in batch:
            if event.type in self._state.wanted(event.org):
                orgs.add(event.org)
            elif event.type.startswith("webhook."):
                self._tend((event.org, event.subject))
        if orgs:
            self._heard = batch[-1].seq
        for org_id in orgs:
            for webhook in self._state.of(org_id):
                self._tend(webhook.key)

    def _tend(self, key: Key) -> None:
        """Wake the webhook's task, or begin it."""
        webhook = self._state.get(key)
        if key in self._tasks:
            self._wakes[key].set()
        elif self._running and webhook is not None and webhook.active:
            self._wakes[key] = asyncio.Event()
            self._tasks[key] = asyncio.create_task(self._serve(key), context=apart())

    async def _serve(self, key: Key) -> None:
        wake, trouble = self._wakes[key], 0
        rests = self._make_throttle(lambda: self._ledger.head - self._own)
        try:
            while not self._stopping.is_set() and self._active(key):
                wake.clear()
                rests.resume()
                if not await self._turn.is_ours():
                    # Another service on the same log sends; when it ends, this one goes on where it was.
                    await _wait(self._stopping, OTHERS_TURN)
                    continue
                applied = self._ledger.applied
                try:
                    busy = await self.round(key) > 0
                    trouble = 0
                except Exception as error:  # noqa: BLE001 - the disk, the tables: whatever it is, it may pass
                    trouble += 1
                    log.warning("webhook %s waits, since nothing can be recorded or read: %r", key[1], error)
                    await _wait(self._stopping, min(300.0, 2.0**trouble))
                    continue
                if not busy:
                    await _wait(wake, self._idle(key, applied))
                elif (pause := rests.rest()) > 0:
                    await _wait(self._stopping, self._behind_others(pause))
        finally:
            del self._tasks[key], self._wakes[key]
            if not self._active(key):
                self._hastened.pop(key, None)
                self._pulled.pop(key, None)
                self._looked.pop(key, None)

    def _behind_others(self, pause: float) -> float:
        """Seconds until the others have rested and this one too."""
        now = asyncio.get_running_loop().time()
        self._rested = max(now, self._rested) + pause
        return self._rested - now

    def _active(self, key: Key) -> bool:
        webhook = self._state.get(key)
        return webhook is not None and webhook.active

    def _idle(self, key: Key, applied: int) -> float:
        """Seconds until there may be something to do, after a look at tables that had at least `applied`. What the
        tables have by now does not count: they may have followed after the look."""
        if applied < self._heard:
            return FOLLOWING
        waiting = [each.next_attempt_at for each in self._state.retrying(key).values() if each.next_attempt_at]
        due = [microseconds(min(waiting))] if waiting else []
        webhook = self._state.get(key)
        if webhook is not None and webhook.notice:
            now = self._clock()
            opening = opens(webhook, self._state.begun(key), now)
            due = [max(each, quiet_until(webhook, now)) for each in due] + ([opening] if opening > now else [])
        if not due:
            return LOOK_AGAIN
        return min(LOOK_AGAIN, max(0.01, (min(due) - self._clock()) / SECOND))


def _told(webhook: WebhookRow, event: Event) -> Job:
    return Job(message_id(webhook.webhook_id, event.n), event.type, event.n, body_of(event), None, event.action)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
