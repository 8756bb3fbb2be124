"""The log of a replica: in a database that several services append to, and copied into the data folder as it grows.

    replica = Replica("postgresql://...")
    ledger = replica.open_ledger(home, lambda: Ledger(home, tables, open_log=replica.open_log))

Everything that follows the log reads the copy, as it reads the log of a service that is alone: tables, trees, proofs,
look-ups. The copy is made of the database's own lines, whole writes in their order, and is never synced: whatever is
lost or wrong with it is fetched again. One thread appends and fetches, so that what others recorded before an append is
handed over before it; another one waits for the database to say that the log has grown, and looks every tenth of a
second all the same.

A copy with events that the database does not have (it was restored, or a standby took over that had not received them)
is thrown away at the next start, with all that was made from it. Until then nothing more is recorded. The folder notes
which event it was (`noted_heads`), and nothing is signed until somebody has adopted the log.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event as Flag
from threading import Thread
from typing import Final, Self, TypeVar
from uuid import uuid4

import psycopg

from assent_service.base.clock import Clock, system_clock
from assent_service.store.event import Event, decode, line_of
from assent_service.store.failures import (
    HistoryLost,
    LogAway,
    LogDamaged,
    LogError,
    OutcomeUnknown,
    PastLost,
    ProjectionAhead,
    ProjectionMismatch,
    ReadOnly,
    TablesDamaged,
)
from assent_service.store.files import Files
from assent_service.store.lock import FolderLock
from assent_service.store.log import Durable, Log, Status, Submission, WriteResult
from assent_service.store.log_file import LogFile
from assent_service.store.noted_heads import LostEvent, note_heads, note_lost, read_lost, strike_off_lost
from assent_service.store.postgresql.connecting import ClockOff, first_line
from assent_service.store.postgresql.shared_log import Overtaken, SharedLog
from assent_service.store.recovery import Applied, RecoveredLog, count_tail, recover
from assent_service.store.replica_folder import check_claim, claim, discard
from assent_service.store.segments import LogPlace, list_folder, scan, segment_path, stream
from assent_service.store.standing import Standing

PIECE: Final = 2 << 20
"""Bytes of events that are fetched, written and handed over at a time."""
PAUSE: Final = 0.01
"""Seconds between two looks at a log that grows."""
POLL: Final = 0.1
"""Seconds after which the head is looked at, whether or not somebody has said that the log has grown."""
TOLD: Final = 0.5
"""Seconds between two looks at whether the database is away."""
TENDED: Final = 60.0
"""Seconds between two comparisons of the clocks."""
FORGOTTEN: Final = 25 * 3600.0
"""Seconds after which a fence that nothing moved is forgotten: no request is under way, and no key is kept, so long."""
PRUNED: Final = 900.0
"""Seconds between two prunings, by whichever replica."""
GIVEN_UP: Final = 5.0
"""Seconds that who ends waits for one answer of the database."""
AWAY: Final = 2.0
"""Seconds for which it may be away while a service ends."""
FAR: Final = 100_000
"""Microseconds that two clocks may differ before one is put right."""
LOOKS: Final = 3
"""How often the database's clock is asked for while answers take long."""
logger = logging.getLogger("assent.replica")
T = TypeVar("T")


