"""The evidence log in a PostgreSQL database, which any number of processes append to at once.

    log = SharedLog.open("postgresql://...")
    fence = "action:org_a:act_1"
    [outcome] = log.append([Submission((draft,), conditions=(Condition(fence, 41),), moves=(fence,))]).outcomes
    if isinstance(outcome, Overtaken):
        ...                                  # fold up to outcome.seq, decide again
    for event in log.events(after=41):
        ...

1. There is one order, `seq`, without gaps, and it is the order in which events become visible: every append holds the
   head's row until its commit. What one call appends is one write (`batch`).
2. A submission says which fences its decision rests on, each with the event up to which the caller had folded the log
   when it began to read (`conditions`), and which fences its own events move. One whose fences have moved since is
   overtaken; it writes nothing, and the others of the call are recorded all the same. Submissions of a call count as
   one after the other.
3. Every call has the number of its writer, which rises by one. The database keeps the answer to the last one, so a call
   that was cut off is sent again as it is, under its own number, until somebody says what became of it. Any error is
   such a cut, and so is a warning: a commit whose wait for the standby was cancelled reports success with a warning.
4. When nobody says it for `patience` seconds, `OutcomeUnknown` is raised. The next append has the next number, after
   which the database refuses the former.

All methods block and may be called from any thread. Appends go one at a time over a connection of their own; whoever
wants speed hands in many submissions at once.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from threading import Event as Flag
from threading import Lock, Thread
from typing import Any, Final, NamedTuple, Self, TypeVar
from uuid import uuid4

import psycopg
from psycopg.types.numeric import Int4, Int8

from assent_service.store.batch import Salts
from assent_service.store.event import Event, LineError, check, decode, placed, unnumbered
from assent_service.store.failures import HistoryLost, LogAway, OutcomeUnknown
from assent_service.store.leases import Lease
from assent_service.store.log import Submission
from assent_service.store.postgresql.arrays import Bytes, Int4s, Int8s, Texts, teach
from assent_service.store.postgresql.connecting import (
    ClockOff,
    Connection,
    DatabaseUnreachable,
    DatabaseUnsuitable,
    RowDamaged,
    check_settings,
    connect,
    first_line,
    is_hopeless,
    is_pooled,
)
from assent_service.store.postgresql.schema import check_version
from assent_service.store.segments import LogPlace

PAGE: Final = 1000
"""Events that are fetched at a time."""
PATIENCE: Final = 10.0
"""Seconds in which a call that was cut off is sent again."""
GIVEN_BACK: Final = 2.0
"""Seconds that who ends waits for its leases to be given back."""
QUIET: Final = 0.005
"""Seconds between two notices."""
CHANNEL: Final = "assent_log"
_NOTIFY: Final = f"BEGIN; SET LOCAL synchronous_commit = off; NOTIFY {CHANNEL}; COMMIT"
"""The setting ends with the transaction: behind a pooler the next one on this connection is an append."""
PRUNED_AT_ONCE: Final = 1000
WARNING: Final = "01000"
_APPEND: Final = f"SELECT * FROM assent.append({', '.join(['%b'] * 17)})"
_APPEND_EACH: Final = f"SELECT * FROM assent.append_each({', '.join(['%b'] * 18)})"
_LINES: Final = (
    "SELECT seq, batch, batch_size, leaf, header, body FROM assent.log "
    "WHERE seq > %s AND seq <= %s ORDER BY seq LIMIT %s"
)
_COPYING: Final = (
    "a log is being copied into this database, or its copying was broken off: run `assent log copy` to its end"
)

logger = logging.getLogger("assent.postgresql")
T = TypeVar("T")
Made = Callable[[Connection], None]


class Overtaken(NamedTuple):
    """Event `seq` moved a fence that the submission had read; it wrote nothing."""

    seq: int


class Appended(NamedTuple):
    """What became of a call: the last event before it, for each submission its events or what overtook it, the
    database's clock in microseconds since 1970, and how often it was sent. Events have no place in a file: `segment`
    is 0."""

    before: int
    outcomes: list[list[Event] | Overtaken]
    clock: int
    sent: int


class SharedLogStatus(NamedTuple):
    """`state` is `healthy`, or `refusing` with a reason while the database cannot be written to."""

    state: str
    reason: str | None = None


NOWHERE: Final = LogPlace(0, 0)


def _nowhere(before: int) -> LogPlace:
    """Their lines are in no file."""
    return NOWHERE


class SharedLog:
    """The log in one database. Made by `open`, ended by `close`."""

    def __init__(self, dsn: str, *, prepare: bool = True, patience: float = PATIENCE, fences: bool = True) -> None:
        self._dsn, self._prepare, self._patience, self._fences = dsn, prepare, patience, fences
        self._writer, self._counter = uuid4(), 0
        self._appending, self._reading = LazyConnection(self._open), LazyConnection(self._open)
        self._listening, self._asking = LazyConnection(self._open_listening), LazyConnection(self._open)
        self._salts = Salts()
        self._held: dict[str, float] = {}
        self._status = SharedLogStatus("healthy")
        self._abandoned = False
        telling = LazyConnection(lambda made: connect(dsn, prepare=False, made=made))
        self._notices = Notices(telling)
        self._connections = (self._appending, self._reading, self._listening, self._asking, telling)

    @classmethod
    def open(cls, dsn: str, *, prepare: bool = True, patience: float = PATIENCE, fences: bool = True) -> Self:
        """The log of this database. Raises DatabaseUnsuitable for one that is not fit, or is being copied to.

        Without `prepare` statements are not prepared (for poolers). `fences` off is for tests that have to see what
        fences prevent.
        """
        log = cls(dsn, prepare=prepare, patience=patience, fences=fences)
        try:
            log._reading.use(_check_ready)
            log._appending.use(log._register)
        except psycopg.Error as error:
            log.close()
            raise DatabaseUnsuitable(first_line(error)) from error
        except BaseException:
            log.close()
            raise
        return log

    @property
    def status(self) -> SharedLogStatus:
        return self._status

    def append(self, submissions: Sequence[Submission], at: Callable[[int], LogPlace] = _nowhere) -> Appended:
        """Record what no fence stands against, durably. `at` is asked then, with the last event before them, where
        their lines are to be in a file.

        Raises ValueError when a draft cannot be written, ClockOff, HistoryLost, and DatabaseUnsuitable while a log is
        copied in: then nothing was. Raises OutcomeUnknown when that is not known, and where `at` finds the database
        away.
        """
        for submission in submissions:
            if not submission.drafts:
                raise ValueError("a submission needs at least one draft")
            for draft in submission.drafts:
                check(draft)
        if not submissions:
            raise ValueError("an append needs at least one submission")
        with self._appending.lock:
            call = Call(submissions, self._salts, fences=self._fences)
            self._counter += 1
            answer, sent = self._send(call)
        self._notices.tell()
        try:
            place = at(answer.head)
        except LogAway as error:
            # Nobody may be told that nothing was recorded.
            raise OutcomeUnknown(f"what came before {len(submissions)} submissions cannot be read: {error}") from error
        return Appended(answer.head, call.outcomes(answer, place), answer.clock, sent)

    def _send(self, call: Call) -> tuple[Answer, int]:
        """Have the call answered, sending it as often as is needed."""
        ends, sent, pause = time.monotonic() + self._patience, 0, 0.01
        ask = partial(self._ask, call=call, each=call.collides)
        while True:
            sent += 1
            try:
                answer = self._appending.locked(ask)
            except (psycopg.Error, DatabaseUnsuitable, _Warned) as error:
                self._status = SharedLogStatus("refusing", first_line(error))
                if (
                    self._abandoned
                    or time.monotonic() > ends
                    or (isinstance(error, psycopg.Error) and is_hopeless(error))
                ):
                    raise OutcomeUnknown(
                        f"whether {len(call.submissions)} submissions were recorded is not known: {first_line(error)}"
                    ) from error
                time.sleep(pause)
                pause = min(2 * pause, 0.5)
                continue
            if answer.outcome == "conflict":
                ask = partial(self._ask, call=call, each=True)
                continue
            self._status = SharedLogStatus("healthy")
            self._check(answer, call)
            return answer, sent

    def _ask(self, connection: Connection, call: Call, *, each: bool) -> Answer:
        warned: list[str] = []

        def take(notice: psycopg.errors.Diagnostic) -> None:
            if notice.sqlstate == WARNING:
                warned.append(notice.message_primary or "")

        connection.add_notice_handler(take)
        try:
            statement, values = call.each() if each else call.all()
            row = connection.execute(statement, [self._writer, Int8(self._counter), *values], binary=True).fetchone()
        finally:
            connection.remove_notice_handler(take)
        if warned:
            raise _Warned(warned[0])
        assert row is not None
        return Answer(*row)

    def _check(self, answer: Answer, call: Call) -> None:
        if answer.outcome == "ahead":
            self._status = SharedLogStatus("refusing", "the database has lost events")
            raise HistoryLost(
                f"this process has read event {call.newest}, and the database's log ends at {answer.head}: what was "
                "acknowledged is gone. Nothing was recorded."
            )
        if answer.outcome == "copying":
            self._status = SharedLogStatus("refusing", _COPYING)
            raise DatabaseUnsuitable(_COPYING)
        if answer.outcome == "clock":
            raise ClockOff(answer.clock - time.time_ns() // 1000)
        if answer.outcome == "stale":
            # Nobody knows this writer any more: it was silent for longer than writers are remembered.
            self._writer, self._counter = uuid4(), 0
            self._appending.locked(self._register)
            raise OutcomeUnknown("the database has forgotten this writer; whether the call was recorded is not known")

    def _register(self, connection: Connection) -> None:
        connection.execute("SELECT assent.register(%s)", [self._writer])

    def head(self) -> int:
        """The last event that is durable, 0 when there is none."""
        return self._reading.use(_head)

    def newest(self) -> int:
        """The same over a connection of its own, for who must not wait behind what is fetched."""
        return self._asking.use(_head)

    def identity(self) -> str:
        """What tells this log from every other one."""
        return str(self._one("SELECT log FROM assent.log_head WHERE one", []))

    def clock(self) -> int:
        """The database's clock, in microseconds since 1970."""
        return int(self._one("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint", []))

    def lines(self, after: int, up_to: int | None = None, limit: int | None = None) -> Iterator[bytes]:
        """The log's lines after event `after`, as a file has them, up to `up_to` (else up to the head as it is now), at
        most `limit`. Raises RowDamaged where one is missing."""
        end = self.head() if up_to is None else up_to
        if limit is not None:
            end = min(end, after + limit)
        while after < end:
            rows = self._reading.use(
                lambda connection, at=after: connection.execute(_LINES, [at, end, PAGE], binary=True).fetchall()  # type: ignore[misc]
            )
            for seq, batch, size, leaf, header, body in rows:
                if seq != after + 1:
                    raise RowDamaged(after + 1, "it is missing")
                yield b"%d %d+%d %b %b %b\n" % (seq, batch, size, leaf.hex().encode(), header, body)
                after = seq
            if not rows:
                if up_to is not None and after >= self.head():
                    return
                raise RowDamaged(after + 1, "it is missing")

    def events(self, after: int, up_to: int | None = None, limit: int | None = None) -> Iterator[Event]:
        """The events of `lines`, each verified. Raises RowDamaged."""
        for line in self.lines(after, up_to, limit):
            after += 1
            try:
                event = decode(line, 0, 0)
            except LineError as error:
                raise RowDamaged(after, str(error)) from None
            yield event

    def holds(self, seq: int, leaf: bytes) -> bool:
        """Whether the log has this event: what a process asks that comes back to a database it has read before."""
        return self._reading.use(
            lambda connection: connection.execute("SELECT leaf FROM assent.log WHERE seq = %s", [seq]).fetchone()
        ) == (leaf,)

    def blank(self, org: str, ns: Sequence[int]) -> int:
        """Blank the bodies of an organization's events, for good; how many were not blank already."""
        return int(self._one("SELECT assent.blank(%s, %s)", [org, list(ns)]))

    def told(self, seconds: float) -> bool:
        """Whether another process has said within so many seconds that the log has grown. It may have grown without:
        notices are lost while the database is away, and behind a pooler there are none. For one thread."""
        try:
            return self._listening.use(lambda connection: self._hear(connection, seconds))
        except (psycopg.Error, DatabaseUnsuitable):
            time.sleep(seconds)
            return False

    def _hear(self, connection: Connection, seconds: float) -> bool:
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            for notice in connection.notifies(timeout=left):
                if notice.pid != self._notices.pid:
                    return True
        return False

    def put(self, kind: str, name: str, content: bytes) -> bytes:
        """Keep an object unless one of this name is there, and return the one that is."""
        return bytes(self._one("SELECT assent.put_object(%s, %s, %s)", [kind, name, content]))

    def get(self, kind: str, name: str) -> bytes | None:
        """The object, None where there is none."""
        row = self._reading.use(
            lambda connection: connection.execute(
                "SELECT content FROM assent.objects WHERE kind = %s AND name = %s", [kind, name], binary=True
            ).fetchone()
        )
        return None if row is None else bytes(row[0])

    def remove(self, kind: str, name: str) -> None:
        """Remove an object that is neither a head nor a key; harmless where there is none."""
        self._one("SELECT assent.remove_object(%s, %s)", [kind, name])

    def names(self, kind: str, prefix: str = "") -> list[str]:
        """The names of the objects of this kind that begin so, in order."""
        rows = self._reading.use(
            lambda connection: connection.execute(
                "SELECT name FROM assent.objects WHERE kind = %s AND starts_with(name, %s) ORDER BY name",
                [kind, prefix],
            ).fetchall()
        )
        return [str(name) for (name,) in rows]

    def objects(self, kind: str, prefix: str, after: str = "") -> list[tuple[str, bytes]]:
        """The objects of this kind whose names begin so and come after `after`, in the order of their names."""
        rows = self._reading.use(
            lambda connection: connection.execute(
                "SELECT name, content FROM assent.objects "
                "WHERE kind = %s AND name > %s AND starts_with(name, %s) ORDER BY name",
                [kind, after, prefix],
                binary=True,
            ).fetchall()
        )
        return [(str(name), bytes(content)) for name, content in rows]

    def lease(self, name: str, holder: str, seconds: float) -> Lease:
        """Take or renew it for so many seconds of the database's clock."""
        found, left = self._reading.use(
            lambda connection: connection.execute("SELECT * FROM assent.lease(%s, %s, %s)", [name, holder, seconds])
        ).fetchall()[0]
        if found == holder:
            self._held[name] = time.monotonic() + float(left)
        else:
            self._held.pop(name, None)
        return Lease(found == holder, str(found), float(left))

    def left(self, name: str) -> float | None:
        """Seconds of the database's clock until a lease runs out, 0 or less where it has, None where nobody has one."""
        left = self._one(
            "SELECT extract(epoch FROM until - clock_timestamp())::float8 FROM assent.leases WHERE name = %s", [name]
        )
        return None if left is None else float(left)

    def held(self) -> list[str]:
        """The names of the leases that were taken here and have not run out."""
        now = time.monotonic()
        return [name for name, until in list(self._held.items()) if until > now]

    def release(self, name: str, holder: str) -> None:
        """Give it back; harmless when somebody else has it."""
        self._held.pop(name, None)
        self._one("SELECT assent.release(%s, %s)", [name, holder])

    def release_held(self, holder: str) -> None:
        """Give back all that was taken here, so that nobody waits until it runs out; a database that does not answer
        within GIVEN_BACK seconds is left to do that by itself."""
        names = self.held()
        if not names:
            return
        self._held.clear()
        thread = Thread(target=self._release_all, args=(names, holder), name="assent-log-leases", daemon=True)
        thread.start()
        thread.join(GIVEN_BACK)

    def _release_all(self, names: list[str], holder: str) -> None:
        connection = LazyConnection(self._open)
        try:
            connection.use(lambda each: each.execute("SELECT assent.release(unnest(%s::text[]), %s)", [names, holder]))
        except (psycopg.Error, DatabaseUnsuitable) as error:
            logger.debug("leases are left to run out: %s", first_line(error))
        finally:
            connection.close()

    def prune(self, older: float) -> None:
        """Forget fences that nothing moved for `older` seconds, a few at a time. Who has not folded the log for so long
        is overtaken afterwards, whatever it read. For idle times."""
        last: str | None = ""
        while last is not None:
            last = self._one(
                "SELECT assent.prune(%s, make_interval(secs => %s), %s)", [last, float(older), PRUNED_AT_ONCE]
            )

    def waits(self) -> float:
        """Seconds for which the oldest question has waited for the database's answer, 0 where none does."""
        return max(each.waits() for each in self._connections)

    def abandon(self) -> None:
        """Wait for the database no longer, wherever that is done: each question ends as one that nobody answered."""
        self._abandoned = True
        for each in self._connections:
            each.abandon()

    def close(self) -> None:
        """End the connections. Doing so twice is harmless."""
        self._notices.close()
        for each in self._connections:
            each.close()

    def _one(self, statement: str, values: list[Any]) -> Any:
        row = self._reading.use(lambda connection: connection.execute(statement, values).fetchone())
        return None if row is None else row[0]

    def _open(self, made: Made) -> Connection:
        connection = connect(self._dsn, prepare=self._prepare, made=made)
        try:
            check_settings(connection)
        except BaseException:
            connection.close()
            raise
        teach(connection)
        return connection

    def _open_listening(self, made: Made) -> Connection:
        connection = connect(self._dsn, prepare=False, made=made)
        if not is_pooled(connection):
            connection.execute(f"LISTEN {CHANNEL}")
        return connection


