"""Workspaces: copies of tables that stay right, against a real service."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assent.contract.analysis.data import DataTable
from tests.stories.exports import work
from tests.stories.tenant import Tenant
from tests.stories.test_erasure import live_through
from tests.stories.workspaces.notebook import Notebook, ago, day, held, same
from tests.tiers import deep


def test_every_table_is_what_the_service_says(tenant: Tenant, notebook: Notebook) -> None:
    work(tenant)
    tenant.create(timestamp_start=ago(9))
    workspace = notebook.open()
    assert set(workspace.tables) == {table.value for table in DataTable}
    same(workspace, notebook.client)
    assert workspace.actions.collect().height == 5
    assert workspace.prompt_runs.collect().height == 0
    assert {"actions", "prompt_runs", "sql"} <= set(dir(workspace))
    assert not workspace.stale
    assert not workspace.incomplete
    assert workspace.as_of <= workspace.right_until("actions") <= datetime.now(UTC) + timedelta(seconds=5)
    assert f"{len(DataTable)} tables, right until 20" in repr(workspace)


@deep("one story of each kind is in the quick tier")
def test_rows_of_a_day_come_as_they_were_recorded(tenant: Tenant, notebook: Notebook) -> None:
    made = [tenant.create(timestamp_start=f"{day(2)}T12:00:{60 - number:02}Z") for number in range(1, 9)]
    assert notebook.open(tables=["actions"]).actions.collect()["action_id"].to_list() == made


def test_a_second_call_fetches_nothing_and_a_third_what_has_changed(tenant: Tenant, notebook: Notebook) -> None:
    old = tenant.create(timestamp_start=ago(3))
    tenant.create(timestamp_start=ago(2))
    first = notebook.open(tables=["actions"])
    assert (first.fetched.days, first.fetched.rows) == (2, 2)
    assert first.fetched.bytes > 0
    again = notebook.open(tables=["actions"])
    assert (again.fetched.days, again.fetched.rows, again.fetched.bytes) == (0, 0, 0)
    assert len(notebook.asked) == again.fetched.requests == 3
    tenant.create()
    assert notebook.open(tables=["actions"]).fetched.rows == 1
    assert notebook.days == [f"since={day(0)}&until={day(0)}"]
    # What happened three days ago ends today.
    tenant.call("PATCH", f"/api/actions/{old}", {"status": "completed", "output_summary": "late"})
    late = notebook.open(tables=["actions"])
    assert notebook.days == [f"since={day(3)}&until={day(3)}"]
    assert late.actions.filter(action_id=old).select("status", "output_summary").collect().row(0) == (
        "completed",
        "late",
    )
    same(late, notebook.client)


@deep("one story of each kind is in the quick tier")
def test_a_workspace_refreshes_itself(tenant: Tenant, notebook: Notebook) -> None:
    tenant.create()
    workspace = notebook.open(tables=["actions"])
    before, as_of = workspace.actions, workspace.as_of
    assert before.collect().height == 1
    tenant.create()
    assert workspace.refresh() is workspace
    assert workspace.actions.collect().height == 2
    assert workspace.as_of > as_of
    # A frame that was made before names the same files.
    assert before.collect().height == 2


@pytest.mark.parametrize(
    "later",
    [None, pytest.param(["decisions"], marks=deep("all tables are in the quick tier"))],
    ids=["all tables", "another table"],
)
@pytest.mark.parametrize("window", ["1d", pytest.param("30d", marks=deep("a day is in the quick tier"))])
def test_what_is_erased_leaves_the_copies_with_the_next_call(
    tenant: Tenant, notebook: Notebook, later: list[str] | None, window: str
) -> None:
    tenant.governed()
    ids = live_through(tenant, "mulberry")
    alone = tenant.create(timestamp_start=ago(5), declared_goal="mulberry five days ago")
    tenant.call("PATCH", f"/api/actions/{alone}", {"status": "completed"})
    other = tenant.create(timestamp_start=ago(5), declared_goal="kept")
    older = notebook.open()
    frame = older.actions
    assert "mulberry" in held(notebook.cache)
    for action in (ids["action_id"], alone):
        tenant.call("POST", f"/api/actions/{action}/erase", {"reason": "asked to"})
    workspace = notebook.open(window, later)
    assert "mulberry" not in held(notebook.cache)
    same(workspace, notebook.client, window)
    # A frame of before is still readable, and the next call with the larger window has everything again.
    assert alone not in frame.collect()["action_id"].to_list()
    whole = notebook.open()
    same(whole, notebook.client)
    assert other in whole.actions.collect()["action_id"].to_list()


@deep("one story of each kind is in the quick tier")
def test_the_last_row_of_a_day_can_be_erased(tenant: Tenant, notebook: Notebook) -> None:
    alone = tenant.create(timestamp_start=ago(4), declared_goal="elderberry")
    tenant.call("PATCH", f"/api/actions/{alone}", {"status": "completed"})
    frame = notebook.open().actions
    assert frame.collect().height == 1
    tenant.call("POST", f"/api/actions/{alone}/erase", {"reason": "asked to"})
    workspace = notebook.open()
    assert workspace.actions.collect().height == frame.collect().height == 0
    assert "elderberry" not in held(notebook.cache)
    assert notebook.open().fetched.days == 0


@deep("one story of each kind is in the quick tier")
def test_windows_of_other_lengths_share_their_days(tenant: Tenant, notebook: Notebook) -> None:
    for days in (0, 2, 6, 20, 40):
        tenant.create(timestamp_start=ago(days))
    assert notebook.open("7d", ["actions"]).actions.collect().height == 3
    larger = notebook.open("60d", ["actions"])
    assert (larger.fetched.days, larger.actions.collect().height) == (2, 5)
    smaller = notebook.open("3d", ["actions"])
    assert (smaller.fetched.days, smaller.actions.collect().height) == (0, 2)
    assert smaller.sql("SELECT count(*) FROM actions").item() == 2
    assert notebook.open("60d", ["actions"]).fetched.days == 0
    smaller.prune()
    assert notebook.open("60d", ["actions"]).fetched.days == 3


@deep("one story of each kind is in the quick tier")
def test_an_old_day_that_changed_unseen_is_fetched_when_it_is_wanted_again(tenant: Tenant, notebook: Notebook) -> None:
    old = tenant.create(timestamp_start=ago(20))
    notebook.open("30d", ["actions"])
    tenant.call("PATCH", f"/api/actions/{old}", {"status": "completed"})
    assert notebook.open("7d", ["actions"]).fetched.days == 0
    again = notebook.open("30d", ["actions"])
    assert again.fetched.days == 1
    same(again, notebook.client)


@deep("one story of each kind is in the quick tier")
async def test_it_can_be_awaited(tenant: Tenant, tmp_path: Path) -> None:
    work(tenant)
    async with tenant.async_client("auditor") as client:
        workspace = await client.workspace("30d", cache=tmp_path / "cache")
        assert workspace.actions.collect().height == 4
        tenant.create()
        assert await workspace.refresh() is workspace
        assert workspace.sql("SELECT count(*) AS n FROM actions").item() == 5
        assert workspace.fetched.rows >= 1


@deep("one story of each kind is in the quick tier")
def test_long_fetches_say_how_far_they_are(tenant: Tenant, notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent.data.workspace.refreshing.MANY_ROWS", 2)
    monkeypatch.setattr("assent.data.workspace.refreshing.RUN_ROWS", 2)
    for days in (1, 2, 3, 3):
        tenant.create(timestamp_start=ago(days))
    notebook.open(tables=["actions"])
    assert notebook.said == [
        f"actions: 2 of 4 rows are here, up to {day(3)}",
        f"actions: 4 of 4 rows are here, up to {day(1)}",
    ]


@pytest.mark.parametrize(
    ("window", "tables", "says"),
    [
        ("0d", None, "1d to 3650d"),
        ("3651d", None, "1d to 3650d"),
        ("week", None, "1d to 3650d"),
        ("", None, "1d to 3650d"),
        ("7d", [], "at least one name"),
        ("7d", "actions", "at least one name"),
        ("7d", ["nosuch"], "there is no table nosuch; there are: actions, decisions"),
        ("7d", ["../../etc"], "there is no table"),
        ("7d", ["Actions"], "there is no table Actions"),
    ],
)
def test_what_is_wrong_is_named(notebook: Notebook, window: str, tables: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        notebook.open(window, tables)
    assert not (notebook.cache / "workspace").exists()


@deep("one story of each kind is in the quick tier")
def test_a_table_that_is_not_there_is_named(tenant: Tenant, notebook: Notebook) -> None:
    workspace = notebook.open(tables=["actions", "decisions"])
    with pytest.raises(KeyError, match="no table 'events': it is not in this workspace; there are: actions, decisions"):
        workspace.table("events")
    with pytest.raises(AttributeError, match="no table 'action'"):
        _ = workspace.action
