"""Cursors are lent; the database is opened anew only when all of them are back."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from assent_service.store.budget import Budget
from assent_service.store.database import Database, TablesUnavailable, connect
from assent_service.store.reader import TableReader
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
    with (
        closing(database),
        closing(TableReader(database, lambda generation, why: told.append((generation, why)), Budget())) as reader,
    ):
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


def test_tables_are_for_their_owner_alone(tmp_path: Path) -> None:
    """DuckDB makes its files with the process's mask; those of before had whatever that was."""
    file = tmp_path / "tables.duckdb"
    mask = os.umask(0o022)
    try:
        for _ in range(2):
            connection = connect(file, TABLES)
            assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.glob("tables.duckdb*")} == {0o600}
            connection.close()
            file.chmod(0o644)
    finally:
        os.umask(mask)


def limit(connection: duckdb.DuckDBPyConnection) -> object:
    return connection.execute("SELECT current_setting('memory_limit')").fetchall()


def in_memory(database: Database) -> int:
    with closing(duckdb.connect(":memory:")) as usual:
        assert limit(database.writer) == limit(usual)
    sql = "SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory()"
    return int(database.writer.execute(sql).fetchall()[0][0])


def filled(database: Database) -> None:
    """Three megabytes that cannot be packed, read once."""
    database.writer.execute("CREATE TABLE filler AS SELECT hash(i) AS a FROM range(400000) AS numbers(i)")
    database.writer.execute("CHECKPOINT")
    assert database.writer.execute("SELECT count(DISTINCT a) FROM filler").fetchall() == [(400_000,)]


def test_what_is_kept_of_the_files_is_let_go_of_and_read_again(database: Database) -> None:
    with closing(database):
        filled(database)
        before = in_memory(database)
        assert before > 3_000_000
        database.let_go(kept=before, left=1_000_000, rest=0.0)
        assert in_memory(database) == before
        database.let_go(kept=2_000_000, left=1_000_000, rest=0.0)
        assert in_memory(database) <= 1_000_000
        with database.cursor() as cursor:
            assert cursor.execute("SELECT sum(a) FROM filler").fetchall() != [(0,)]


def test_nothing_is_taken_from_who_reads_nor_twice_in_a_while(database: Database) -> None:
    with closing(database):
        filled(database)
        before = in_memory(database)
        with database.cursor():
            database.let_go(kept=0, left=1_000_000, rest=0.0)
        assert in_memory(database) == before
        database.let_go(kept=0, left=1_000_000, rest=60.0)
        assert in_memory(database) == before


def test_more_is_wanted_back_than_can_be_given(database: Database) -> None:
    with closing(database):
        filled(database)
        other = database.writer.cursor()
        other.execute("BEGIN")
        other.execute("INSERT INTO filler SELECT hash(i) FROM range(200000) AS numbers(i)")
        database.let_go(kept=0, left=1_000, rest=0.0)
        assert in_memory(database) > 1_000
        other.execute("COMMIT")
        assert database.writer.execute("SELECT count(*) FROM filler").fetchall() == [(600_000,)]
        other.close()
