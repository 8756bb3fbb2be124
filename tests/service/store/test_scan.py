"""Scans: rows as they come, given up when the database is wanted back."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assent_service.store.budget import Budget
from assent_service.store.database import Database, TablesUnavailable
from assent_service.store.reader import TableReader
from tests.service.store.logbook import WAIT
from tests.service.store.things import TABLES

ENDLESS = "SELECT range AS n FROM range(100000000000000)"
"""Whoever computes it whole before its first row never gets there."""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(tmp_path / "tables.duckdb", TABLES)) as database:
        yield database


@pytest.fixture
def distrusted() -> list[str]:
    return []


@pytest.fixture
def reader(database: Database, distrusted: list[str]) -> Iterator[TableReader]:
    reader = TableReader(database, lambda _, why: distrusted.append(why), Budget())
    yield reader
    reader.close()


def nobody_asks() -> None:
    raise AssertionError("nobody wants the cursor back")


def test_rows_come_batch_by_batch_before_the_query_is_through(reader: TableReader) -> None:
    with reader.scan(ENDLESS, [], rows=1000, recall=nobody_asks) as scan:
        assert scan.schema.names == ["n"]
        numbers: list[int] = []
        for batch in scan:
            assert 0 < batch.num_rows < 10_000
            numbers += batch.column(0).to_pylist()
            if len(numbers) > 20_000:
                break
    assert numbers == list(range(len(numbers)))


def test_a_scan_that_was_given_up_leaves_a_cursor_that_works(reader: TableReader, database: Database) -> None:
    for _ in range(5):
        with reader.scan(ENDLESS, [], rows=1000, recall=nobody_asks) as scan:
            next(iter(scan))
        assert reader.now("SELECT count(*) FROM things") == [(0,)]
    assert len(database._idle) == 1, "the same cursor again and again"


def test_parameters_are_bound_and_the_end_is_the_end(reader: TableReader) -> None:
    with reader.scan("SELECT range AS n FROM range(10) WHERE range > ?", [6], rows=2, recall=nobody_asks) as scan:
        assert [row["n"] for batch in scan for row in batch.to_pylist()] == [7, 8, 9]


def test_reopening_calls_a_scan_back_that_waits_for_something_else(reader: TableReader, database: Database) -> None:
    wanted = threading.Event()
    reopening = threading.Thread(target=database.reopen)
    with reader.scan(ENDLESS, [], rows=1000, recall=wanted.set) as scan:
        next(iter(scan))
        reopening.start()
        assert wanted.wait(WAIT), "nobody was called"
        assert reopening.is_alive(), "the cursor is still out"
    reopening.join(WAIT)
    assert not reopening.is_alive()
    assert reader.now("SELECT count(*) FROM things") == [(0,)]


def test_being_interrupted_in_the_middle_is_no_end(
    reader: TableReader, database: Database, distrusted: list[str]
) -> None:
    reopening = threading.Thread(target=database.reopen)
    with reader.scan(ENDLESS, [], rows=1000, recall=lambda: None) as scan:
        batches = iter(scan)
        next(batches)
        reopening.start()
        with pytest.raises(TablesUnavailable, match=r"(?i)interrupt"):
            deque(batches, maxlen=0)
    reopening.join(WAIT)
    assert not reopening.is_alive()
    assert distrusted == []


def test_a_closed_database_is_unavailable_at_once(reader: TableReader, database: Database) -> None:
    database.close()
    with pytest.raises(TablesUnavailable), reader.scan(ENDLESS, [], rows=10, recall=nobody_asks):
        pass