class Unsynced(Files):
    """A file system that is never waited for: what it loses is fetched again."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.open_append, self.size, self.write = files.open_append, files.size, files.write  # type: ignore[method-assign]
        self.write_at, self.ftruncate, self.close = files.write_at, files.ftruncate, files.close  # type: ignore[method-assign]

    def fdatasync(self, fd: int) -> None:
        """Not waited for."""

    def fsync(self, fd: int) -> None:
        """Not waited for."""

    def sync_folder(self, folder: Path) -> None:
        """Not waited for."""


class Replica:
    """One service's part in the log of a database. `correct` is told by how many microseconds the database's clock is
    ahead of this machine's.

    Raises DatabaseUnsuitable.
    """

    def __init__(
        self, dsn: str, correct: Callable[[int], None] = lambda _: None, *, prepare: bool = True, fences: bool = True
    ) -> None:
        self.standing = Standing()
        self.shared = SharedLog.open(dsn, prepare=prepare, fences=fences)
        self.holder = uuid4().hex
        self.correct = correct

    def open_ledger(self, home: Path, opened: Callable[[], T]) -> T:
        """What `opened` opens in the data folder, which is made anew where it is of no use. What its copy had and the
        database has lost is noted before.

        Raises FolderOfAnotherLog for a folder with a log of its own or a copy of another one, FolderOwned for one that
        is in use and FolderVersionUnknown for one of a newer program, all of which are left as they are, and LogDamaged
        for notes that cannot be read."""
        try:
            identity = self.shared.identity()
            check_claim(home, identity)
            with FolderLock.take(home):
                claim(home, identity)
            note_heads(home)
            for each in read_lost(home):
                if self.shared.holds(*each):
                    strike_off_lost(home, each)
            try:
                return opened()
            except (LogDamaged, ProjectionAhead, ProjectionMismatch, TablesDamaged, HistoryLost) as error:
                logger.error("the copy of the log in %s is made anew: %s", home, first_line(error))
                last = _last_of_copy(home / "log")
                if last is not None and not self.shared.holds(*last):
                    note_lost(home, last)
                with FolderLock.take(home):
                    discard(home)
                    claim(home, identity)
                return opened()
        except BaseException:
            self.shared.close()
            raise

    def open_log(
        self,
        home: Path,
        *,
        deliver: Callable[[WriteResult], None],
        applied: Applied | None,
        segment_bytes: int,
        files: Files,
    ) -> ReplicaLog:
        """See `store.log.OpenLog`."""
        return ReplicaLog.open_copy(
            home, self, deliver=deliver, applied=applied, segment_bytes=segment_bytes, files=Unsynced(files)
        )


class ReplicaLog(Log):
    """The log in the database, and its copy in a folder."""

    def __init__(
        self,
        replica: Replica,
        folder: Path,
        found: RecoveredLog,
        last: tuple[int, bytes] | None,
        *,
        start: LogPlace,
        counts: dict[str, int],
        deliver: Callable[[WriteResult], None],
        segment_bytes: int,
        files: Files,
    ) -> None:
        self._replica, self._shared, self._standing = replica, replica.shared, replica.standing
        self._ended, self._away = Flag(), ""
        self._last = last
        """The last event of the copy, and its leaf."""
        self._asked = self._answered = 0.0
        """When the newest append that was answered was sent, and when it was answered."""
        self._tended = self._pruned = 0.0
        self._done, self._was_away = Flag(), False
        self._giving_up = Thread(target=self._give_up, name="assent-log-end", daemon=True)
        self._tend()
        super().__init__(
            folder, found, start=start, counts=counts, deliver=deliver, segment_bytes=segment_bytes, files=files
        )
        self._watcher = Thread(target=self._watch, name="assent-log-watcher", daemon=True)
        self._teller = Thread(target=self._tell, name="assent-log-teller", daemon=True)

    @classmethod
    def open_copy(
        cls,
        home: Path,
        replica: Replica,
        *,
        deliver: Callable[[WriteResult], None],
        applied: Applied | None,
        segment_bytes: int,
        files: Files,
    ) -> Self:
        """Bring the copy up to what the database has, and follow it from there.

        Raises HistoryLost, and what recovery raises for a copy that is of no use."""
        file = LogFile.open(home, segment_bytes=segment_bytes, files=files)
        try:
            last = _check_history(replica.shared, file.folder, file.head, file.end)
            last = _catch_up(replica.shared, file) or last
        finally:
            file.close()
        found = recover(file.folder, applied.seq if applied else 0, files)
        counts = count_tail(file.folder, applied, found)
        start = LogPlace(applied.segment, applied.offset) if applied else LogPlace(1, 0)
        return cls(
            replica,
            file.folder,
            found,
            last,
            start=start,
            counts=counts,
            deliver=deliver,
            segment_bytes=segment_bytes,
            files=files,
        )

    @property
    def newest(self) -> Callable[[], int] | None:
        return self._shared.newest

    @property
    def silent(self) -> bool:
        return self._standing.silent

    @property
    def status(self) -> Status:
        found = super().status
        if found.state == "healthy" and self._away:
            # Whoever asks whether the service is ready need not know where its database is.
            return Status("refusing", "its database does not answer", "the evidence log's database")
        return found

    def check_history(self) -> None:
        last = self._last
        if last is not None and not self._shared.holds(*last):
            raise HistoryLost(f"this service has read event {last[0]}, and the database does not have it any more")

    def follow(self) -> None:
        self._watcher.start()
        self._teller.start()

    def look(self) -> None:
        self._queue.put(())

    def end_soon(self) -> None:
        if self._giving_up.ident is None:
            self._giving_up.start()

    def _give_up(self) -> None:
        """Until the log is closed: ask the database nothing more once it has not answered for GIVEN_UP seconds, or has
        been away for AWAY. Nothing else bounds how long it may take."""
        since: float | None = None
        while not self._done.wait(0.2):
            # Who looks at the database has ended by the time at which the log is closed.
            away = self._was_away if self._ended.is_set() else self._standing.away
            now = time.monotonic()
            since = (since or now) if away else None
            if self._shared.waits() > GIVEN_UP or (since is not None and now - since > AWAY):
                logger.warning("the evidence log's database does not answer, and this service ends without it")
                self._shared.abandon()
                return

    def close(self) -> None:
        self._was_away = self._standing.away
        self._ended.set()
        self.end_soon()
        super().close()
        for each in (self._watcher, self._teller):
            if each.is_alive():
                each.join()
        if not self._was_away:
            self._shared.release_held(self._replica.holder)
        self._shared.close()
        self._done.set()

    def _write(self, submissions: list[Submission]) -> WriteResult:
        began, told = time.perf_counter(), self._standing.observer
        result = self._append_shared(submissions)
        if told is not None:
            if result.error is None:
                overtaken = len(result.overtaken)
                told.appended(time.perf_counter() - began, len(submissions) - overtaken, overtaken)
            else:
                told.refused(len(submissions))
        return result

    def _append_shared(self, submissions: list[Submission]) -> WriteResult:
        asked = time.monotonic()
        try:
            if self._broken is not None:
                raise self._broken
            appended = self._shared.append(submissions, self._make_room)
        except ClockOff as error:
            # What it says may be old: the answer was kept, or took long to come.
            with suppress(LogAway):
                self._compare_clocks()
            return _refused(submissions, error)
        except HistoryLost as error:
            lost = _lost(error)
            self._break(lost)
            return _refused(submissions, lost)
        except (LogAway, OutcomeUnknown) as error:
            self._standing.missed()
            return _refused(submissions, error)
        except ReadOnly as error:
            return _refused(submissions, error)
        except Exception as error:
            # It may stand in the database, and is handed over as others' is when the copy can be written.
            logger.exception("%d submissions were sent, and the copy could not be written", len(submissions))
            return _refused(submissions, OutcomeUnknown(first_line(error)))
        events: list[list[Event]] = []
        overtaken: dict[int, int] = {}
        for index, outcome in enumerate(appended.outcomes):
            if isinstance(outcome, Overtaken):
                overtaken[index] = outcome.seq
                events.append([])
            else:
                events.append(outcome)
        written = [event for each in events for event in each]
        if written:
            try:
                self._keep(written)
            except Exception as error:
                logger.exception("%d submissions were recorded, and the copy could not be written", len(submissions))
                return _refused(submissions, OutcomeUnknown(first_line(error)))
        self._away = ""
        self._asked, self._answered = asked, time.monotonic()
        self._standing.heard(appended.before)
        return WriteResult(submissions, events, None, overtaken)

    def _others(self) -> WriteResult | None:
        try:
            head = self._shared.head()
            self._standing.heard(head)
            if head < self._durable.head:
                raise HistoryLost(f"this service has read event {self._durable.head}, and the database ends at {head}")
            self._fetch(head)
        except HistoryLost as error:
            self._break(_lost(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, the next look tries again
            self._is_away(error)
        else:
            self._away = ""
        return None

    def _make_room(self, before: int) -> LogPlace:
        """What others recorded is handed over, and what was just recorded comes behind it."""
        self._fetch(before)
        return self._next_write()

    def _next_write(self) -> LogPlace:
        """Where the next write begins."""
        head, end = self._durable
        if end.offset >= self._segment_bytes:
            self._appender.rotate(head + 1)
            self._durable = Durable(head, self._appender.end)
            self._sealer.add(end.segment)
        return self._durable.end

    def _fetch(self, up_to: int) -> None:
        """Copy what the database has up to this event, and hand it over."""
        waiting: list[Event] = []
        size = 0
        segment, offset = self._durable.end
        for line in self._shared.lines(self._durable.head, up_to):
            if not waiting:
                segment, offset = self._next_write()
            event = decode(line, segment, offset)
            waiting.append(event)
            offset += event.length
            size += event.length
            if event.seq == event.batch + event.batch_size - 1 and (size > PIECE or offset >= self._segment_bytes):
                self._hand_over_others(waiting)
                waiting, size = [], 0
        if waiting:
            self._hand_over_others(waiting)

    def _hand_over_others(self, events: list[Event]) -> None:
        self._keep(events)
        self._hand(WriteResult([], [], None, foreign=events))

    def _keep(self, events: list[Event]) -> None:
        """Write whole writes to the copy. Before that nothing here has changed but the open file."""
        self._appender.append(b"".join([line_of(event) for event in events]))
        self._durable = Durable(events[-1].seq, self._appender.end)
        self._last = (events[-1].seq, events[-1].leaf_hash)

    def _is_away(self, error: Exception) -> None:
        said, before = first_line(error), self._away
        self._away = said
        if isinstance(error, LogAway | psycopg.Error):
            self._standing.missed()
        elif not before:  # a full disk of the copy
            logger.warning("what others recorded cannot be read: %s", said)

    def _tell(self) -> None:
        """Until the end: a line when the database is found to be away, and one when it is back. It asks nothing, so
        that a database that hangs is told of, too."""
        away = False
        while not self._ended.wait(TOLD):
            if self._standing.away == away:
                continue
            away = not away
            if away:
                logger.warning(
                    "the evidence log's database does not answer (%s); nothing is recorded or read meanwhile",
                    self._away or "it says nothing",
                )
            else:
                logger.warning("the evidence log's database answers again")

    def _watch(self) -> None:
        """Until the end: have fetched what others say that they have recorded, and look now and then all the same."""
        while not self._ended.is_set():
            told = self._shared.told(POLL)
            try:
                self._tend()
                if not told:
                    self._poll()
                elif not self._is_seen(time.monotonic()):
                    self.look()
                    self._ended.wait(PAUSE)
            except (LogError, psycopg.Error) as error:
                self._is_away(error)
                self._ended.wait(0.2)

    def _is_seen(self, heard: float) -> bool:
        """Whether what was there at this moment is fetched by an append, as is so while one follows the other."""
        if self._answered < heard - PAUSE:
            return False
        self._ended.wait(PAUSE)
        return self._asked > heard

    def _poll(self) -> None:
        head = self._shared.head()
        self._standing.heard(head)
        if head != self._durable.head:
            self.look()
            self._ended.wait(PAUSE)
        else:
            self._away = ""

    def _tend(self) -> None:
        """Now and then: compare the clocks, and forget fences."""
        now = time.monotonic()
        if self._tended and now - self._tended < TENDED:
            return
        self._compare_clocks()
        if self._tended and now - self._pruned > PRUNED:
            self._pruned = now
            if self._shared.lease("prune", self._replica.holder, PRUNED).granted:
                self._shared.prune(FORGOTTEN)
        self._tended = now

    def _compare_clocks(self) -> None:
        offset = clock_offset(self._shared.clock)
        if offset is not None:
            self._replica.correct(offset)


def clock_offset(ask: Callable[[], int], now: Clock = system_clock) -> int | None:
    """By how many microseconds this machine's clock has to be put right, 0 where it is nearly right. `ask` answers the
    database's clock, at some moment while it is asked: None where that takes so long that nothing follows from it."""
    quickest, found = 1 << 62, 0
    for _ in range(LOOKS):
        began = now()
        database = ask()
        took = now() - began
        if took < quickest:
            quickest, found = took, database - began - took // 2
        if quickest <= FAR:
            break
    if abs(found) > FAR + quickest // 2:
        return found
    return 0 if quickest <= FAR else None


