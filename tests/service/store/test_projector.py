"""The tables follow the log: exactly once, at once when somebody waits, and again after every kind of failure."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest

from assent_service.store import database, projector
from assent_service.store.event import Event
from assent_service.store.projector import LARGEST_BATCH, Projector
from assent_service.store.recovery import Applied
from tests.service.store.logbook import WAIT
from tests.service.store.things import TABLES, created, recorded, rows


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody waits for is written soon all the same."""
    monkeypatch.setattr(projector, "LAZY_SECONDS", 0.1)


class Followed:
    """A projector over events that are all on the log; what it has told is in `applied`, `troubles` and `batches`."""

    def __init__(self, home: Path, events: Sequence[Event]) -> None:
        self.events, self.durable = events, 0
        self.batches: list[int] = []
        self.troubles: list[str | None] = []
        self.rereads: list[Applied] = []
        self.while_rereading: Callable[[], None] = lambda: None
        self.now = 0
        self._told = threading.Condition()
        self.projector = Projector(
            home / "tables.duckdb",
            TABLES,
            reread=self._reread,
            on_applied=self._on_applied,
            on_trouble=self._on_trouble,
            clock=lambda: self.now,
        )

    def offer(self, first: int, last: int) -> None:
        """Offer the events of these seqs, which are durable then."""
        self.durable = max(self.durable, last)
        self.projector.offer(self.events[first - 1 : last])

    def until(self, true: Callable[[], bool]) -> None:
        with self._told:
            assert self._told.wait_for(true, WAIT), f"applied {self.projector.applied}, {self.projector.behind}"

    def until_applied(self, seq: int) -> None:
        self.until(lambda: self.batches[-1:] == [seq] and self.projector.behind is None)

    def seqs(self) -> list[int]:
        with self.projector.database.cursor() as cursor:
            return [int(str(seq)) for (seq,) in rows(cursor, "seq", "events")]

    def _reread(self, applied: Applied) -> Iterable[Event]:
        self.rereads.append(applied)
        end = self.durable
        yield from self.events[applied.seq : end]
        self.while_rereading()

    def _on_applied(self, seq: int) -> None:
        with self._told:
            self.batches.append(seq)
            self._told.notify_all()

    def _on_trouble(self) -> None:
        with self._told:
            self.troubles.append(self.projector.behind)
            self._told.notify_all()


@contextmanager
def following(home: Path, events: Sequence[Event], *, start: bool = True) -> Iterator[Followed]:
    followed = Followed(home, events)
    if start:
        followed.projector.start()
    try:
        yield followed
    finally:
        followed.projector.close()


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    return recorded(tmp_path_factory.mktemp("log"), [created(f"thg_{number}") for number in range(1, 601)])


@pytest.fixture
def never_lazy_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is applied because time has passed."""
    monkeypatch.setattr(projector, "LAZY_SECONDS", 3600.0)


def test_what_is_offered_is_applied_although_nobody_waits(tmp_path: Path, events: list[Event]) -> None:
    with following(tmp_path, events) as followed:
        followed.offer(1, 3)
        followed.until_applied(3)
        assert followed.seqs() == [1, 2, 3]


@pytest.mark.usefixtures("never_lazy_enough")
def test_how_far_it_is_behind_is_told_by_the_services_clock(tmp_path: Path, events: list[Event]) -> None:
    with following(tmp_path, events) as followed:
        followed.now = events[0].ts + 5_000_000
        followed.offer(1, 3)
        assert followed.projector.trail.behind() == (3, 5.0)


@pytest.mark.usefixtures("never_lazy_enough")
def test_somebody_who_waits_is_served_at_once_and_otherwise_events_gather(tmp_path: Path, events: list[Event]) -> None:
    with following(tmp_path, events) as followed:
        for seq in range(1, 101):
            followed.offer(seq, seq)
        assert followed.batches == []
        followed.projector.want(50)
        followed.until_applied(100)
        assert followed.batches == [100]
        assert followed.seqs() == list(range(1, 101))


@pytest.mark.usefixtures("never_lazy_enough")
def test_many_events_are_not_kept_waiting(tmp_path: Path, events: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    many = 100
    monkeypatch.setattr(projector, "LAZY_EVENTS", many)
    with following(tmp_path, events) as followed:
        followed.offer(1, many - 1)
        assert followed.batches == []
        followed.offer(many, many)
        followed.until_applied(many)


@pytest.mark.usefixtures("never_lazy_enough")
def test_closing_applies_what_is_left(tmp_path: Path, events: list[Event]) -> None:
    with following(tmp_path, events) as followed:
        followed.offer(1, 7)
    with following(tmp_path, events, start=False) as followed:
        assert followed.projector.applied.seq == 7
        assert followed.seqs() == list(range(1, 8))


class FailingWriter:
    """The writer's connection until the database is opened anew; statements that begin with `word` fail."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, word: str, error: type[Exception]) -> None:
        self._connection, self._word, self._error = connection, word, error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, statement: str | duckdb.Statement, parameters: object = None) -> Any:
        text = statement if isinstance(statement, str) else statement.query
        if text.startswith(self._word):
            if self._word == "COMMIT" and self._error is duckdb.FatalException:
                # What DuckDB does when the checkpoint after a commit fails: it is committed, and the database is dead.
                self._connection.execute(statement)
            raise self._error("the disk is full")
        return self._connection.execute(statement, parameters)


