"""One reader's queue: bounded, so that a reader who does not read costs a known amount of memory and nobody's time.

A frame that finds the queue full is not queued, and no later one is: the reader still gets what is in the queue and
is then told to resume after `last_id`, the last id that was really queued.
"""

from __future__ import annotations

import asyncio
from collections import deque

from assent_service.events.choice import Choice
from assent_service.events.frames import Frame

MOST_BYTES = 16_000_000
"""In one queue, however few frames that is."""
WRITE_BYTES = 65_536
"""One write is about this long; the rest stays in the queue, where it is bounded, and not with the server."""


class Subscription:
    """`head` is the newest event when it began; only later ones are offered. `key_id` is the reader's key."""

    def __init__(self, org_id: str, key_id: str, choice: Choice, head: int, most_frames: int) -> None:
        self.org_id, self.key_id, self.choice, self.head = org_id, key_id, choice, head
        self.last_id = head
        self.overflowed = False
        self.stopped = False
        self._most_frames = most_frames
        self._frames: deque[Frame] = deque()
        self._bytes = 0
        self._news = asyncio.Event()

    def offer(self, frame: Frame) -> bool:
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
