"""The follower: reads the log behind everybody's back, feeds the streams, and records what they find.

- No request waits for it. One thread of low priority reads some events at a time from the log, and rests as long as
  guard is busy (`Rests`). The log is its queue: it needs no memory for what it has not read yet.
- Where it stands is in a checkpoint, written now and then and at the end. So a start takes up where the last one
  stood, however long the history; without a checkpoint that counts it reads the whole log, in the background too.
- An alarm is recorded before the checkpoint goes past it, and never twice: what a stream was told of already is known
  (`DriftState`). What cannot be recorded now is tried again, and nothing is read meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Protocol

from assent.contract.events import EventName
from assent_service.core.background import background_pool
from assent_service.core.clock import Clock
from assent_service.core.payload import encode
from assent_service.core.problem import Refusal
from assent_service.drift import checkpoint
from assent_service.drift.alert import alert_of
from assent_service.drift.checkpoint import START, Checkpoint, position_of
from assent_service.drift.state import DriftState
from assent_service.drift.streams import Found, Streams
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger

STEP = 200
"""Events between two looks at guard."""
GATHER = 0.2
"""Seconds after the first new event, so that a busy service is not followed event by event."""
PATIENCE = 4
"""How many times as long as an export it rests: an export has somebody waiting."""
SAVE_SECONDS = 60.0
RETRY_SECONDS = 10.0
SYSTEM = "system"

log = logging.getLogger("assent.drift")


class Rests(Protocol):
    """How the follower gives way to guard: `rest` says for how many seconds, `resume` that work goes on."""

    def rest(self) -> float: ...
    def resume(self) -> None: ...


MakeRests = Callable[[Callable[[], int]], Rests]
"""Given how many events others have recorded."""


class Follower:
    """`home` is the data folder."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        home: Path,
        state: DriftState,
        streams: Streams,
        make_rests: MakeRests,
    ) -> None:
        self._ledger, self._clock, self._home, self._state = ledger, clock, home, state
        self._make_rests, self.streams = make_rests, streams
        self._position, self._saved = START, 0
        self._saved_at = time.monotonic()
        self._written = 0
        self._found: list[Found] = []
        self._events: Iterator[Event] = iter(())
        self._pool = background_pool(1, "assent-drift")
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._ledger.listen(self._on_batch)
        self._task = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        """Leave off, and save where it stands unless an alarm is not recorded yet."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None
            # Behind a step that may still be going on: its thread has but one.
            await self.save()
        await asyncio.to_thread(self._pool.shutdown)

    def caught_up(self) -> bool:
        """Whether the streams have everything in them that is recorded, and all that they found is."""
        return self._position.seq >= self._ledger.head and not self._found

    def _on_batch(self, batch: Sequence[Event]) -> None:
        self._wake.set()

    async def load(self) -> None:
        """Take up where the checkpoint stands, if there is one that counts."""
        await self._in_thread(self._load)

    async def follow(self) -> None:
        """Read until there is nothing more to read, a step at a time. Raises what the ledger raises when an alert
        cannot be recorded, and goes on with it the next time."""
        rests = self._make_rests(lambda: self._ledger.head - self._written)
        while not self.caught_up():
            await self._record()
            await self._in_thread(self._step)
            await self._record()
            await asyncio.sleep(PATIENCE * rests.rest())
            rests.resume()
            if time.monotonic() - self._saved_at >= SAVE_SECONDS:
                await self._in_thread(self._save)

    async def save(self) -> None:
        """Write where it stands, unless an alarm is not recorded yet."""
        await self._in_thread(self._save)

    async def _in_thread(self, work: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def _follow(self) -> None:
        await self.load()
        while True:
            self._wake.clear()
            try:
                await self.follow()
            except Refusal as refusal:
                log.warning("%d drift alerts could not be recorded yet: %s", len(self._found), refusal.detail)
                await asyncio.sleep(RETRY_SECONDS)
                continue
            except Exception:
                log.exception("following the log failed; it is tried again")
                self._events = iter(())
                await asyncio.sleep(RETRY_SECONDS)
                continue
            await self._wake.wait()
            await asyncio.sleep(GATHER)

    async def _record(self) -> None:
        """Record the alarms that were found. Raises what the ledger raises, and keeps them."""
        now = self._clock()
        fresh = [found for found in self._found if found.n > self._state.told(found.stream)]
        if fresh:
            await self._ledger.append(*(self._draft(found, now) for found in fresh))
            self._written += len(fresh)
        self._found.clear()

    def _draft(self, found: Found, now: int) -> Draft:
        alert = alert_of(found, now)
        return Draft(
            org=alert.org_id,
            type=EventName.DRIFT_ALERT.value,
            ts=now,
            subject=alert.id,
            actor=SYSTEM,
            data=encode(alert),
        )

    # What follows runs in the thread.

    def _load(self) -> None:
        found = checkpoint.read(self._home, self._ledger.log, self.streams)
        if found is not None:
            self.streams.restore(found.snapshot)
            self._position = found.position
            self._saved = found.position.seq

    def _step(self) -> None:
        taken = self._take()
        if not taken:
            segment, offset = self._position.end
            self._events = self._ledger.log.events_from(segment, offset)
            self._take()

    def _take(self) -> int:
        taken = 0
        for event in islice(self._events, STEP):
            self._found.extend(self._tried(event))
            self._position = position_of(event)
            taken += 1
        return taken

    def _tried(self, event: Event) -> Sequence[Found]:
        try:
            return list(self.streams.take(event))
        except Exception:
            # One event that cannot be read shall not stop the stream of all others, nor be tried for ever.
            log.exception("event %d (%s) was passed over", event.seq, event.type)
            return ()

    def _save(self) -> None:
        self._saved_at = time.monotonic()
        if self._found or self._position.seq == self._saved:
            return
        made_by = checkpoint.made_by(self.streams)
        try:
            checkpoint.write(self._home, Checkpoint(made_by, self._position, self.streams.snapshot()))
        except OSError as error:
            log.warning("the checkpoint of the drift detectors could not be written: %s", error)
        else:
            self._saved = self._position.seq
