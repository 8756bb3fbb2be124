"""Versions of days: another one for whatever has changed, the same for what has not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assent.contract.analysis.data import DataTable, TableDays, TableDaysQuery
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.analysis.data.datasets import DATASETS
from assent_service.analysis.data.days import DailyTables
from assent_service.base.problem import Refusal
from assent_service.core.principal import Principal
from tests.service.control.actions.world import DAY, World, opened


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as world:
        yield world


async def of(world: World, table: str = "actions", **query: Any) -> TableDays:
    days = DailyTables(world.service.ledger, world.clock, "test")
    return await days.of(world.admin, table, TableDaysQuery(**query))


def versions(said: TableDays) -> dict[date, str]:
    return {each.date: each.version for each in said.days}


def today(world: World) -> date:
    return datetime.fromtimestamp(world.clock.now / 1e6, UTC).date()


async def test_each_day_counts_its_rows(world: World) -> None:
    assert (await of(world)).days == []
    await world.act(action_type="look")
    world.clock.turn(DAY)
    await world.act(action_type="look")
    await world.act(action_type="look")
    said = await of(world)
    assert [(each.date, each.rows) for each in said.days] == [
        (today(world) - timedelta(days=1), 1),
        (today(world), 2),
    ]
    assert list(said.columns) == [column.name for column in DATASETS[DataTable.ACTIONS].columns]
    assert (said.time, said.key, said.columns["risk_score"]) == ("timestamp_start", "action_id", "number")


async def test_only_the_day_of_a_changed_row_changes(world: World) -> None:
    old = await world.act(action_type="look")
    world.clock.turn(3 * DAY)
    await world.act(action_type="look")
    before = versions(await of(world))
    assert versions(await of(world)) == before
    await world.report(old, status="completed")
    after = versions(await of(world))
    then = today(world) - timedelta(days=3)
    assert after[then] != before[then]
    assert {day: after[day] for day in after if day != then} == {day: before[day] for day in before if day != then}


async def test_every_served_column_counts(world: World) -> None:
    """Whichever column of a row changes, and however little: the version is another one."""
    await world.act(action_type="look")
    await of(world)
    database = world.service.ledger._projector.database
    seen = {(await of(world)).days[0].version}
    columns = DATASETS[DataTable.ACTIONS].columns
    for column in columns:
        if column.name == "timestamp_start":
            continue
        value = {"VARCHAR": "'x'", "JSON": "'{\"x\": 1}'", "BOOLEAN": "NOT coalesce({0}, false)"}.get(column.kind.value)
        value = value or {"TIMESTAMP": "TIMESTAMP '2001-01-01'"}.get(column.kind.value, "coalesce({0}, 0) + 1")
        with database.cursor() as cursor:
            cursor.execute(f'UPDATE actions SET "{column.name}" = {value.replace("{0}", column.name)}')
        seen.add((await of(world)).days[0].version)
    assert len(seen) == len(columns)


async def test_rows_that_are_alike_do_not_cancel_out(world: World) -> None:
    await world.act(action_type="look")
    one = (await of(world)).days[0]
    with world.service.ledger._projector.database.cursor() as cursor:
        cursor.execute("INSERT INTO actions SELECT * FROM actions")
        cursor.execute("INSERT INTO actions SELECT * FROM actions")
    four = (await of(world)).days[0]
    assert four.rows == 4
    assert four.version != one.version


async def test_who_knows_the_state_gets_no_days(world: World) -> None:
    await world.act(action_type="look")
    said = await of(world)
    again = await of(world, unless=said.state)
    assert (again.unchanged, again.days, again.state) == (True, [], said.state)
    assert not (await of(world, unless="other")).unchanged
    assert not (await of(world, "decisions", unless=said.state)).unchanged
    assert not (await of(world, window="7d", unless=said.state)).unchanged
    await world.act(action_type="look")
    assert not (await of(world, unless=said.state)).unchanged


async def test_a_window_reaches_to_the_beginning_of_its_first_day(world: World) -> None:
    await world.act(action_type="look")
    world.clock.turn(2 * DAY)
    assert len((await of(world, window="2d")).days) == 1
    assert len((await of(world, window="1d")).days) == 0


async def test_all_tables_can_be_asked(world: World) -> None:
    await world.act(action_type="look")
    for table in DataTable:
        said = await of(world, table.value)
        assert said.table == table.value
        assert said.layout
    assert (await of(world, "outcomes")).days == []


@pytest.mark.parametrize(
    ("table", "window", "code"),
    [
        ("keys", "30d", Code.TABLE_NOT_FOUND),
        ("actions", "0d", Code.INVALID_QUERY),
        ("actions", "x", Code.INVALID_QUERY),
        ("nosuch", "x", Code.TABLE_NOT_FOUND),
    ],
)
async def test_what_is_wrong_is_refused(world: World, table: str, window: str, code: Code) -> None:
    with pytest.raises(Refusal) as caught:
        await of(world, table, window=window)
    assert caught.value.code is code


async def test_a_key_of_one_agent_is_told_of_its_rows(world: World) -> None:
    await world.act(action_type="look", agent_id="one")
    await world.act(action_type="look", agent_id="two")
    bound = Principal(world.admin.org_id, "key_1", "bot", Role.AGENT, "one")
    days = DailyTables(world.service.ledger, world.clock, "test")
    said = await days.of(bound, "actions", TableDaysQuery())
    assert [each.rows for each in said.days] == [1]
    assert said.state != (await of(world)).state
    with pytest.raises(Refusal) as caught:
        await days.of(bound, "events", TableDaysQuery())
    assert caught.value.code is Code.FORBIDDEN
