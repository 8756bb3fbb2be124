"""The evidence log: what is submitted becomes durable, in one order, before anybody is answered.

One thread writes. It takes everything that is queued, numbers and hashes it, writes it with one write and one
fdatasync, and then hands over one WriteResult, from that thread. A batch is all or none: its numbers are used up,
its bytes kept and its events shown only after the fdatasync. `appender` has the rules for writes that fail,
`recovery` those for what is found at the start, and the `Sealer` looks after finished segments.

The log takes no lock: whoever opens one owns the data folder already (`lock`).

    log = Log.open(home, deliver=settle)                        # `settle(outcome)` is called in the writer's thread
    log.submit([Submission(drafts=(draft,), context=future)])
    for event in log.events_from(1, 0):                         # from segment 1, byte 0; verified
        ...
    log.close()
"""

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Final, Literal, NamedTuple, Protocol, Self

from msgspec import Struct

from assent_service.store.appender import Appender, create
from assent_service.store.batch import Salts, number
from assent_service.store.conditions import Condition
from assent_service.store.event import Draft, Event, check
from assent_service.store.failures import LogClosed, ProjectionAhead, ReadOnly
from assent_service.store.files import FILES, Files
from assent_service.store.recovery import Applied, RecoveredLog, count_tail, recover
from assent_service.store.segments import LogPlace, Sealer, list_folder, read, segment_path, stream
from assent_service.store.verification import verify_all

SEGMENT_BYTES: Final = 64 << 20
logger = logging.getLogger(__name__)


class Submission(Struct):
    """Drafts that are recorded together, next to one another, all or none, and only where all `conditions` hold; they
    move the fences named in `moves`. `context` is the caller's own."""

    drafts: tuple[Draft, ...]
    context: object = None
    conditions: tuple[Condition, ...] = ()
    moves: tuple[str, ...] = ()


class WriteResult(Struct):
    """What became of one write: `events[i]` are those of `submissions[i]`; all are empty when there is an
    `error`.

    `error` is an OSError when the write was refused and the next may succeed, ReadOnly when none will. `overtaken[i]`
    is the event that moved what `submissions[i]` rests on, which was not recorded. `foreign` are events that others
    recorded, among these by their numbers. Each event comes once, and all that are before it have come.
    """

    submissions: list[Submission]
    events: list[list[Event]]
    error: BaseException | None
    overtaken: dict[int, int] = {}
    foreign: Sequence[Event] = ()


class Status(Struct, frozen=True):
    """`refusing`: the last write failed and the next tries again. `read_only`: none will be tried in this
    process."""

    state: Literal["healthy", "refusing", "read_only"]
    reason: str = ""
    place: str = ""


class Durable(NamedTuple):
    """How far the log is durable: its last event, and the byte after it."""

    head: int
    end: LogPlace


class LogWriter(Protocol):
    """What the ledger needs of a log. It is handed `deliver` and tells it each WriteResult, in the order of the events
    in them, from a thread of its own."""

    @property
    def head(self) -> int: ...

    @property
    def tail(self) -> Iterator[Event]: ...

    @property
    def end(self) -> LogPlace: ...

    @property
    def status(self) -> Status: ...

    def submit(self, submissions: Sequence[Submission]) -> None: ...

    def events_from(self, segment: int, offset: int) -> Iterator[Event]: ...

    def read(self, segment: int, offset: int, length: int) -> Event: ...

    def seal_again(self, segments: Collection[int]) -> None: ...

    @property
    def newest(self) -> Callable[[], int] | None:
        """Asks for the last event that anybody has recorded, from any thread; None where nobody else records."""
        ...

    @property
    def silent(self) -> bool:
        """Whether those with whom others record have not answered for a while."""
        ...

    def check_history(self) -> None:
        """Where others record: that what was read here is still what they have. Blocks, for any thread. Raises
        HistoryLost, and LogAway where it cannot be known."""
        ...

    def follow(self) -> None:
        """Begin to hand over what others record."""
        ...

    def look(self) -> None:
        """Have what others have recorded handed over soon; nothing where there are no others."""
        ...

    def end_soon(self) -> None:
        """The service ends: where others record, nobody waits for them for long any more."""
        ...

    def close(self) -> None: ...