class _Warned(Exception):
    """The server carried the call out and warned of its commit."""


class Answer(NamedTuple):
    """The type `assent.answer`."""

    outcome: str
    head: int
    clock: int
    bases: list[int] | None
    overtaken: list[int] | None


class Call:
    """Submissions as the values of one call, in both forms; and its answer as their events."""

    def __init__(self, submissions: Sequence[Submission], salts: Salts, *, fences: bool = True) -> None:
        self.submissions = submissions
        self.orgs: list[str] = []
        self.counts: list[int] = []
        self.org_of: list[int] = []
        self.k: list[int] = []
        self.of: list[int] = []
        self.prefixes: list[bytes] = []
        self.suffixes: list[bytes] = []
        self.bodies: list[bytes] = []
        self.reads: dict[tuple[str, bool], int] = {}
        """By the name of a fence, and whether the writer's own moves are left out: up to where it was read."""
        self.moves: dict[str, int] = {}
        self.collides = False
        self.newest = 0
        self.fences = fences
        places: dict[str, int] = {}
        earliest, latest = 2**53, 0
        for number, submission in enumerate(submissions, 1):
            for draft in submission.drafts:
                org = draft.org
                place = places.get(org)
                if place is None:
                    place = places[org] = len(self.orgs)
                    self.orgs.append(org)
                    self.counts.append(0)
                prefix, suffix, body = unnumbered(draft, salts.take())
                self.org_of.append(place + 1)
                self.k.append(self.counts[place])
                self.counts[place] += 1
                self.of.append(number)
                self.prefixes.append(prefix)
                self.suffixes.append(suffix)
                self.bodies.append(body)
                earliest, latest = min(earliest, draft.ts), max(latest, draft.ts)
            if fences:
                self._take_fences(submission)
        self.earliest, self.latest = earliest, latest

    def _take_fences(self, submission: Submission) -> None:
        """Each name once, with the least place up to which it was read. Whether an earlier submission moves what this
        one has read can be seen here; then it takes the form that goes one by one."""
        reads, moves = self.reads, self.moves
        for each in submission.conditions:
            if each.name in moves and not each.own:
                self.collides = True
            key = (each.name, each.own)
            before = reads.get(key)
            if before is None or each.after < before:
                reads[key] = each.after
            if each.after > self.newest:
                self.newest = each.after
        for name in submission.moves:
            moves[name] = len(self.of)

    def all(self) -> tuple[str, list[Any]]:
        """`assent.append` and its values, but for the writer's."""
        return _APPEND, [
            *self._limits(),
            Texts([name for name, _ in self.reads]),
            Int8s(list(self.reads.values())),
            Int4s([int(own) for _, own in self.reads]),
            Texts(list(self.moves)),
            Int4s(list(self.moves.values())),
            Texts(self.orgs),
            Int4s(self.counts),
            Int4s(self.org_of),
            Int4s(self.k),
            Bytes(self.prefixes),
            Bytes(self.suffixes),
            Bytes(self.bodies),
        ]

    def each(self) -> tuple[str, list[Any]]:
        """`assent.append_each` and its values, but for the writer's."""
        numbered = list(enumerate(self.submissions if self.fences else (), 1))
        reads = [(number, condition) for number, each in numbered for condition in each.conditions]
        moves = [(name, number) for number, each in numbered for name in each.moves]
        return _APPEND_EACH, [
            *self._limits(),
            Int4(len(self.submissions)),
            Texts([each.name for _, each in reads]),
            Int4s([number for number, _ in reads]),
            Int8s([each.after for _, each in reads]),
            Int4s([int(each.own) for _, each in reads]),
            Texts([name for name, _ in moves]),
            Int4s([number for _, number in moves]),
            Texts(self.orgs),
            Int4s(self.of),
            Int4s(self.org_of),
            Bytes(self.prefixes),
            Bytes(self.suffixes),
            Bytes(self.bodies),
        ]

    def _limits(self) -> list[Int8]:
        """The earliest and the latest time, and the newest event that was read."""
        return [Int8(self.earliest), Int8(self.latest), Int8(self.newest)]

    def outcomes(self, answer: Answer, place: LogPlace = NOWHERE) -> list[list[Event] | Overtaken]:
        """The events that the submissions became, hashed here as the database has hashed them; their lines are at
        `place`."""
        segment, offset = place
        overtaken = answer.overtaken or [0] * len(self.submissions)
        due = list(answer.bases or [])
        size = sum(len(each.drafts) for each, by in zip(self.submissions, overtaken, strict=True) if not by)
        first = answer.head + 1
        found: list[list[Event] | Overtaken] = []
        at, seq = 0, answer.head
        for submission, by in zip(self.submissions, overtaken, strict=True):
            if by:
                found.append(Overtaken(by))
                at += len(submission.drafts)
                continue
            events: list[Event] = []
            for draft in submission.drafts:
                seq += 1
                org = self.org_of[at] - 1
                n = due[org]
                due[org] = n + 1
                header = b"%b%d%b" % (self.prefixes[at], n, self.suffixes[at])
                event = placed(draft, seq, first, size, n, header, self.bodies[at], segment, offset)
                offset += event.length if segment else 0
                events.append(event)
                at += 1
            found.append(events)
        return found