def _lost(error: HistoryLost) -> ReadOnly:
    return PastLost(str(error))


def _refused(submissions: list[Submission], error: BaseException) -> WriteResult:
    return WriteResult(submissions, [[] for _ in submissions], error)


def _last_of_copy(folder: Path) -> LostEvent | None:
    """The last event that can be read in a copy which may be damaged."""
    for segment in reversed(list_folder(folder).segments if folder.is_dir() else []):
        last: LostEvent | None = None
        with suppress(LogDamaged):
            for event in scan(folder, segment):
                last = LostEvent(event.seq, event.leaf_hash)
        if last is not None:
            return last
    return None


def _check_history(shared: SharedLog, folder: Path, head: int, end: LogPlace) -> tuple[int, bytes] | None:
    """The copy's last event and its leaf. Raises HistoryLost where it is not the database's."""
    if not head:
        return None
    last: Event | None = None
    segments = [int(path.stem) for path in folder.glob("*.log") if path.stem.isdecimal()]
    first = max((each for each in segments if each <= head), default=1)
    for event in stream(folder, LogPlace(first, 0), end):
        last = event
    if last is None:
        raise LogDamaged(segment_path(folder, first), 0, 0, f"event {head}", "no event")
    if shared.head() < head or not shared.holds(last.seq, last.leaf_hash):
        raise HistoryLost(f"the copy's event {last.seq} is not in the database any more")
    return last.seq, last.leaf_hash


def _catch_up(shared: SharedLog, file: LogFile) -> tuple[int, bytes] | None:
    """Append what the database has more, whole writes at a time; the last event and its leaf."""
    last: tuple[int, bytes] | None = None
    head, told, size = shared.head(), time.monotonic(), 0
    batch: list[bytes] = []
    pieces: list[tuple[int, bytes]] = []
    for seq, line in enumerate(shared.lines(file.head, head), file.head + 1):
        batch.append(line)
        _, write, leaf, _ = line.split(b" ", 3)
        first, _, count = write.partition(b"+")
        if seq == int(first) + int(count) - 1:
            pieces.append((seq, b"".join(batch)))
            size += len(pieces[-1][1])
            last = (seq, bytes.fromhex(leaf.decode()))
            batch = []
        if size > PIECE:
            file.append(pieces)
            pieces, size = [], 0
        if time.monotonic() - told > 5:
            told = time.monotonic()
            logger.info("reading the log from the database: %d of %d events", seq, head)
    file.append(pieces)
    return last
