"""The event stream of one reader: its bounded queue, and what it is sent from its first byte to its last.

In order: the events it has missed, from the log, up to the newest one when it subscribed; `connected`; for a reader
that did not look first, recent decisions, without ids; then everything later, as it becomes durable. It subscribed
before the newest event was looked up, and its queue holds later ones only, so nothing is missed and nothing comes
twice. A stream ends when the reader leaves, when its key is revoked, when the service stops, or after `reset`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from msgspec import Struct

from assent.contract.events import CONNECTED, RESET
from assent_service.evidence.events.choice import StreamFilter
from assent_service.evidence.events.frames import HEARTBEAT, StreamFrame, frame, notice, pad
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger

# One reader's queue: bounded, so that a reader who does not read costs a known amount of memory and nobody's time.
#
# A frame that finds the queue full is not queued, and no later one is: the reader still gets what is in the queue and
# is then told to resume after `last_id`, the last id that was really queued.


MOST_BYTES = 16_000_000
"""In one queue, however few frames that is."""
WRITE_BYTES = 65_536
"""One write is about this long; the rest stays in the queue, where it is bounded, and not with the server."""


class Subscription:
    """`head` is the newest event when it began; only later ones are offered. `key_id` is the reader's key."""

    def __init__(self, org_id: str, key_id: str, choice: StreamFilter, head: int, most_frames: int) -> None:
        self.org_id, self.key_id, self.choice, self.head = org_id, key_id, choice, head
        self.last_id = head
        self.overflowed = False
        self.stopped = False
        self._most_frames = most_frames
        self._frames: deque[StreamFrame] = deque()
        self._bytes = 0
        self._news = asyncio.Event()

    def offer(self, frame: StreamFrame) -> bool:
        """Queue a frame if the reader wants it; False when it was one too many."""
        if not self.choice.takes(frame):
            return True
        if len(self._frames) >= self._most_frames or self._bytes >= MOST_BYTES:
            self.overflowed = True
            self._news.set()
            return False
        self._frames.append(frame)
        self._bytes += len(frame.wire)
        self.last_id = frame.n
        self._news.set()
        return True

    def stop(self) -> None:
        self.stopped = True
        self._news.set()

    def take(self) -> bytes:
        """The next frames, in order, enough for one write; nothing when there are none."""
        taken: list[bytes] = []
        size = 0
        while self._frames and size < WRITE_BYTES:
            wire = self._frames.popleft().wire
            taken.append(wire)
            size += len(wire)
        self._bytes -= size
        return b"".join(taken)

    async def news(self, seconds: float) -> bool:
        """Wait for a frame or an end; False when neither came within `seconds`. Called with an empty queue."""
        if not (self._frames or self.overflowed or self.stopped):
            self._news.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return False
        return True


PAGE = 500
"""Events that are read from the log at once."""


class Reading(Struct, frozen=True):
    """`after` is the last id that the reader has, if it has any. `heartbeat` is in seconds of silence. `leave` is
    called when the stream is over, however it ended."""

    ledger: Ledger
    subscription: Subscription
    after: int | None
    decisions: bytes
    heartbeat: float
    padded: bool
    leave: Callable[[], None]

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        try:
            async with aclosing(self._chunks()) as chunks:
                async for chunk in chunks:
                    yield pad(chunk) if self.padded else chunk
        finally:
            self.leave()

    async def _chunks(self) -> AsyncGenerator[bytes, None]:
        replayed = 0
        async with aclosing(self._missed()) as missed:
            async for page in missed:
                sent, chunk = self._chosen(page)
                replayed += sent
                if chunk:
                    yield chunk
        if self.subscription.stopped:
            return
        yield self._connected(replayed) + self.decisions
        async with aclosing(self._live()) as live:
            async for chunk in live:
                yield chunk

    async def _missed(self) -> AsyncGenerator[list[Event], None]:
        """What was recorded after `after` and before the subscription; the tables have caught up with that."""
        at, head, org_id = self.after, self.subscription.head, self.subscription.org_id
        while at is not None and at < head and not self.subscription.stopped:
            page = await asyncio.to_thread(self.ledger.events, org_id, at, head, PAGE)
            if not page:
                raise RuntimeError(f"the tables know no event of {org_id} between {at} and {head}; rebuild them")
            at = page[-1].n
            while page:
                piece = _piece(page)
                yield page[:piece]
                page = page[piece:]

    async def _live(self) -> AsyncGenerator[bytes, None]:
        subscription = self.subscription
        stopping = False
        while not stopping:
            # One more write after the stop; whoever is further behind resumes elsewhere.
            stopping = subscription.stopped
            chunk = subscription.take()
            if chunk:
                yield chunk
            elif subscription.overflowed:
                yield notice(RESET, {"last_event_id": subscription.last_id, "reason": "the reader is too slow"})
                return
            elif not stopping and not await subscription.news(self.heartbeat):
                yield HEARTBEAT

    def _chosen(self, page: list[Event]) -> tuple[int, bytes]:
        choice = self.subscription.choice
        frames = [each for each in map(frame, page) if each is not None and choice.takes(each)]
        return len(frames), b"".join(each.wire for each in frames)

    def _connected(self, replayed: int) -> bytes:
        head = self.subscription.head
        last = None if head < 0 else head
        names = {"status": "connected", "orgId": self.subscription.org_id, "replayed": replayed}
        return notice(CONNECTED, names | {"lastEventId": last, "last_event_id": last})


def _piece(page: list[Event]) -> int:
    """How many events of `page` make one write, at least one."""
    size = 0
    for index, event in enumerate(page, 1):
        size += event.length
        if size >= WRITE_BYTES:
            return index
    return len(page)
