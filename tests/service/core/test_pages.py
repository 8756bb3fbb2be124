"""Pages of rows that were made at the same times, that change while a page is read, and that are far down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import duckdb
import msgspec
import pytest

from assent_service.core import rows
from assent_service.core.rows import Filter, Page, list_rows, read_page
from assent_service.store import schema
from assent_service.store.database import Row
from assent_service.store.ledger import Ledger
from tests.service.store.things import NOTES

BEGINNING = datetime(2026, 5, 1, tzinfo=UTC)


class Note(msgspec.Struct):
    org_id: str
    note_id: str
    words: str | None
    created_at: datetime


class Asked(msgspec.Struct):
    limit: int = 3
    offset: int = 0
    cursor: str | None = None


class Tables:
    """A ledger of notes; `between` is called after the first of a page's two questions."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection, self.questions = connection, 0
        self.between: Callable[[], object] = lambda: None

    async def read(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        if self.questions == 1:
            self.between()
        self.questions += 1
        return self.connection.execute(sql, list(parameters)).fetchall()

    async def page(self, asked: Asked, words: str | None = None) -> Page[Note]:
        self.questions = 0
        chosen = Filter("org_a")
        chosen.add("words = ?", words)
        return await read_page(cast("Ledger", self), NOTES, Note, chosen, asked)

    def put(self, note: str, second: int, words: str = "la", org: str = "org_a") -> None:
        at = (BEGINNING + timedelta(seconds=second)).replace(tzinfo=None)
        self.connection.execute("INSERT INTO notes VALUES (?, ?, ?, ?)", [org, note, words, at])


@pytest.fixture
def tables() -> Iterator[Tables]:
    """Ten notes, of which each three were made at the same time, and one of somebody else."""
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        connection.execute(schema.create(NOTES))
        found = Tables(connection)
        for number in (3, 1, 4, 0, 5, 9, 2, 6, 8, 7):
            found.put(f"nte_{number}", number // 3)
        found.put("nte_x", 99, org="org_b")
        yield found


def ids(page: Page[Note]) -> list[str]:
    return [note.note_id.removeprefix("nte_") for note in page.rows]


@pytest.mark.parametrize("short", [2, 4, 1_000])
@pytest.mark.parametrize("limit", [1, 3, 5, 10, 11])
async def test_pages_follow_on_one_another(
    tables: Tables, monkeypatch: pytest.MonkeyPatch, short: int, limit: int
) -> None:
    monkeypatch.setattr(rows, "SHORT", short)
    whole = list("9876543210")
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = await tables.page(Asked(limit, 0, cursor))
        found += ids(page)
        cursor = page.next_cursor
        if cursor is None:
            break
        assert len(page.rows) == limit
    assert found == whole
    for offset in range(12):
        assert ids(await tables.page(Asked(limit, offset))) == whole[offset : offset + limit]


async def test_the_total_counts_all_pages(tables: Tables) -> None:
    listed = await list_rows(cast("Ledger", tables), NOTES, Note, Filter("org_a"), Asked(4))
    assert (ids(listed), listed.total) == (list("9876"), 10)
    nobody = await list_rows(cast("Ledger", tables), NOTES, Note, Filter("org_c"), Asked(4))
    assert (nobody.rows, nobody.total, nobody.next_cursor) == ([], 0, None)


async def test_rows_that_go_or_change_in_between_leave_no_gap(tables: Tables) -> None:
    for change in ("DELETE FROM notes", "UPDATE notes SET words = 'lo'"):
        gone = "nte_8" if change.startswith("DELETE") else "nte_7"
        tables.between = lambda change=change, gone=gone: tables.connection.execute(  # type: ignore[misc]  # of the loop
            f"{change} WHERE note_id = '{gone}'"
        )
        page = await tables.page(Asked(4), words="la")
        assert ids(page) == (list("9765") if gone == "nte_8" else list("9654"))
        assert page.next_cursor is not None


async def test_what_comes_in_between_is_shown(tables: Tables) -> None:
    tables.between = lambda: tables.put("nte_n", 50)
    page: Any = await tables.page(Asked(3))
    assert ids(page) == ["n", "9", "8"]
