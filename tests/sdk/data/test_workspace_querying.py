"""SQL over copies: what it answers, and what is out of its reach."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assent.data.workspace.workspace import TableFiles, query

AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
TIME = pl.Datetime("us", "UTC")


@pytest.fixture
def ask(tmp_path: Path) -> Any:
    folder = tmp_path / "it's here"
    folder.mkdir()
    rows = pl.DataFrame(
        {"id": ["a", "b", "c"], "risk": [1.5, None, 3.0], "seen": [AT, AT - timedelta(days=1), AT - timedelta(days=9)]},
        schema={"id": pl.String, "risk": pl.Float64, "seen": TIME},
    )
    rows.clear().write_parquet(folder / "columns.parquet")
    rows.write_parquet(folder / "rows.parquet")
    files = [folder / "columns.parquet", folder / "rows.parquet"]
    sources = {
        "actions": TableFiles(files, "seen", AT - timedelta(days=2)),
        "events": TableFiles(files[:1], "seen", AT),
    }
    (tmp_path / "secret.csv").write_text("x\n1\n")
    return lambda sql: query(sql, sources, folder)


def test_a_query_sees_the_window_alone(ask: Any) -> None:
    found = ask("SELECT id, risk, seen FROM actions ORDER BY id")
    assert found.rows() == [("a", 1.5, AT), ("b", None, AT - timedelta(days=1))]
    assert found.schema == {"id": pl.String, "risk": pl.Float64, "seen": TIME}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM events",
        "FROM actions",
        "WITH a AS (SELECT * FROM actions) SELECT * FROM a JOIN events USING (id)",
        "DESCRIBE actions",
        "SUMMARIZE actions",
        "SHOW TABLES",
        "SELECT date_trunc('day', seen) AS day, count(*) FROM actions GROUP BY ALL;",
        "-- a remark\nSELECT 1",
    ],
)
def test_whatever_reads_is_answered(ask: Any, sql: str) -> None:
    assert isinstance(ask(sql), pl.DataFrame)


rows_of_the_test = pl.DataFrame({"x": [1]})


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("", "these are 0 statements"),
        ("SELECT 1; SELECT 2", "these are 2 statements"),
        ("SELECT 1; COPY actions TO '{folder}/x.csv'", "these are 2 statements"),
        ("COPY actions TO '{folder}/x.csv'", "this is COPY"),
        ("COPY (SELECT 1) TO '{inside}/x.csv'", "this is COPY"),
        ("EXPLAIN ANALYZE COPY actions TO '{inside}/x.csv'", "this is EXPLAIN"),
        ("CREATE TABLE t AS SELECT 1", "this is CREATE"),
        ("INSERT INTO actions VALUES (1)", "this is INSERT"),
        ("DELETE FROM actions", "this is DELETE"),
        ("ATTACH '{folder}/x.db'", "this is ATTACH"),
        ("SET enable_external_access = true", "this is SET"),
        ("INSTALL httpfs", "this is LOAD"),
        ("PRAGMA database_list", "only reads"),
        ("CALL pragma_version()", "only reads"),
        ("EXPORT DATABASE '{inside}'", "only reads"),
        ("SELEC 1", "syntax error"),
        ("SELECT nosuch FROM actions", "nosuch"),
        ("SELECT * FROM action", "The tables are: actions, events"),
        ("SELECT * FROM '{folder}/secret.csv'", "The tables are: actions, events"),
        ("SELECT * FROM read_csv('{folder}/secret.csv')", "Permission Error"),
        ("SELECT * FROM read_text('{folder}/secret.csv')", "Permission Error"),
        ("SELECT * FROM read_text('{inside}/../secret.csv')", "Permission Error"),
        ("SELECT * FROM glob('{folder}/*')", "Permission Error"),
        ("SELECT * FROM read_csv('https://example.com/x.csv')", "Error"),
        ("SELECT * FROM rows_of_the_test", "The tables are"),
        ("SELECT * FROM query('COPY actions TO ''{inside}/x.csv''')", "Error"),
        ("SELECT 1 / 'x'", "Error"),
    ],
)
def test_what_does_more_than_read_is_refused(ask: Any, tmp_path: Path, sql: str, says: str) -> None:
    inside = tmp_path / "it''s here"
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ValueError, match=says):
        ask(sql.replace("{folder}", str(tmp_path)).replace("{inside}", str(inside)))
    assert sorted(tmp_path.rglob("*")) == before


def test_the_working_folder_is_out_of_reach(ask: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / ".tmp").mkdir(parents=True)
    (elsewhere / ".tmp" / "secret.csv").write_text("x\n1\n")
    monkeypatch.chdir(elsewhere)
    with pytest.raises(ValueError, match="Permission Error"):
        ask(f"SELECT * FROM read_csv('{elsewhere}/.tmp/secret.csv')")
    spilled = Path(ask("SELECT current_setting('temp_directory') AS folder").item())
    assert spilled.parent == tmp_path / "drafts"


def test_a_time_is_a_name_whatever_it_says(tmp_path: Path) -> None:
    odd = 'at"; CREATE VIEW made AS SELECT 1; --'
    rows = pl.DataFrame({odd: [AT]}, schema={odd: TIME})
    rows.write_parquet(tmp_path / "rows.parquet")
    source = TableFiles([tmp_path / "rows.parquet"], odd, AT)
    assert query("SHOW TABLES", {"actions": source}, tmp_path).rows() == [("actions",)]
    assert query("FROM actions", {"actions": source}, tmp_path).rows() == [(AT,)]