@pytest.mark.parametrize(
    ("word", "error"),
    [
        ("BEGIN", duckdb.FatalException),
        ("INSERT", duckdb.IOException),
        ("COMMIT", duckdb.TransactionException),
        ("COMMIT", duckdb.FatalException),
    ],
)
def test_a_failed_batch_is_kept_and_applied_once(
    tmp_path: Path, events: list[Event], word: str, error: type[Exception]
) -> None:
    with following(tmp_path, events, start=False) as followed:
        failing: Any = FailingWriter(followed.projector.database.writer, word, error)
        followed.projector.database.writer = failing
        followed.projector.start()
        followed.offer(1, 5)
        followed.until_applied(5)
        assert followed.troubles == ["the disk is full"]
        assert followed.projector.database.generation == 2
        followed.offer(6, 6)
        followed.until_applied(6)
        assert followed.seqs() == [1, 2, 3, 4, 5, 6]
        with followed.projector.database.cursor() as cursor:
            assert len(rows(cursor)) == 6


def test_the_database_is_tried_until_it_can_be_opened_and_says_so_meanwhile(
    tmp_path: Path, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projector, "RETRY_SECONDS", (0.0,))
    real, said, go = database.connect, [], threading.Event()

    def connect(path: Path, tables: Any) -> duckdb.DuckDBPyConnection:
        said.append(followed.projector.behind)
        if not go.is_set():
            if len(said) == 5:
                go.set()
            raise duckdb.IOException(f"refused {len(said)}")
        return real(path, tables)

    with following(tmp_path, events, start=False) as followed:
        failing: Any = FailingWriter(followed.projector.database.writer, "BEGIN", duckdb.IOException)
        followed.projector.database.writer = failing
        monkeypatch.setattr(database, "connect", connect)
        followed.projector.start()
        followed.offer(1, 2)
        followed.until_applied(2)
        assert said == ["the disk is full", "refused 1", "refused 2", "refused 3", "refused 4", "refused 5"]
        assert followed.projector.behind is None


def test_closing_while_the_database_cannot_be_opened_ends(
    tmp_path: Path, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    with following(tmp_path, events, start=False) as followed:
        failing: Any = FailingWriter(followed.projector.database.writer, "BEGIN", duckdb.IOException)
        followed.projector.database.writer = failing
        monkeypatch.setattr(database, "connect", lambda *_: (_ for _ in ()).throw(duckdb.IOException("still full")))
        followed.projector.start()
        followed.offer(1, 2)
        followed.until(lambda: bool(followed.troubles))
    monkeypatch.undo()
    with following(tmp_path, events) as followed:
        followed.offer(1, 2)
        followed.until_applied(2)


def test_a_backlog_that_is_too_long_is_read_from_the_log_instead(
    tmp_path: Path, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projector, "LARGEST_BACKLOG", 10)
    with following(tmp_path, events, start=False) as followed:
        for seq in range(1, 301):
            followed.offer(seq, seq)
        followed.projector.start()
        followed.until_applied(300)
        followed.offer(301, 305)
        followed.until_applied(305)
        assert followed.seqs() == list(range(1, 306))
        assert [applied.seq for applied in followed.rereads] == [0]


def test_events_that_come_while_the_log_is_read_again_are_not_forgotten(
    tmp_path: Path, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projector, "LARGEST_BACKLOG", 10)
    with following(tmp_path, events, start=False) as followed:

        def more() -> None:
            # Durable and offered after the end of the log was looked up, and before the backlog counts again.
            followed.while_rereading = lambda: None
            followed.offer(21, 30)

        followed.while_rereading = more
        followed.offer(1, 20)
        followed.projector.start()
        followed.until_applied(30)
        followed.offer(31, 31)
        followed.until_applied(31)
        assert followed.seqs() == list(range(1, 32))


def test_a_reader_can_have_the_database_opened_anew(tmp_path: Path, events: list[Event]) -> None:
    with following(tmp_path, events) as followed:
        followed.offer(1, 2)
        followed.until_applied(2)
        followed.projector.distrust(1, "invalidated")
        followed.until(lambda: len(followed.batches) == 2)
        assert followed.troubles == ["invalidated"]
        # Another reader met the same dead database, and says so late.
        followed.projector.distrust(1, "invalidated")
        followed.offer(3, 3)
        followed.until_applied(3)
        assert followed.projector.database.generation == 2
        assert followed.seqs() == [1, 2, 3]


def test_a_backlog_that_is_too_large_is_read_from_the_log_in_pieces_that_are_not(
    tmp_path: Path, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few its events are."""
    monkeypatch.setattr(projector, "LARGEST_BATCH_BYTES", sum(event.length for event in events[:7]))
    with following(tmp_path, events, start=False) as followed:
        followed.projector._backlog = sum(event.length for event in events[:50])
        for seq in range(1, 301):
            followed.offer(seq, seq)
            assert followed.projector._bytes <= followed.projector._backlog
        followed.projector.start()
        followed.until_applied(300)
        assert followed.seqs() == list(range(1, 301))
        steps = [last - first for first, last in pairwise([0, *followed.batches])]
        assert max(steps) <= 9, "about seven at a time"
        followed.offer(301, 340)
        followed.until_applied(340)
        assert followed.projector._bytes == 0
        assert [applied.seq for applied in followed.rereads] == [0]


def test_one_event_larger_than_a_batch_is_a_batch(
    tmp_path: Path, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projector, "LARGEST_BATCH_BYTES", 1)
    with following(tmp_path, events) as followed:
        followed.offer(1, 5)
        followed.until_applied(5)
        assert followed.batches == [1, 2, 3, 4, 5]


def test_a_batch_has_a_bound(tmp_path: Path) -> None:
    many = recorded(tmp_path / "log", [created("thg_1")])
    more = [many[0]] * (LARGEST_BATCH + 1)
    with following(tmp_path, more, start=False) as followed:
        followed.projector.offer(more)
        assert len(followed.projector._next() or ()) == LARGEST_BATCH
        followed.projector._events.clear()
