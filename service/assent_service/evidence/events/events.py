"""Who is listening, and handing each durable event to them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from assent.contract.events import STREAM, EventName, StreamQuery
from assent.contract.problems import Code
from assent_service.base.clock import Clock
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.stream import EventStream
from assent_service.evidence.events.choice import StreamFilter, choose, resume_point
from assent_service.evidence.events.frames import frame, reads_in_blocks
from assent_service.evidence.events.reading import Reading, Subscription
from assent_service.evidence.events.recent import RecentUpdates
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger

HEARTBEAT_SECONDS = 15.0
QUEUE_FRAMES = 1000


class Events:
    """The readers of every organization. `heartbeat` is in seconds, `queue` in frames for each reader."""

    def __init__(
        self, ledger: Ledger, clock: Clock, *, heartbeat: float = HEARTBEAT_SECONDS, queue: int = QUEUE_FRAMES
    ) -> None:
        self._ledger, self._clock = ledger, clock
        self._heartbeat, self._queue = heartbeat, queue
        self._recent = RecentUpdates()
        self._open: set[Subscription] = set()
        self._following: dict[str, set[Subscription]] = {}
        self._closing = False
        ledger.listen(self._publish)

    @property
    def readers(self) -> int:
        """How many streams are open, those included that are being reset."""
        return len(self._open)

    async def open(
        self, principal: Principal, query: StreamQuery, last_event_id: str | None, user_agent: str
    ) -> EventStream:
        """The stream of one reader; `last_event_id` is the header.

        Raises `invalid_query`, `agent_mismatch`, `projection_behind`, and `shutting_down` after `stop_all`.
        """
        if self._closing:
            raise refuse(Code.SHUTTING_DOWN, "The service is stopping and opens no more streams; connect again soon.")
        choice = choose(principal, query)
        # Nothing is awaited from here until the subscription stands: no event can come in between.
        head = self._ledger.count(principal.org_id) - 1
        after = resume_point(last_event_id, query.lastEventId, head)
        padded = reads_in_blocks(user_agent)
        decisions = self._decisions(principal.org_id, choice) if padded and after is None else b""
        subscription = Subscription(principal.org_id, principal.key_id, choice, head, self._queue)
        self._open.add(subscription)
        self._following.setdefault(principal.org_id, set()).add(subscription)
        if after is not None and after < head:
            try:
                await self._ledger.caught_up()
            except BaseException:
                self._stop(subscription)
                raise
        stop = partial(self._stop, subscription)
        reading = Reading(self._ledger, subscription, after, decisions, self._heartbeat, padded, leave=stop)
        return EventStream(reading.chunks(), stop)

    def stop_all(self) -> None:
        """End every stream, after one more write at most, and open no more; the next turns of the loop do it. Call it
        before the server waits for its connections."""
        self._closing = True
        for subscription in tuple(self._open):
            self._stop(subscription)

    def _stop(self, subscription: Subscription) -> None:
        subscription.stop()
        self._open.discard(subscription)
        self._unfollow(subscription)

    def _unfollow(self, subscription: Subscription) -> None:
        followers = self._following.get(subscription.org_id, set())
        followers.discard(subscription)
        if not followers:
            self._following.pop(subscription.org_id, None)

    def _decisions(self, org_id: str, choice: StreamFilter) -> bytes:
        frames = map(frame, self._recent.since(org_id, self._clock()))
        return b"".join(each.without_id for each in frames if each is not None and choice.takes(each))

    def _publish(self, batch: Sequence[Event]) -> None:
        for event in batch:
            self._recent.add(event)
            followers = self._following.get(event.org)
            if not followers:
                continue
            if event.type == EventName.KEY_REVOKED:
                self._turn_out(event)
                continue
            made = frame(event)
            if made is None:
                continue
            for follower in tuple(followers):
                if not follower.offer(made):
                    self._unfollow(follower)

    def _turn_out(self, revoked: Event) -> None:
        """A key is revoked at once, for the streams that it has open too."""
        for reader in tuple(self._open):
            if reader.org_id == revoked.org and reader.key_id == revoked.subject:
                self._stop(reader)


def routes(events: Events) -> tuple[Route, ...]:
    @serves(STREAM)
    async def stream(call: Call[None, StreamQuery]) -> EventStream:
        resume = call.header("last-event-id")
        return await events.open(call.principal, call.query, resume, call.header("user-agent") or "")

    return (stream,)