class LazyConnection:
    """A connection that is opened when it is needed, and again after it broke; for one thread at a time."""

    def __init__(self, opened: Callable[[Made], Connection]) -> None:
        self._open = opened
        self._connection: Connection | None = None
        self._abandoned, self._asked = False, 0.0
        self.lock = Lock()

    def use(self, work: Callable[[Connection], T]) -> T:
        """What `work` returns; tried once more on a new connection where the one that was kept had broken, so it has to
        be harmless twice. Raises DatabaseUnsuitable while the database is away, and what `work` raises."""
        with self.lock:
            for again in (self._connection is not None, False):
                try:
                    return self.locked(work)
                except psycopg.OperationalError as error:
                    if not again:
                        raise DatabaseUnreachable(f"the database does not answer: {first_line(error)}") from error
            raise AssertionError("the second try returns or raises")

    def locked(self, work: Callable[[Connection], T]) -> T:
        """The same for who holds the lock, and once only."""
        self._check_not_abandoned()
        self._asked = time.monotonic()
        try:
            if self._connection is None or self._connection.closed:
                self._connection = self._open(self._take)
            return work(self._connection)
        except BaseException:
            # What state it is in is not known.
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            raise
        finally:
            self._asked = 0.0

    def _take(self, connection: Connection) -> None:
        self._connection = connection
        self._check_not_abandoned()

    def _check_not_abandoned(self) -> None:
        if self._abandoned:
            raise DatabaseUnreachable("this service ends, and the database has not answered")

    def waits(self) -> float:
        """Seconds for which what is asked has waited, from any thread."""
        asked = self._asked
        return time.monotonic() - asked if asked else 0.0

    def abandon(self) -> None:
        """Wait no longer, from any thread: who waits is told that the connection broke, and it is opened no more."""
        self._abandoned = True
        connection = self._connection
        with suppress(psycopg.Error, OSError):
            if connection is not None and not connection.closed:
                with socket.socket(fileno=os.dup(connection.fileno())) as other:
                    other.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with self.lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