class OpenLog(Protocol):
    """Opens the log of a data folder: see `Log.open`, which is the one for files."""

    def __call__(
        self,
        home: Path,
        *,
        deliver: Callable[[WriteResult], None],
        applied: Applied | None,
        segment_bytes: int,
        files: Files,
    ) -> LogWriter: ...


class Log:
    """The log of one data folder. Made by `open`; every other method may be called from any thread but the
    writer's. Nobody else writes to the folder, so every condition of a submission is true.

    `recovered` says what torn write was cut off at the start, `foreign` which names in the folder are not the
    log's.
    """

    def __init__(
        self,
        folder: Path,
        found: RecoveredLog,
        *,
        start: LogPlace,
        counts: dict[str, int],
        deliver: Callable[[WriteResult], None],
        segment_bytes: int,
        files: Files,
    ) -> None:
        self.recovered, self.foreign = found.recovered, found.foreign
        self._folder, self._deliver, self._segment_bytes = folder, deliver, segment_bytes
        self._start, self._counts, self._salts = start, counts, Salts()
        self._durable = Durable(found.head, found.end)
        self._opened = self._durable
        self._broken: ReadOnly | None = None
        self._refusing: Status | None = None
        self._queue: SimpleQueue[Sequence[Submission] | None] = SimpleQueue()
        self._door, self._closed = Lock(), False
        self._appender = Appender(folder, found.end, files)
        self._sealer = Sealer(folder, files, self._break)
        self._writer = Thread(target=self._run, name="assent-log-writer", daemon=True)
        self._writer.start()

    @classmethod
    def open(
        cls,
        home: Path,
        *,
        deliver: Callable[[WriteResult], None],
        applied: Applied | None = None,
        segment_bytes: int = SEGMENT_BYTES,
        verify: bool = False,
        files: Files = FILES,
    ) -> Self:
        """Open the log of `home`, or start one.

        `deliver` is called by the writer thread, once per write. `applied` is what the tables hold; then only
        the log's tail and its last segment are read. `verify` reads all of it. Raises LogDamaged,
        ProjectionAhead, ProjectionMismatch.
        """
        folder = home / "log"
        _prepare(folder, applied.seq if applied else 0, files)
        found = recover(folder, applied.seq if applied else 0, files)
        if verify:
            verify_all(folder, lambda _done, _total: None)
        counts = count_tail(folder, applied, found)
        start = LogPlace(applied.segment, applied.offset) if applied else LogPlace(1, 0)
        return cls(folder, found, start=start, counts=counts, deliver=deliver, segment_bytes=segment_bytes, files=files)

    @property
    def head(self) -> int:
        """The last durable event, 0 when there is none."""
        return self._durable.head

    @property
    def tail(self) -> Iterator[Event]:
        """The events after `applied` that were there when the log was opened, from the disk; each access
        starts anew."""
        return stream(self._folder, self._start, self._opened.end)

    @property
    def end(self) -> LogPlace:
        """The byte after the last durable event."""
        return self._durable.end

    @property
    def status(self) -> Status:
        broken = self._broken
        if broken is not None:
            return Status("read_only", broken.reason, broken.place)
        return self._refusing or Status("healthy")

    def submit(self, submissions: Sequence[Submission]) -> None:
        """Queue them for the next write; returns at once. Raises ValueError, and queues none, when a draft
        cannot be written, and LogClosed after `close`. The list must not be changed afterwards."""
        for submission in submissions:
            if not submission.drafts:
                raise ValueError("a submission needs at least one draft")
            for draft in submission.drafts:
                check(draft)
        with self._door:
            if self._closed:
                raise LogClosed("the evidence log is closed: the service is shutting down")
            self._queue.put(submissions)

    def events_from(self, segment: int, offset: int) -> Iterator[Event]:
        """The events from the line at this place up to what is durable now, one at a time, each verified.

        Raises LogDamaged while going on.
        """
        return stream(self._folder, LogPlace(segment, offset), self._durable.end)

    def read(self, segment: int, offset: int, length: int) -> Event:
        """The event at this place, verified. Raises LogDamaged, and ValueError for a place past the durable
        end."""
        end = self._durable.end
        if LogPlace(segment, offset + length) > end:
            raise ValueError(f"byte {offset} + {length} of segment {segment} is past the log's end, {end}")
        return read(self._folder, segment, offset, length)

    def verify_all(self, progress: Callable[[int, int], object]) -> int:
        """Check everything that is durable now, and return how many events that is. See
        `verification.verify_all`."""
        return verify_all(self._folder, progress, self._durable.end)

    def seal_again(self, segments: Collection[int]) -> None:
        """Seal these anew, whose bodies were blanked; one that is not finished yet is sealed when it is."""
        for segment in sorted(segments):
            if segment < self._durable.end.segment:
                self._sealer.add(segment)

    @property
    def newest(self) -> Callable[[], int] | None:
        """Nobody else records."""
        return None

    @property
    def silent(self) -> bool:
        """Nobody is asked."""
        return False

    def check_history(self) -> None:
        """There is nobody else."""

    def follow(self) -> None:
        """There is nobody else."""

    def look(self) -> None:
        """There is nobody else."""

    def end_soon(self) -> None:
        """There is nobody else."""

    def close(self) -> None:
        """Write what is queued, seal what is finished, and end both threads. Doing so twice is harmless."""
        with self._door:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        self._writer.join()
        self._sealer.close()
        self._appender.close()

    def _run(self) -> None:
        ending = False
        while not ending:
            submissions, ending = self._take()
            outcome = self._write(submissions) if submissions else self._others()
            if outcome is None:
                continue
            self._hand(outcome)

    def _hand(self, outcome: WriteResult) -> None:
        try:
            self._deliver(outcome)
        except Exception:
            logger.exception("an outcome of %d submissions could not be handed over", len(outcome.submissions))

    def _take(self) -> tuple[list[Submission], bool]:
        """Everything that is queued, at least one list; and whether that was the end."""
        taken: list[Submission] = []
        more = self._queue.get()
        try:
            while more is not None:
                taken += more
                more = self._queue.get_nowait()
        except Empty:
            return taken, False
        return taken, True

    def _others(self) -> WriteResult | None:
        """What others have recorded meanwhile; nobody does in a folder of files."""
        return None

    def _write(self, submissions: list[Submission]) -> WriteResult:
        try:
            if self._broken is not None:
                raise self._broken
            events = self._append(submissions)
        except ReadOnly as error:
            self._break(error)
            return _refused(submissions, error)
        except OSError as error:
            path = segment_path(self._folder, self._durable.end.segment)
            self._refusing = Status("refusing", str(error), f"{path}, byte {self._durable.end.offset}")
            return _refused(submissions, error)
        except Exception as error:
            logger.exception("a batch of %d submissions could not be written", len(submissions))
            return _refused(submissions, error)
        self._refusing = None
        return WriteResult(submissions, events, None)

    def _append(self, submissions: list[Submission]) -> list[list[Event]]:
        """Make the submissions durable, then move on. Before that nothing of this log has changed but the
        open file."""
        head, end = self._durable
        if end.offset >= self._segment_bytes:
            self._appender.rotate(head + 1)
            self._durable = Durable(head, self._appender.end)
            self._sealer.add(end.segment)
        batch = number(submissions, head, self._appender.end, self._counts, self._salts)
        self._appender.append(batch.data)
        self._counts.update(batch.counts)
        self._durable = Durable(batch.head, self._appender.end)
        return batch.events

    def _break(self, error: ReadOnly) -> None:
        """Take no more events. The first reason is the one that is told."""
        if self._broken is None:
            logger.error("%s", error)
            self._broken = error


def _refused(submissions: list[Submission], error: BaseException) -> WriteResult:
    return WriteResult(submissions, [[] for _ in submissions], error)


def _prepare(folder: Path, applied: int, files: Files) -> None:
    """Make the folder and its first segment when there is no log yet. Tables without a log are not a first
    start."""
    if not folder.is_dir():
        folder.mkdir(parents=True)
        files.sync_folder(folder.parent)
    listing = list_folder(folder)
    if listing.segments or listing.seals:
        return
    if applied:
        raise ProjectionAhead(applied, 0, folder)
    files.close(create(segment_path(folder, 1), files))
