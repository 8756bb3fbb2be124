"""Cursors are lent; the database is opened anew only when all of them are back."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from assent_service.store.database import Database, TablesUnavailable
from assent_service.store.reader import Reader
from tests.service.store.logbook import WAIT
from tests.service.store.things import TABLES

FOREVER = "SELECT count(*) FROM range(100000000000) AS a(i), range(100000000000) AS b(j) WHERE (i * j) % 7 = 3"


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "tables.duckdb", TABLES)


def test_cursors_are_used_again_and_two_at_once_are_two(database: Database) -> None:
    with closing(database):
        with database.cursor() as first, database.cursor() as second:
            assert first is not second
        with database.cursor() as third:
            assert third in {first, second}


def test_reopening_interrupts_who_is_reading_and_waits_for_them(database: Database) -> None:
    reading, ended = threading.Event(), list[str]()

    def read() -> None:
        with database.cursor() as cursor:
            reading.set()
            try:
                cursor.execute(FOREVER).fetchall()
            except duckdb.InterruptException:
                ended.append("interrupted")

    thread = threading.Thread(target=read)
    thread.start()
    assert reading.wait(WAIT)
    with closing(database):
        closer = threading.Thread(target=database.reopen)
        closer.start()
        closer.join(WAIT)
        assert not closer.is_alive()
        assert ended == ["interrupted"]
        with database.cursor() as cursor:
            assert cursor.execute("SELECT count(*) FROM things").fetchall() == [(0,)]
    thread.join(WAIT)


def test_nobody_gets_a_cursor_of_a_closed_database(database: Database) -> None:
    database.close()
    with pytest.raises(TablesUnavailable, match="opened anew"), database.cursor():
        pass
    database.close()
    database.reopen()
    with closing(database), database.cursor() as cursor:
        assert cursor.execute("SELECT 1").fetchall() == [(1,)]


def test_a_cursor_that_came_back_does_not_outlive_its_database(database: Database) -> None:
    with closing(database):
        with database.cursor() as old:
            old.execute("SELECT 1")
        database.reopen()
        with pytest.raises(duckdb.ConnectionException):
            old.execute("SELECT 1")


def test_what_is_committed_is_there_after_reopening(database: Database) -> None:
    with closing(database):
        database.writer.execute("INSERT INTO notes (note_id) VALUES ('kept')")
        database.writer.execute("BEGIN")
        database.writer.execute("INSERT INTO notes (note_id) VALUES ('dropped')")
        database.reopen()
        with database.cursor() as cursor:
            assert cursor.execute("SELECT note_id FROM notes").fetchall() == [("kept",)]


def test_a_wrong_query_is_the_callers_and_a_dead_database_is_told(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[tuple[int, str]]()
    with closing(database), closing(Reader(database, lambda generation, why: told.append((generation, why)))) as reader:
        assert reader.now("SELECT ?", [1]) == [(1,)]
        with pytest.raises(duckdb.CatalogException):
            reader.now("SELECT * FROM nothing")
        assert told == []
        with monkeypatch.context() as patched:
            patched.setattr(database, "cursor", lambda: (_ for _ in ()).throw(duckdb.FatalException("invalidated")))
            with pytest.raises(TablesUnavailable, match="invalidated"):
                reader.now("SELECT 1")
        assert told == [(1, "invalidated")]
        assert reader.now("SELECT 2") == [(2,)]
