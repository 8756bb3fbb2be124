"""A shelf does not take a table, a query or a row that is not its noun's; what is true of every shelf is in
`tests/laws`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assent.contract.control.loops import LOOP, LoopsQuery, OpenLoop
from assent.contract.events import EventName
from assent.contract.exchange.key_points import KEY_POINT, KeyPoint, KeyPointsQuery
from assent.contract.noun import Noun
from assent.contract.people.keys import Key
from assent.contract.record import Query, Record
from assent_service.base.clock import system_clock
from assent_service.control.loops import LOOP_FENCE, LOOPS
from assent_service.core.shelf import Shelf
from assent_service.exchange.key_points import KEY_POINT_FENCE, KEY_POINTS
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table
from tests.service.control.actions.world import locks_of


def shelf(home: Path, noun: Noun[OpenLoop], table: Table, query: type[Query]) -> Shelf[OpenLoop]:
    ledger = Ledger(home, (table,))
    try:
        return Shelf(noun, table, LOOP_FENCE, query, ledger=ledger, clock=system_clock, locks=locks_of(ledger))
    finally:
        ledger.close()


def test_the_table_is_the_nouns(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="'key_points' does not keep the noun 'loop'"):
        shelf(tmp_path / "1", LOOP, KEY_POINTS, LoopsQuery)
    with pytest.raises(TypeError, match="its key or events differ"):
        shelf(tmp_path / "2", LOOP, replace(LOOPS, replaced=frozenset()), LoopsQuery)


def test_a_filter_that_is_no_column_says_its_condition(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"KeyPointsQuery has \['category', 'importance_min', 'session_date'\]"):
        shelf(tmp_path, LOOP, LOOPS, KeyPointsQuery)


def test_a_row_without_what_every_noun_has_is_refused() -> None:
    class Loan(Record, frozen=True, kw_only=True):
        loan_id: str
        org_id: str

    with pytest.raises(TypeError, match=r"'loan' is kept as Loan, which has no \['agent_id', 'created_at'\]"):
        Noun(Loan, "loan", created=EventName.RECORD_CREATED)
    assert Noun(Key, "key", created=EventName.KEY_CREATED).id == "key_id"
    assert KEY_POINT.id == "point_id"
    assert KEY_POINT.row is KeyPoint
    assert KEY_POINT_FENCE.of("org_a", "cp_1") == "key_point:org_a:cp_1"
