"""What one reader is sent, from its first byte to its last.

In order: the events it has missed, from the log, up to the newest one when it subscribed; `connected`; for a reader
that did not look first, recent decisions, without ids; then everything later, as it becomes durable. It subscribed
before the newest event was looked up, and its queue holds later ones only, so nothing is missed and nothing comes
twice. A stream ends when the reader leaves, when its key is revoked, when the service stops, or after `reset`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from msgspec import Struct

from assent.contract.events import CONNECTED, RESET
from assent_service.events.frames import HEARTBEAT, frame, notice
from assent_service.events.padding import pad
from assent_service.events.subscription import WRITE_BYTES, Subscription
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger

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
