"""Rows against the log: any value of any row that is changed behind the service's back is named."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from assent_service.app import TABLES
from assent_service.store.comparison import TableComparison, compare
from assent_service.store.event import Event
from assent_service.store.recovery import recover
from assent_service.store.segments import LogPlace, stream
from assent_service.store.tables import EVENTS, Column, ColumnKind, Table
from tests.service.control.actions.world import opened
from tests.tiers import deep

TOUCHED = ("actions", "guard_decisions", "approvals", "assumptions", "events")


class Recorded:
    """A data folder that nobody uses any more: its events, and a connection to its tables."""

    def __init__(self, home: Path, org_id: str, action_id: str) -> None:
        self.org_id, self.action_id = org_id, action_id
        self.connection = duckdb.connect(str(home / "tables.duckdb"))
        self.connection.execute("SET TimeZone = 'UTC'")
        found = recover(home / "log", 0)
        self.events = [event for event in stream(home / "log", LogPlace(1, 0), found.end) if event.org == org_id]

    def read(self, sql: str, parameters: Sequence[object]) -> list[tuple[object, ...]]:
        return self.connection.execute(sql, list(parameters)).fetchall()

    def compare(
        self, events: Sequence[Event] | None = None, action_id: str | None = None, tables: Sequence[Table] = TABLES
    ) -> TableComparison:
        return compare(tables, self.org_id, self.events if events is None else events, self.read, action_id)

    @contextmanager
    def changed(self, sql: str, *parameters: object) -> Iterator[None]:
        """What happens within sees the tables with a change that is then taken back."""
        self.connection.execute("BEGIN")
        try:
            self.connection.execute(sql, list(parameters))
            yield
        finally:
            self.connection.execute("ROLLBACK")


async def record(home: Path) -> tuple[str, str]:
    """An organization and one of its actions, which has a bit of everything."""
    async with opened(home) as world:
        await world.policy("require_approval", {"action_types": ["pay"]})
        action = await world.act(
            action_type="pay", declared_goal="pay 7 \u20ac", metadata={"a": [1.5]}, risk_score=61.5
        )
        await world.act(action_type="look")
        believed = await world.believe(action, basis="the invoice")
        await world.judge(believed, False, "it was not")
        await world.decide(action, "allow", why="fine")
        await world.report(action, status="completed", output_summary="paid", cost_estimate=0.25)
        await world.report(action, status="failed", error_message="bounced")
        await world.service.ledger.caught_up()
        return world.org_id, action.action_id


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """Shared, since each test takes back what it changes."""
    home = tmp_path_factory.mktemp("recorded")
    org_id, action_id = asyncio.run(record(home))
    found = Recorded(home, org_id, action_id)
    yield found
    found.connection.close()


FIRST = 4
further = deep(f"the first {FIRST} columns of each table are in the quick tier")


def tables() -> Iterator[tuple[Table, Column]]:
    for table in (*TABLES, EVENTS):
        if table.name in TOUCHED:
            for column in table.columns:
                yield table, column


def columns() -> Iterator[Any]:
    for table, column in tables():
        yield pytest.param(table, column, marks=() if column in table.columns[:FIRST] else further)


def other(column: Column, value: object) -> object:
    """A value that the column can hold and that is not the one it holds."""
    if column.kind is ColumnKind.JSON:
        return "[]" if value != "[]" else "[1]"
    if column.kind is ColumnKind.BOOLEAN:
        return not value
    if column.kind is ColumnKind.TIME:
        return "2001-01-01 00:00:00" if value is None else str(value)[:-1] + str((int(str(value)[-1]) + 1) % 10)
    if column.kind in (ColumnKind.INTEGER, ColumnKind.NUMBER):
        return 1 if value is None else float(str(value)) + 1
    return "x" if value is None else f"{value}x"


def test_untouched_tables_are_what_the_log_says(recorded: Recorded) -> None:
    found = recorded.compare()
    assert found.differences == []
    assert found.rows > 10


@pytest.mark.parametrize(("table", "column"), list(columns()), ids=lambda each: each.name)
def test_every_value_of_every_column_counts(recorded: Recorded, table: Table, column: Column) -> None:
    rows = recorded.read(
        f'SELECT rowid, "{table.key}", "{column.name}" FROM "{table.name}" WHERE org_id = ?', [recorded.org_id]
    )
    assert rows
    # The table of events, which is always compared, is not among those that a fold makes.
    alone = [table] if table in TABLES else []
    # The first, the last and some between; `make bench ONLY=tamper` takes all.
    for rowid, key, value in rows[:: max(1, len(rows) // 3)]:
        for changed in (other(column, value), None):
            if changed == value:
                continue
            with recorded.changed(f'UPDATE "{table.name}" SET "{column.name}" = ? WHERE rowid = ?', changed, rowid):
                found = recorded.compare(tables=alone).differences
            named = {(each.table, each.column) for each in found}
            # A row under another name, or in another organization, is one that is missing.
            missing = column.name in {table.key, "org_id"}
            assert (table.name, "" if missing else column.name) in named, f"{key}: {value!r} as {changed!r}"


@pytest.mark.parametrize("table", TOUCHED)
def test_a_row_that_is_gone_or_there_twice_is_named(recorded: Recorded, table: str) -> None:
    with recorded.changed(f'DELETE FROM "{table}" WHERE rowid = (SELECT max(rowid) FROM "{table}")'):
        assert [(each.table, each.found) for each in recorded.compare().differences] == [(table, "0 rows")]
    with recorded.changed(f'INSERT INTO "{table}" SELECT * FROM "{table}" WHERE org_id = ? LIMIT 1', recorded.org_id):
        assert [(each.table, each.found) for each in recorded.compare().differences] == [(table, "2 rows")]


def test_a_row_that_no_event_made_is_named_where_it_says_the_action(recorded: Recorded) -> None:
    own = [event for event in recorded.events if event.action == recorded.action_id]
    subjects = {event.subject for event in own}
    events = [event for event in recorded.events if event.subject in subjects]
    assert recorded.compare(events, recorded.action_id).differences == []
    planted = "INSERT INTO assumptions (org_id, assumption_id, action_id) VALUES (?, 'asm_planted', ?)"
    with recorded.changed(planted, recorded.org_id, recorded.action_id):
        (found,) = recorded.compare(events, recorded.action_id).differences
    assert (found.table, found.key) == ("assumptions", "asm_planted")


def test_another_organizations_rows_are_not_looked_at(recorded: Recorded) -> None:
    planted = "INSERT INTO assumptions (org_id, assumption_id, action_id) VALUES ('org_other', 'asm_planted', ?)"
    with recorded.changed(planted, recorded.action_id):
        assert recorded.compare(None, recorded.action_id).differences == []