class Notices:
    """Tells who waits that the head has moved, after the commit and from a connection of its own: a notice within the
    transaction would make all commits of the server wait for one another. Notices may be lost."""

    def __init__(self, kept: LazyConnection) -> None:
        self._kept = kept
        self._due, self._ended = Flag(), Flag()
        self._thread: Thread | None = None
        self.pid = 0
        """The server's process that tells, of which a listener can see that it was its own."""

    def tell(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="assent-log-notices", daemon=True)
            self._thread.start()
        self._due.set()

    def close(self) -> None:
        self._ended.set()
        self._due.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while self._due.wait() and not self._ended.is_set():
            self._due.clear()
            try:
                self._kept.use(self._notify)
            except (psycopg.Error, DatabaseUnsuitable) as error:
                logger.debug("nobody was told that the log has grown: %s", first_line(error))
            self._ended.wait(QUIET)

    def _notify(self, connection: Connection) -> None:
        self.pid = connection.info.backend_pid
        connection.execute(_NOTIFY)


def _head(connection: Connection) -> int:
    row = connection.execute("SELECT seq FROM assent.log_head WHERE one").fetchone()
    return int(row[0]) if row else 0


def _check_ready(connection: Connection) -> None:
    check_version(connection)
    row = connection.execute("SELECT copying FROM assent.log_head WHERE one").fetchone()
    if row is None or row[0]:
        raise DatabaseUnsuitable(_COPYING)
