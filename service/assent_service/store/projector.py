"""Keeps the tables behind the log: in its own thread, in batches, exactly once.

Rules. Events come in the order of the log. A batch is applied at once when somebody waits for it, else when 2048 events
have come or a second has passed: most of what a batch costs is the same for one row and for a thousand, and every
reader forces what it needs. While somebody asks now and then, it is 1024 events or 250 ms, so that nobody has much to
wait for.
The place in the log changes in the same transaction as the tables, so a crash repeats nothing and loses nothing. When
the database fails, the batch is not thrown away: the database is opened anew, the place is read from it, and everything
after it is read again from the log. Until that succeeds, readers are told that the tables are behind. The same happens
when a reader finds that the database has failed as a whole.

    projector = Projector(path, tables, reread=reread, on_applied=wake, on_trouble=refuse)
    projector.start()
    projector.offer(events)                     # soon: with more that come, or a moment later
    projector.want(events[-1].seq)              # at once; `wake(seq)` is called when they are in the tables
    projector.close()
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

from assent_service.base.clock import Clock, system_clock
from assent_service.base.trail import Trail
from assent_service.store.database import Database
from assent_service.store.erasure import Eraser
from assent_service.store.event import Event
from assent_service.store.objects import Shared
from assent_service.store.projection import Projection, read_applied
from assent_service.store.recovery import Applied
from assent_service.store.tables import Table

LARGEST_BATCH = 2048
"""Handing over so many payloads holds the interpreter for 2 ms; twice as many cost a sixth less for each event."""
LAZY_EVENTS, LAZY_SECONDS = LARGEST_BATCH, 1.0
ASKED_EVENTS, ASKED_SECONDS = 1024, 0.25
"""While somebody has waited within the last RECENT seconds."""
RECENT = 5.0
LARGEST_BATCH_BYTES = 8_000_000
"""Unless one event alone is larger: the database takes several times as much while it parses them."""
LARGEST_BACKLOG = 100_000
BACKLOG_BYTES = 120_000_000
RETRY_SECONDS = (0.1, 0.2, 0.5, 1.0, 2.0)

log = logging.getLogger("assent.projector")


class Projector:
    """`behind` is None while all is well, else what the database said.

    `reread(applied)` streams the log's events after a place. In the projector's thread, `before(events)` is called
    before each batch, and with the same events again when that failed, `on_applied(seq)` after each batch, and
    `on_trouble()` when one failed. `blanked(segments)` is told whose bytes an erasure has changed.
    """

    def __init__(
        self,
        path: Path,
        tables: Sequence[Table],
        *,
        reread: Callable[[Applied], Iterable[Event]],
        on_applied: Callable[[int], None],
        on_trouble: Callable[[], None],
        before: Callable[[Sequence[Event]], None] = lambda _: None,
        blanked: Callable[[Collection[int]], None] = lambda _: None,
        backlog: int = BACKLOG_BYTES,
        clock: Clock = system_clock,
        shared: Shared | None = None,
    ) -> None:
        self._projection = Projection(tables, Eraser(path.parent, tables, blanked=blanked, shared=shared))
        self._reread, self._on_applied, self._on_trouble, self._before = reread, on_applied, on_trouble, before
        self._events: deque[Event] = deque()
        self._bytes, self._backlog = 0, backlog
        self._wake = threading.Condition()
        self._wanted, self._asked = 0, -RECENT
        self._offered = 0
        self._overflowed = False
        self._distrusted: str | None = None
        self._closing = False
        self.behind: str | None = None
        self.database = Database(path, tables)
        self.applied = read_applied(self.database.writer)
        self.trail = Trail(lambda: max(self._offered, self.applied.seq), lambda: self.applied.seq, clock)
        self._thread = threading.Thread(target=self._run, name="assent-projector", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def offer(self, events: Sequence[Event]) -> None:
        """Take durable events, in the order of the log."""
        with self._wake:
            if events:
                self._offered = events[-1].seq
                self.trail.came(events[0].seq - 1, events[0].ts)
            if self._overflowed:
                return
            idle = not self._events
            self._events.extend(events)
            self._bytes += sum(event.length for event in events)
            if len(self._events) > LARGEST_BACKLOG or self._bytes > self._backlog:
                # They are all in the log; it is read again instead of holding them here.
                self._overflowed = True
                self._events.clear()
                self._bytes = 0
                self._wake.notify()
            if idle or len(self._events) >= self._patience()[0] or self._bytes >= LARGEST_BATCH_BYTES:
                self._wake.notify()

    def want(self, seq: int) -> None:
        """Somebody waits for `seq` to be applied."""
        with self._wake:
            self._asked = time.monotonic()
            if seq > self._wanted:
                self._wanted = seq
                self._wake.notify()

    def distrust(self, generation: int, why: str) -> None:
        """A reader met a database that has failed for good: open it anew, unless that has been done since."""
        with self._wake:
            if generation == self.database.generation:
                self._distrusted = why
                self._wake.notify()

    def close(self) -> None:
        """Apply what is left, if the database lets us, and end the thread."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        if self._thread.is_alive():
            self._thread.join()
        self.database.close()

    def _run(self) -> None:
        while True:
            events = self._next()
            if events is None:
                return
            try:
                self._apply(events)
            except Exception as error:  # noqa: BLE001 - whatever it is, the batch is kept and tried again
                log.warning("the tables could not follow the log: %s", error)
                self.behind = str(error)
                self._on_trouble()
                self._recover()
                if self.behind is not None:
                    return

    def _next(self) -> list[Event] | None:
        with self._wake:
            while not (self._events or self._overflowed or self._distrusted or self._closing):
                self._wake.wait()
            deadline = time.monotonic() + self._patience()[1]
            while not self._due(deadline):
                self._wake.wait(max(0.001, deadline - time.monotonic()))
            if self._overflowed or self._distrusted:
                return []
            if not self._events:
                return None
            batch = next(_batches(iter(self._events)))
            for event in batch:
                self._events.popleft()
                self._bytes -= event.length
            return batch

    def _patience(self) -> tuple[int, float]:
        """How many events, and seconds, a batch is waited for that nobody waits for."""
        if time.monotonic() - self._asked < RECENT:
            return ASKED_EVENTS, ASKED_SECONDS
        return LAZY_EVENTS, LAZY_SECONDS

    def _due(self, deadline: float) -> bool:
        return (
            self._closing
            or self._overflowed
            or self._distrusted is not None
            or len(self._events) >= self._patience()[0]
            or self._bytes >= LARGEST_BATCH_BYTES
            or self._wanted > self.applied.seq
            or time.monotonic() >= deadline
        )

    def _apply(self, events: list[Event]) -> None:
        if self._distrusted is not None:
            raise RuntimeError(self._distrusted)
        if not events:
            self._catch_up()
            return
        self._write(events)

    def _write(self, events: list[Event]) -> None:
        self._before(events)
        self.applied = self._projection.apply(self.database.writer, events, self.applied)
        self.trail.taken(events[-1].ts)
        self._on_applied(self.applied.seq)
        self.database.let_go()

    def _recover(self) -> None:
        """Open the database anew until it takes what the log holds; give up only when closing."""
        for attempt in range(10**9):
            with self._wake:
                if self._closing:
                    return
                self._wake.wait(RETRY_SECONDS[min(attempt, len(RETRY_SECONDS) - 1)])
            try:
                self._reopen()
                self._catch_up()
            except Exception as error:  # noqa: BLE001 - as above
                self.behind = str(error)
                log.warning("the tables are still behind: %s", error)
                continue
            self.behind = None
            self._on_applied(self.applied.seq)
            return

    def _reopen(self) -> None:
        self.database.reopen()
        with self._wake:
            self._distrusted = None
        self.applied = read_applied(self.database.writer)

    def _catch_up(self) -> None:
        """Apply from the log itself, then go on with what is offered."""
        while True:
            for batch in _batches(iter(self._reread(self.applied))):
                self._write(batch)
            with self._wake:
                self._overflowed = False
                while self._events and self._events[0].seq <= self.applied.seq:
                    self._bytes -= self._events.popleft().length
                # Events that came while the backlog had overflowed were dropped: they are in the log by now.
                due = self._events[0].seq if self._events else self._offered + 1
                if due <= self.applied.seq + 1:
                    return


def _batches(events: Iterator[Event]) -> Iterator[list[Event]]:
    """`events` in pieces of at most LARGEST_BATCH events and LARGEST_BATCH_BYTES, but for one event alone."""
    batch: list[Event] = []
    size = 0
    for event in events:
        if batch and (len(batch) >= LARGEST_BATCH or size + event.length > LARGEST_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += event.length
    if batch:
        yield batch
