"""The follower: reads the log behind everybody's back, feeds the streams, and records what they find.

- No request waits for it. One thread of low priority reads the log in slices of 2 ms, and rests after each while
  somebody asks (`Throttle`). The log is its queue: it needs no memory for what it has not read yet. `trail` tells how
  far it is behind.
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
from functools import partial
from pathlib import Path
from typing import TypeVar

from assent.contract.events import EventName
from assent.contract.health import Check
from assent_service.analysis.drift import checkpoint
from assent_service.analysis.drift.alert import alert_of
from assent_service.analysis.drift.checkpoint import START, position_of
from assent_service.analysis.drift.state import DriftState
from assent_service.analysis.drift.streams import StreamAlarm, Streams
from assent_service.base.background import background_pool
from assent_service.base.clock import Clock
from assent_service.base.pace import BREATH, SLICE, MakeThrottle, Throttle
from assent_service.base.problem import Refusal
from assent_service.base.trail import Trail
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger

DRIFT_FENCE = Fence("drift", everywhere=True)
"""An alarm is recorded once, whoever follows the log."""
STEP = 0.1
"""Seconds of work and rests after which what was found is recorded."""
GATHER = 0.2
"""Seconds after the first new event, so that a busy service is not followed event by event."""
SAVE_SECONDS = 60.0
RETRY_SECONDS = 10.0
SYSTEM = "system"
T = TypeVar("T")

log = logging.getLogger("assent.drift")


class Follower:
    """`home` is the data folder."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        home: Path,
        state: DriftState,
        streams: Streams,
        make_throttle: MakeThrottle,
    ) -> None:
        self._ledger, self._clock, self._locks, self._home, self._state = ledger, clock, locks, home, state
        self._make_throttle, self.streams = make_throttle, streams
        self._position, self._saved = START, 0
        self.trail = Trail(lambda: ledger.head, lambda: self._position.seq, clock)
        self._saved_at = time.monotonic()
        self._written = 0
        self._found: list[StreamAlarm] = []
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
            await self.save()
        await asyncio.to_thread(self._pool.shutdown)

    def caught_up(self) -> bool:
        """Whether the streams have everything in them that is recorded, and all that they found is."""
        return self._position.seq >= self._ledger.head and not self._found

    def inspect(self) -> Check:
        """For readiness: nothing fails because drift is told later."""
        return Check(name="drift", status="pass", detail=f"Its detectors follow the log ({self.trail.behind()}).")

    def _on_batch(self, batch: Sequence[Event]) -> None:
        self.trail.came(batch[0].seq - 1, batch[0].ts)
        self._wake.set()

    async def load(self) -> None:
        """Take up where the checkpoint stands, if there is one that counts."""
        await self._in_thread(self._load)

    async def follow(self) -> None:
        """Read until there is nothing more to read, a step at a time. Raises what the ledger raises when an alert
        cannot be recorded, and goes on with it the next time."""
        rests = self._make_throttle(lambda: self._ledger.head - self._written)
        while not self.caught_up():
            await self._record()
            await self._in_thread(partial(self._step, rests))
            await self._record()
            if time.monotonic() - self._saved_at >= SAVE_SECONDS:
                await self.save(rests)

    async def save(self, rests: Throttle | None = None) -> None:
        """Write where it stands, unless an alarm is not recorded yet; some at a time, with `rests` between."""
        self._saved_at = time.monotonic()
        # Nothing of it runs before the thread does: behind a step that may still be going on.
        writing = self._write()
        while await self._in_thread(partial(self._save_some, writing)):
            if rests is not None:
                await asyncio.sleep(rests.rest())
                rests.resume()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

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
        if self._found:
            await self._ledger.run(self._record_fresh)
        self._found.clear()

    async def _record_fresh(self) -> None:
        async with self._locks.hold(DRIFT_FENCE.of()):
            now = self._clock()
            fresh = [found for found in self._found if found.n > self._recorded_up_to(found)]
            if fresh:
                await self._ledger.append(*(self._draft(found, now) for found in fresh))
                self._written += len(fresh)

    def _recorded_up_to(self, found: StreamAlarm) -> int:
        return self._state.recorded_up_to(found.stream, established=found.established)

    def _draft(self, found: StreamAlarm, now: int) -> Draft:
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

    def _step(self, rests: Throttle) -> None:
        """Slices with rests between, until STEP has passed, something was found, or there is nothing more to read."""
        ends, again = time.monotonic() + STEP, True
        while time.monotonic() < ends and not self._found:
            rests.resume()
            if self._take():
                again = True
            elif again:
                segment, offset = self._position.end
                self._events, again = self._ledger.log.events_from(segment, offset), False
            else:
                return
            time.sleep(max(BREATH, rests.rest()))

    def _take(self) -> bool:
        """Take in what a slice has room for; whether there was anything."""
        ends, event = time.monotonic() + SLICE, None
        try:
            for event in self._events:
                self._found += self._tried(event)
                if time.monotonic() >= ends:
                    break
        finally:
            if event is not None:
                self._position = position_of(event)
                self.trail.taken(event.ts)
        return event is not None

    def _tried(self, event: Event) -> Sequence[StreamAlarm]:
        try:
            return self.streams.take(event)
        except Exception:
            # One event that cannot be read shall not stop the stream of all others, nor be tried for ever.
            log.exception("event %d (%s) was passed over", event.seq, event.type)
            return ()

    def _write(self) -> Iterator[None]:
        if not self._found and self._position.seq != self._saved:
            yield from checkpoint.write(self._home, self._position, self.streams)
            self._saved = self._position.seq

    def _save_some(self, writing: Iterator[None]) -> bool:
        """Whether there may be more to write."""
        try:
            next(writing)
        except StopIteration:
            return False
        except OSError as error:
            log.warning("the checkpoint of the drift detectors could not be written: %s", error)
            return False
        return True
