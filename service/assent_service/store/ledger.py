"""The one way to change and to read what is recorded.

`append` answers when its events are durable and folded into memory; nothing sees an event before that. `read` answers
from tables that hold everything recorded before the question. Outside this folder nobody knows that the log is files
or that the tables are DuckDB's.

    ledger = Ledger(home, tables)               # the folder is ours from here on
    ledger.remember([policies.state])           # folds in memory: from the tables, then from the log's tail
    ledger.start()                              # within the event loop
    (event,) = await ledger.append(draft)       # durable, and folded into memory
    rows = await ledger.read("SELECT name FROM policies WHERE org_id = ?", [org_id])
    ledger.close()
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import duckdb
import polars as pl

from assent_service.base.background import Lag
from assent_service.base.clock import Clock, system_clock
from assent_service.base.problem import Refusal
from assent_service.base.trail import Behind
from assent_service.store.budget import Budget, BudgetExceeded, TooManyAnalyses
from assent_service.store.comparison import TableComparison, compare
from assent_service.store.conditions import ATTEMPT, HELD, Condition, Overtaken, rules_of
from assent_service.store.coverage import ERASED
from assent_service.store.database import Row, TablesUnavailable
from assent_service.store.erasure import EndedActions
from assent_service.store.event import Draft, Event
from assent_service.store.failures import (
    LogClosed,
    LogDamaged,
    LogError,
    OutcomeUnknown,
    TablesDamaged,
    behind,
    database_away,
    disk_too_slow,
    not_followed,
    not_recorded,
    overtaken_too_often,
    too_large,
    too_many_analyses,
)
from assent_service.store.files import FILES, Files
from assent_service.store.folder_version import record_version
from assent_service.store.leases import Turn
from assent_service.store.lock import FolderLock
from assent_service.store.log import SEGMENT_BYTES, Log, LogWriter, OpenLog, Submission, WriteResult
from assent_service.store.objects import Shared
from assent_service.store.patience import PATIENCE, WAITING, Patience, waiting
from assent_service.store.projector import BACKLOG_BYTES, Projector
from assent_service.store.reader import QueryScan, TableReader
from assent_service.store.recovery import Applied
from assent_service.store.segments import segment_path
from assent_service.store.tables import Table
from assent_service.store.tree import FOLDER, Tree

READ_TIMEOUT = 10.0
UNANSWERED = 2.0
"""Seconds after which who asks the log's database does not wait behind a question that it has not answered."""
MOST_UNWRITTEN = 32 << 20
"""Bytes that may wait for the disk, as `_weight` counts them: who asks and goes away while it stalls leaves them."""
MOST_RUNS = 5
"""Of one piece of work that is overtaken each time, without recording anything in between."""
BESIDE = 4_000
"""Bytes that a submission costs beside its drafts: who waits for it, and what they answer."""

log = logging.getLogger("assent.ledger")

Read = Callable[[str, Sequence[object]], list[Row]]
T = TypeVar("T")
Result = list[Event] | Refusal | ValueError | Overtaken


class Memory(Protocol):
    """A fold of the log that lives in memory: loaded from the tables, then kept by the events. One whose class says
    `rules = True` holds what every request of an organization rests on."""

    types: frozenset[str]

    def load(self, read: Read) -> None: ...

    def fold(self, event: Event) -> None: ...


class Settles(Protocol):
    """Who submits and does not await: told on the event loop what became of it, and settled within that call."""

    def recorded(self, events: list[Event]) -> None: ...

    def refused(self, error: Refusal | ValueError) -> None: ...

    def overtaken(self, overtaken: Overtaken) -> None: ...


