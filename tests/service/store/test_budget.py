"""What one analysis may take, and that nobody else pays for more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.store import budget as budgets
from assent_service.store.budget import Budget, BudgetExceeded, TooManyAnalyses
from assent_service.store.database import Database
from assent_service.store.ledger import Ledger
from assent_service.store.reader import TableReader
from tests.service.store.things import TABLES

LONG = "SELECT sum(hash(range)) AS found FROM range(100000000000000)"
"""Hours, without a row before the last of them."""
MILLION = "SELECT range AS n FROM range(1000000)"

Made = Callable[[Budget], TableReader]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    with ExitStack() as stack:
        database = stack.enter_context(closing(Database(tmp_path / "tables.duckdb", TABLES)))

        def make(budget: Budget) -> TableReader:
            def trusted(generation: int, why: str) -> None:
                raise AssertionError(why)

            return stack.enter_context(closing(TableReader(database, trusted, budget)))

        yield make


async def test_a_query_that_takes_too_long_is_cut_and_the_next_one_is_not(made: Made) -> None:
    reader = made(Budget(at_once=1, seconds=0.05))
    for _ in range(2):
        with pytest.raises(BudgetExceeded, match="longer than"):
            await reader.frame(LONG, [])
    assert (await made(Budget(at_once=1)).frame("SELECT 7 AS n", []))["n"].to_list() == [7]


async def test_rows_that_take_too_much_memory_are_cut(made: Made) -> None:
    reader = made(Budget(bytes=1 << 20))
    with pytest.raises(BudgetExceeded, match="more than 1 MB"):
        await reader.frame(MILLION, [])
    with pytest.raises(BudgetExceeded, match="more than 1 MB"):
        await reader.frame("SELECT range AS n FROM range(100000000000000)", [])
    assert (await reader.frame("SELECT range AS n FROM range(100000)", [])).height == 100_000


async def test_what_the_service_reads_for_itself_has_no_budget(made: Made) -> None:
    reader = made(Budget(at_once=1, bytes=1))
    with pytest.raises(BudgetExceeded):
        await reader.frame(MILLION, [])
    assert (await reader.whole_frame(MILLION, [])).height == 1_000_000


async def test_a_frame_is_whole_whatever_its_pieces(made: Made) -> None:
    frame = await made(Budget()).frame(f"{MILLION} ORDER BY n DESC", [])
    assert frame["n"].to_list() == list(range(999_999, -1, -1))
    empty = await made(Budget()).frame("SELECT org_id, size FROM things WHERE size > $1", [1])
    assert (empty.height, empty.columns) == (0, ["org_id", "size"])


async def test_lists_do_not_wait_for_analyses(made: Made) -> None:
    reader = made(Budget(at_once=1, seconds=0.5))
    long = [asyncio.ensure_future(reader.frame(LONG, [])) for _ in range(3)]
    await asyncio.sleep(0)
    assert await reader.rows("SELECT count(*) FROM things", []) == [(0,)]
    assert not all(each.done() for each in long)
    found = await asyncio.gather(*long, return_exceptions=True)
    assert [type(each) for each in found] == [BudgetExceeded] * 3


async def test_whoever_would_wait_behind_too_many_is_told_so(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "WAITING", 1)
    reader = made(Budget(at_once=1, seconds=0.1))
    found = await asyncio.gather(*(reader.frame(LONG, []) for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in found] == [BudgetExceeded, BudgetExceeded, TooManyAnalyses]


async def test_both_are_refusals_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(tmp_path / "home", TABLES, budget=Budget(at_once=1, seconds=0.1, bytes=1 << 20))
    ledger.start()
    try:
        with pytest.raises(Refusal, match="`analytics_") as refused:
            await ledger.frame(MILLION)
        assert refused.value.code is Code.ANALYSIS_TOO_LARGE
        monkeypatch.setattr(budgets, "WAITING", 0)
        slow, late = await asyncio.gather(ledger.frame(LONG), ledger.frame(LONG), return_exceptions=True)
        assert isinstance(slow, Refusal)
        assert isinstance(late, Refusal)
        assert (slow.code, late.code) == (Code.ANALYSIS_TOO_LARGE, Code.BUSY)
    finally:
        ledger.close()
