"""SQL that is parsed once answers as it would each time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import duckdb
import pytest

from assent_service.store import statements
from assent_service.store.statements import run


def test_a_statement_serves_another_database_and_one_that_was_opened_anew() -> None:
    for names in (["a"], ["b", "c"]):
        with closing(duckdb.connect()) as connection:
            run(connection, "CREATE TABLE things (name VARCHAR)")
            for name in names:
                run(connection, "INSERT INTO things VALUES (?)", [name])
            found = run(connection, "SELECT name FROM things WHERE name >= ? ORDER BY name", ["a"]).fetchall()
            assert found == [(name,) for name in names]


def test_the_same_text_takes_parameters_of_every_kind() -> None:
    with closing(duckdb.connect()) as connection:
        for value in (1, "one", None, True, 1.5, [1, 2]):
            assert run(connection, "SELECT ?", [value]).fetchall() == [(value,)]
        assert run(connection, "SELECT $2, $1", [1, 2]).fetchall() == [(2, 1)]


def test_a_table_that_changes_is_seen_as_it_is() -> None:
    with closing(duckdb.connect()) as connection:
        connection.execute("CREATE TABLE things (name VARCHAR)")
        assert [name for name, *_ in run(connection, "SELECT * FROM things").description or ()] == ["name"]
        connection.execute("ALTER TABLE things ADD COLUMN size BIGINT")
        connection.execute("INSERT INTO things VALUES ('a', 3)")
        assert run(connection, "SELECT * FROM things").fetchall() == [("a", 3)]


@pytest.mark.parametrize("sql", ["SELEC 1", "SELECT nothing", "SELECT ?"])
def test_what_is_wrong_is_so_each_time(sql: str) -> None:
    with closing(duckdb.connect()) as connection:
        for _ in range(2):
            with pytest.raises(duckdb.Error):
                run(connection, sql)


@pytest.mark.parametrize("sql", ["", "SELECT 1; SELECT 2"])
def test_nothing_but_one_statement_is_run(sql: str) -> None:
    with closing(duckdb.connect()) as connection, pytest.raises(ValueError, match="unpack"):
        run(connection, sql)


def test_few_are_kept_and_threads_do_not_hurt_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "MOST", 3)

    def ask(number: int) -> object:
        with closing(duckdb.connect(config={"threads": 1})) as connection:
            return [run(connection, f"SELECT {each} + ?", [number]).fetchall() for each in range(5)]

    with ThreadPoolExecutor(4) as pool:
        for number, answers in enumerate(pool.map(ask, range(20))):
            assert answers == [[(each + number,)] for each in range(5)]