class Ledger:
    """Owns the data folder. Opened before the event loop runs, started within it. The log is written through `files`.
    `backlog` is how many bytes of events may wait in memory for the tables. `tree` are the organizations' Merkle trees;
    `keep_tree=False` leaves them as they are, to measure what they cost. `budget` is what one analysis may take,
    `clock` what tells how far the tables are behind.
    `open_log` opens the log; one that several processes write to is opened by another function. `shared` is what those
    have in common then, and `holder` names this one among them.
    """

    def __init__(
        self,
        home: Path,
        tables: Sequence[Table],
        *,
        segment_bytes: int = SEGMENT_BYTES,
        keep_tree: bool = True,
        files: Files = FILES,
        backlog: int = BACKLOG_BYTES,
        budget: Budget = Budget(),  # noqa: B008 - a value that nobody changes
        clock: Clock = system_clock,
        open_log: OpenLog = Log.open,
        shared: Shared | None = None,
        holder: str = "",
    ) -> None:
        self.shared, self._holder = shared, holder
        self._lock = FolderLock.take(home)
        self._home, self._tables = home.absolute(), tuple(tables)
        self._file = home / "tables.duckdb"
        try:
            with self._readable():
                self._projector = Projector(
                    self._file,
                    tables,
                    reread=self._reread,
                    before=self._grow,
                    blanked=lambda segments: self.log.seal_again(segments),
                    on_applied=self._on_applied,
                    on_trouble=self._on_trouble,
                    backlog=backlog,
                    clock=clock,
                    shared=shared,
                )
        except BaseException:
            self._lock.release()
            raise
        try:
            self.tree = Tree(
                home / FOLDER,
                self._projector.applied.counts,
                leaf_of=lambda org_id, n: self.event_at(org_id, n).leaf_hash,
                reread=lambda: self.log.events_from(1, 0),
                keep=keep_tree,
            )
            history = any((home / "log").glob("*.log"))
            self.log: LogWriter = open_log(
                home, deliver=self._deliver, applied=self._starting_point(), segment_bytes=segment_bytes, files=files
            )
            record_version(home, history=history)
        except BaseException:
            self._projector.close()
            self._lock.release()
            raise
        self._reader = TableReader(self._projector.database, self._projector.distrust, budget)
        self._folds: dict[str, list[Callable[[Event], None]]] = {}
        self._listeners: list[Callable[[Sequence[Event]], None]] = []
        self._turn: list[Submission] = []
        self._unwritten = 0
        self.ended = EndedActions()
        self.lag = Lag()
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._folding: list[tuple[int, asyncio.Future[None]]] = []
        self.reruns: Callable[[bool], None] = _unobserved
        """Told of each run of a work that was overtaken, and False when it comes to nothing."""
        self._rules: set[str] = set()
        """Types of events that move the rules of their organization."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._question: asyncio.Task[int] | None = None
        self._next_question: asyncio.Task[int] | None = None
        self._asked, self._in_vain = 0.0, False
        """When the question was put that is under way, and whether the last one took long and got no answer."""
        self._late: set[asyncio.Task[Any]] = set()
        self.head = self.log.head
        self._counts: dict[str, int] = dict(self._projector.applied.counts)

    def remember(self, memories: Iterable[Memory]) -> None:
        """Load each memory from the tables, then fold the log's tail into all of them, in order. Raises
        TablesDamaged."""
        # Tables that no event has reached are empty; forty questions to them are a third of a new folder's start.
        read: Read = self._reader.now if self.applied else _nothing
        for memory in memories:
            with self._readable():
                memory.load(read)
            if getattr(memory, "rules", False):
                self._rules |= memory.types
            for name in memory.types:
                self._folds.setdefault(name, []).append(memory.fold)
        tail: list[Event] = []
        for event in self.log.tail:
            self._fold(event)
            tail.append(event)
            if len(tail) == 4096:
                self._projector.offer(tail)
                tail = []
        self._projector.offer(tail)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """At a start: a database that cannot be used is said to be so, with what mends it."""
        try:
            yield
        except (duckdb.Error, TablesUnavailable) as error:
            raise TablesDamaged(self._file, str(error)) from error

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.lag.start()
        self._projector.start()
        self.log.follow()

    def close(self) -> None:
        self.lag.stop()
        try:
            self.log.close()
            self._projector.close()
            self._reader.close()
        finally:
            self._lock.release()

    def listen(self, listener: Callable[[Sequence[Event]], None]) -> None:
        """Call `listener` with every durable batch, in order, on the event loop."""
        self._listeners.append(listener)

    @property
    def applied(self) -> int:
        return self._projector.applied.seq

    @property
    def behind(self) -> str | None:
        """What keeps the tables from following the log, None when nothing does."""
        return self._projector.behind

    @property
    def tables_behind(self) -> Behind:
        """How far the tables are behind the log."""
        return self._projector.trail.behind()

    # Writing

    async def append(self, *drafts: Draft, conditions: Sequence[Condition] = ()) -> list[Event]:
        """Record all of `drafts` or none; they are durable and folded when this returns. They rest on what the caller
        holds, within a request on the rules of their organization, and on `conditions`, which they move as well.

        Raises `Overtaken` where somebody else moved one of these meanwhile, `Refusal` with `storage_unavailable`,
        `read_only` or `shutting_down`, with `action_erased` for one that is about an action that was `ended`, and
        ValueError for a draft that cannot be written; nothing was recorded then, nor will be.
        """
        assert self._loop is not None, "the ledger is not started"
        future: asyncio.Future[list[Event]] = self._loop.create_future()
        held, attempt = HELD.get(), ATTEMPT.get()
        rests = (*held, *conditions)
        moves = tuple([each.name for each in rests])
        if attempt is not None:
            rests = (*rests, *self._unchanged_rules(drafts, attempt.after, attempt.org_id))
        self._submit(drafts, future, rests, moves)
        patience = waiting()
        events = await (future if patience is None else patience.spend(future))
        # All that it rests on held up to here: what is appended next is not overtaken by this.
        if held:
            HELD.set(tuple([Condition(each.name, events[-1].seq) for each in held]))
        if attempt is not None:
            attempt.after = events[-1].seq
        return events

    def submit(self, drafts: tuple[Draft, ...], settles: Settles, conditions: tuple[Condition, ...] = ()) -> None:
        """The same for a request that was authenticated and decided in this turn of the loop, and does not await:
        `settles` is told, with what `append` answers or raises. Raises `action_erased` at once."""
        rests = (*conditions, *self._unchanged_rules(drafts, self.head, None))
        self._submit(drafts, settles, rests, tuple([each.name for each in conditions]))

    def _unchanged_rules(self, drafts: Sequence[Draft], after: int, org_id: str | None) -> tuple[Condition, ...]:
        """Of the organizations that the drafts are of, and of `org_id`."""
        first = org_id or drafts[0].org
        for draft in drafts:
            if draft.org != first:
                return tuple(Condition(rules_of(org), after) for org in sorted({first, *(each.org for each in drafts)}))
        return (Condition(rules_of(first), after),)

    def _moved_rules(self, drafts: Sequence[Draft]) -> tuple[str, ...]:
        for draft in drafts:
            if draft.type in self._rules:
                return tuple(rules_of(org) for org in sorted({each.org for each in drafts if each.type in self._rules}))
        return ()

    def _submit(
        self,
        drafts: tuple[Draft, ...],
        context: Settles | asyncio.Future[list[Event]],
        conditions: tuple[Condition, ...],
        moves: tuple[str, ...],
    ) -> None:
        assert self._loop is not None, "the ledger is not started"
        if self.ended.any:
            self.ended.check(drafts)
        if self._unwritten > MOST_UNWRITTEN:
            raise disk_too_slow(self._unwritten)
        self._unwritten += _weight(drafts)
        if not self._turn:
            # Everything that this turn of the loop records goes over in one piece.
            self._loop.call_soon(self._hand_over)
        moved = self._moved_rules(drafts)
        if moved:
            moves += moved
        self._turn.append(Submission(drafts, context, conditions, moves))

    def _hand_over(self) -> None:
        turn, self._turn = self._turn, []
        try:
            self.log.submit(turn)
        except ValueError:
            # One of them cannot be written; the others are not to suffer for it.
            for submission in turn:
                self._hand_over_alone(submission)
        except LogClosed as error:
            for submission in turn:
                self._settle_alone(submission, not_recorded(error))

    def _hand_over_alone(self, submission: Submission) -> None:
        try:
            self.log.submit([submission])
        except (ValueError, LogClosed) as error:
            self._settle_alone(submission, error if isinstance(error, ValueError) else not_recorded(error))

    def _settle_alone(self, submission: Submission, refusal: Refusal | ValueError) -> None:
        self._unwritten -= _weight(submission.drafts)
        _settle(submission, refusal)

    def _deliver(self, outcome: WriteResult) -> None:
        assert self._loop is not None, "the ledger is not started"
        self._loop.call_soon_threadsafe(self._delivered, outcome)

    def _delivered(self, outcome: WriteResult) -> None:
        for submission in outcome.submissions:
            self._unwritten -= _weight(submission.drafts)
        if outcome.error is not None:
            refusal = not_recorded(outcome.error)
            for submission in outcome.submissions:
                _settle(submission, refusal)
            return
        batch = [event for events in outcome.events for event in events]
        if outcome.foreign:
            batch = sorted([*outcome.foreign, *batch], key=_seq)
            for event in outcome.foreign:
                if event.type == ERASED and event.action is not None:
                    self.ended.add(event.org, event.action)
        if batch:
            self._take_over(batch)
        for index, (submission, events) in enumerate(zip(outcome.submissions, outcome.events, strict=True)):
            by = outcome.overtaken.get(index)
            _settle(submission, events if by is None else Overtaken(by))
        if batch:
            self._tell(batch)

    def _take_over(self, batch: list[Event]) -> None:
        """Into memory, and on the way into the tables."""
        self.head = batch[-1].seq
        for event in batch:
            try:
                self._fold(event)
            except Exception:
                # Recorded all the same: whoever waits must hear it, and a restart folds it anew.
                log.exception("event %d (%s) is recorded but could not be folded into memory", event.seq, event.type)
        self._projector.offer(batch)
        if self._folding:
            self._folding = _woken(self._folding, self.head)

    def _tell(self, batch: Sequence[Event]) -> None:
        for listener in self._listeners:
            try:
                listener(batch)
            except Exception:
                log.exception("a listener failed on events %d to %d", batch[0].seq, batch[-1].seq)

    async def folded(self, seq: int) -> None:
        """Wait until event `seq` is folded into memory. Raises `projection_behind` when the patience is over."""
        if self.head >= seq:
            return
        assert self._loop is not None, "the ledger is not started"
        future: asyncio.Future[None] = self._loop.create_future()
        self._folding.append((seq, future))
        try:
            async with self._bounded():
                await future
        except TimeoutError:
            raise not_followed(seq) from None

    async def run_again(self, overtaken: Overtaken, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` answers, which was overtaken once: it is run again when what overtook it is folded, until it is
        not overtaken. Raises what it raises, and `busy` when MOST_RUNS runs in a row came to nothing, the first one
        included."""
        attempt = ATTEMPT.get()
        kept, runs = 0 if attempt is None else len(attempt.kept), 1
        while True:
            if attempt is not None and len(attempt.kept) > kept:
                kept, runs = len(attempt.kept), 0
            if runs == MOST_RUNS:
                self.reruns(False)
                raise overtaken_too_often(MOST_RUNS)
            await self.folded(overtaken.seq)
            self.reruns(True)
            try:
                return await work()
            except Overtaken as again:
                overtaken, runs = again, runs + 1

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` answers, run again as `run_again` does where it is overtaken: for what works in the
        background."""
        try:
            return await work()
        except Overtaken as overtaken:
            return await self.run_again(overtaken, work)

    def count(self, org_id: str) -> int:
        """How many events the organization has; its next one gets this number."""
        return self._counts.get(org_id, 0)

    def _starting_point(self) -> Applied | None:
        applied = self._projector.applied
        return applied if applied.seq else None

    def _fold(self, event: Event) -> None:
        self._counts[event.org] = event.n + 1
        for fold in self._folds.get(event.type, ()):
            fold(event)

    # Others

    def turn(self, name: str) -> Turn:
        """Whose turn a piece of background work is, of all services on the log."""
        return Turn(name, self.shared, self._holder)

    def current(self) -> Awaitable[None] | None:
        """Wait until all that anybody recorded before this call is folded; None where nobody else records.

        Raises `projection_behind` where that cannot be known in time, and at once where an earlier question has waited
        for UNANSWERED seconds in vain.
        """
        newest = self.log.newest
        return None if newest is None else self._current(newest)

    async def _current(self, newest: Callable[[], int]) -> None:
        asked = self._asked
        if (asked and time.monotonic() - asked > UNANSWERED) or (self._in_vain and self.log.silent):
            raise database_away()
        if self._next_question is None:
            self._next_question = asyncio.create_task(self._ask(newest, self._question))
            self._next_question.add_done_callback(_forgotten)
        try:
            async with self._bounded():
                seq = await asyncio.shield(self._next_question)
        except (LogError, TimeoutError) as error:
            raise database_away() from error
        if seq > self.head:
            self.log.look()
            await self.folded(seq)

    async def _ask(self, newest: Callable[[], int], before: asyncio.Task[int] | None) -> int:
        """One question at a time, for all who ask until it is sent: its answer holds for nobody who comes later."""
        if before is not None and not before.done():
            await asyncio.wait([before])
        self._question, self._next_question = self._next_question, None
        return await asyncio.to_thread(self._ask_now, newest)

    def _ask_now(self, newest: Callable[[], int]) -> int:
        self._asked = began = time.monotonic()
        try:
            seq = newest()
        except BaseException:
            self._in_vain = time.monotonic() - began > UNANSWERED
            raise
        else:
            self._in_vain = False
            return seq
        finally:
            self._asked = 0.0

    @property
    def patience(self) -> float | None:
        """Seconds after which who submits is answered without the log's word; None where it is this process's own."""
        return None if self.log.newest is None else PATIENCE

    @property
    def silent(self) -> bool:
        """Whether the log's database has not answered for a while."""
        return self.log.silent

    async def in_time(self, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` answers. Where the log is in a database and this waits for an append longer than the patience of
        one request, `storage_unavailable` is raised, and `work` goes on to its end."""
        if self.log.newest is None:
            return await work()
        loop = asyncio.get_running_loop()
        patience = Patience(loop.create_future())

        async def patient() -> T:
            WAITING.set(patience)
            return await work()

        task = loop.create_task(patient())
        try:
            await asyncio.wait((task, patience.overdue), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            patience.ended = True
        if task.done():
            return task.result()
        self._late.add(task)
        task.add_done_callback(self._late.discard)
        task.add_done_callback(_forgotten)
        raise not_recorded(OutcomeUnknown(f"the database has not answered an append for {PATIENCE:.0f} s"))

    def _bounded(self) -> AbstractAsyncContextManager[object]:
        """As long as a request waits for the database, or READ_TIMEOUT seconds for what works in the background."""
        patience = waiting()
        return asyncio.timeout(READ_TIMEOUT) if patience is None else patience.bounded()

    # Reading

    async def read(self, sql: str, parameters: Sequence[object] = (), *, remembered: int = 0) -> list[Row]:
        """Rows of a query that sees everything recorded before this call.

        A caller that has looked through the newest `remembered` events in memory already need not wait for those to
        reach the tables. Raises `Refusal` with `projection_behind` when the tables cannot follow the log.
        """
        if self.head - self.applied > remembered:
            await self.caught_up()
        try:
            return await self._reader.rows(sql, parameters)
        except TablesUnavailable as error:
            raise self._behind(str(error)) from error

    async def frame(self, sql: str, parameters: Sequence[object] = ()) -> pl.DataFrame:
        """What `read` answers, as a frame for the analytics functions, within the budget of one analysis. Raises as
        `read` does, and `Refusal` with `analysis_too_large` and `busy`."""
        await self.caught_up()
        try:
            return await self._reader.frame(sql, parameters)
        except BudgetExceeded as error:
            raise too_large(str(error)) from error
        except TooManyAnalyses as error:
            raise too_many_analyses() from error
        except TablesUnavailable as error:
            raise self._behind(str(error)) from error

    async def frame_of_ours(self, sql: str, parameters: Sequence[object] = ()) -> pl.DataFrame:
        """The same for what the service itself keeps in memory: whoever asks for analyses does not keep it from that,
        so no budget cuts it. Raises as `read` does."""
        await self.caught_up()
        try:
            return await self._reader.whole_frame(sql, parameters)
        except TablesUnavailable as error:
            raise self._behind(str(error)) from error

    def read_now(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """The rows as the tables are, in the calling thread: for short look-ups after `caught_up`.

        Raises `Refusal` with `projection_behind` when the tables cannot be asked.
        """
        try:
            return self._reader.now(sql, parameters)
        except TablesUnavailable as error:
            raise self._behind(str(error)) from error

    @contextmanager
    def scan(
        self, sql: str, parameters: Sequence[object], *, rows: int, recall: Callable[[], None]
    ) -> Iterator[QueryScan]:
        """The rows as the tables are, in batches of about `rows` and in constant memory, for a thread of the caller,
        after `caught_up`.

        The tables may have to be opened anew meanwhile: `recall` is then called by another thread, and the caller has
        to come to an end. Raises `Refusal` with `projection_behind` when the tables cannot be asked, in the middle too.
        """
        try:
            with self._reader.scan(sql, parameters, rows=rows, recall=recall) as found:
                yield found
        except TablesUnavailable as error:
            raise self._behind(str(error)) from error

    async def caught_up(self) -> None:
        """Wait until the tables hold everything recorded so far."""
        seq = self.head
        if self.applied >= seq:
            return
        if self.behind is not None:
            raise self._behind(self.behind)
        assert self._loop is not None, "the ledger is not started"
        future: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append((seq, future))
        self._projector.want(seq)
        if self.applied >= seq:
            # Applied between the first look and joining the queue: nobody would have woken this reader.
            self._wake_readers(self.applied)
        try:
            async with asyncio.timeout(READ_TIMEOUT):
                await future
        except TimeoutError:
            raise self._behind(f"not applied after {READ_TIMEOUT:.0f} s") from None

    def events(self, org: str, after: int, up_to: int, limit: int) -> list[Event]:
        """The organization's events with `after < n <= up_to`, in order, from the log, for a thread of the caller."""
        places = self.read_now(
            "SELECT segment, position, length FROM events WHERE org_id = $1 AND n > $2 AND n <= $3 ORDER BY n LIMIT $4",
            [org, after, up_to, limit],
        )
        return self._at(places)

    def event_at(self, org_id: str, n: int) -> Event:
        """The organization's event `n`, verified, from the log, for a thread of the caller, after `caught_up`.

        Raises ValueError when there is none, LogDamaged when it is not what was recorded.
        """
        sql = "SELECT segment, position, length FROM events WHERE org_id = $1 AND n = $2"
        events = self._at(self.read_now(sql, [org_id, n]))
        if not events:
            raise ValueError(f"{org_id} has no event {n} in the tables")
        event = events[0]
        if (event.org, event.n) != (org_id, n):
            place, due = segment_path(self._home / "log", event.segment), f"event {n} of {org_id}, as the tables say"
            raise LogDamaged(
                place,
                0,
                0,
                f"{due}, at byte {event.offset}",
                f"event {event.n} of {event.org}",
                "Stop the service and run `assent rebuild`, which makes the tables anew from the log.",
            )
        return event

    async def events_of(self, org_id: str, action_id: str, types: Sequence[str]) -> list[Event]:
        """The events of these types that belong to one action, in order, from the log; it sees what `read` sees."""
        marks = ", ".join("?" * len(types))
        places = await self.read(
            "SELECT segment, position, length FROM events "
            f"WHERE org_id = ? AND action_id = ? AND type IN ({marks}) ORDER BY n",
            [org_id, action_id, *types],
        )
        return await asyncio.to_thread(self._at, places)

    async def events_about(self, org_id: str, ids: Sequence[str], column: str) -> list[Event]:
        """The organization's events whose `column` of the events table (action_id, subject, type) is one of `ids`, in
        order, from the log; it sees what `read` sees."""
        found = await self.events_by(org_id, ids, column)
        return sorted((event for events in found.values() for event in events), key=lambda event: event.n)

    async def events_by(self, org_id: str, ids: Sequence[str], column: str) -> dict[str, list[Event]]:
        """The same by what the table has in `column`, for many ids in one look at it; an id without events is not
        there."""
        if not ids:
            return {}
        marks = ", ".join("?" * len(ids))
        places = await self.read(
            f"SELECT segment, position, length, {column} FROM events WHERE org_id = ? AND {column} IN ({marks}) "
            "ORDER BY n",
            [org_id, *ids],
        )
        found: dict[str, list[Event]] = {}
        events = await asyncio.to_thread(self._at, [place[:3] for place in places])
        for (*_, value), event in zip(places, events, strict=True):
            found.setdefault(str(value), []).append(event)
        return found

    def compare(self, org_id: str, events: Sequence[Event], action_id: str | None = None) -> TableComparison:
        """See `comparison.compare`; for a thread of the caller, after `caught_up`. Raises `projection_behind`."""
        return compare(self._tables, org_id, events, self.read_now, action_id)

    def _at(self, places: Sequence[Row]) -> list[Event]:
        return [self.log.read(int(str(s)), int(str(p)), int(str(length))) for s, p, length in places]

    def _reread(self, applied: Applied) -> Iterable[Event]:
        return self.log.events_from(applied.segment, applied.offset)

    def _grow(self, events: Sequence[Event]) -> None:
        self.tree.extend(events)

    def _on_applied(self, seq: int) -> None:
        if self._waiting and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake_readers, seq)

    def _on_trouble(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._turn_readers_away)

    def _behind(self, why: str) -> Refusal:
        """Without the place of the data folder: errors of the disk name it, and agents are told them too."""
        return behind(why.replace(str(self._home), "(data folder)"))

    def _wake_readers(self, seq: int) -> None:
        self._waiting = _woken(self._waiting, seq)

    def _turn_readers_away(self) -> None:
        waiting, self._waiting = self._waiting, []
        for _, future in waiting:
            if not future.done():
                future.set_exception(self._behind(self.behind or "the tables could not follow the log"))


def _forgotten(task: asyncio.Task[Any]) -> None:
    """What it raised is nobody's: who waited was answered."""
    if not task.cancelled():
        task.exception()


def _unobserved(again: bool) -> None:
    """Nobody counts."""


def _nothing(sql: str, parameters: Sequence[object]) -> list[Row]:
    """What tables without a row answer to every memory's questions."""
    return []


def _seq(event: Event) -> int:
    return event.seq


def _woken(waiting: list[tuple[int, asyncio.Future[None]]], seq: int) -> list[tuple[int, asyncio.Future[None]]]:
    """Wake who waits for an event up to `seq`; the others are left."""
    still: list[tuple[int, asyncio.Future[None]]] = []
    for wanted, future in waiting:
        if wanted > seq:
            still.append((wanted, future))
        elif not future.done():
            future.set_result(None)
    return still


def _weight(drafts: Sequence[Draft]) -> int:
    return BESIDE + sum(len(draft.data) for draft in drafts)


def _settle(submission: Submission, result: Result) -> None:
    context = submission.context
    if not isinstance(context, asyncio.Future):
        _tell(cast("Settles", context), result)
    elif context.done():
        return
    elif isinstance(result, list):
        context.set_result(result)
    else:
        context.set_exception(result)


def _tell(settles: Settles, result: Result) -> None:
    try:
        if isinstance(result, list):
            settles.recorded(result)
        elif isinstance(result, Overtaken):
            settles.overtaken(result)
        else:
            settles.refused(result)
    except Exception:
        # The others of its batch have to hear what became of theirs.
        log.exception("what was recorded could not be answered")
