"""Workspaces: copies of tables that stay right, against a real service."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest

from assent import Client
from assent.contract.data import DataTable
from assent.data.workspace import Workspace
from assent.errors import ConnectionFailed, Forbidden, Unauthorized
from tests.live import ROOT, WAIT, start_service
from tests.stories.exports import work
from tests.stories.tenant import Tenant
from tests.stories.test_erasure import live_through


def ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


def day(days: int) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).date().isoformat()


class Notebook:
    """Somebody's notebook: a client and a folder for copies; counts what goes to the service."""

    def __init__(self, tenant: Tenant, cache: Path, role: str = "admin") -> None:
        self.tenant, self.cache, self.role = tenant, cache, role
        self.said: list[str] = []
        self.asked: list[str] = []
        hooks: dict[str, list[Callable[..., Any]]] = {"request": [self._note]}
        self.http = httpx.Client(trust_env=False, timeout=WAIT, event_hooks=hooks)
        options = {"http": self.http, "say": self.said.append, "retries": 0}
        self.client = Client(tenant.service.base_url, tenant.keys[role], **options)  # type: ignore[arg-type]

    def _note(self, request: httpx.Request) -> None:
        self.asked.append(str(request.url).removeprefix(self.tenant.service.base_url))

    def open(self, window: str = "30d", tables: list[str] | None = None) -> Workspace:
        self.asked.clear()
        return self.client.workspace(window, tables, cache=self.cache)

    @property
    def days(self) -> list[str]:
        """The days that rows were asked for of, in the words of the requests."""
        return [each.partition("?")[2].partition("&format")[0] for each in self.asked if "since=" in each]


Notebooks = Callable[..., Notebook]


@pytest.fixture
def notebooks() -> Iterator[Notebooks]:
    """Makes notebooks, and closes their connections in the end."""
    with ExitStack() as stack:

        def make(tenant: Tenant, cache: Path, role: str = "admin") -> Notebook:
            made = Notebook(tenant, cache, role)
            stack.enter_context(made.http)
            return made

        yield make


@pytest.fixture
def notebook(tenant: Tenant, tmp_path: Path, notebooks: Notebooks) -> Notebook:
    return notebooks(tenant, tmp_path / "cache")


def same(workspace: Workspace, client: Client, window: str = "30d") -> None:
    """Every table is, row for row and type for type, what the service says."""
    for table in workspace.tables:
        expected, found = client.frame(table, window), workspace.table(table).collect()
        assert found.schema == expected.schema, table
        # The order in which rows were recorded is kept within a day; across days they come by day.
        columns = expected.columns
        assert found.sort(columns).equals(expected.sort(columns)), table


def held(cache: Path) -> str:
    """Everything that the Parquet files say, and the names and bytes of all others."""
    texts = []
    for path in cache.rglob("*"):
        texts.append(str(path))
        if path.suffix == ".parquet":
            texts.append(str(pl.read_parquet(path, hive_partitioning=False).to_dicts()))
        elif path.is_file():
            texts.append(path.read_text(encoding="utf-8"))
    return "\n".join(texts)


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


@pytest.mark.parametrize("later", [None, ["decisions"]], ids=["all tables", "another table"])
@pytest.mark.parametrize("window", ["30d", "1d"])
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


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def garble(path: Path) -> None:
    size = path.stat().st_size
    path.write_bytes(os.urandom(size))


DAMAGES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a file that is cut short": ("date=*/rows.parquet", truncate),
    "a file of garbage, as long as before": ("date=*/rows.parquet", garble),
    "a file that is gone": ("date=*/rows.parquet", Path.unlink),
    "an empty file": ("date=*/rows.parquet", lambda path: path.write_bytes(b"")),
    "an index that is cut short": ("index.json", truncate),
    "an index of garbage": ("index.json", garble),
    "an index of another kind": ("index.json", lambda path: path.write_text('{"format": 99}')),
    "no index": ("index.json", Path.unlink),
    "no columns": ("columns-*.parquet", Path.unlink),
    "columns of garbage": ("columns-*.parquet", garble),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_healed(tenant: Tenant, notebook: Notebook, damage: str) -> None:
    for days in (1, 2, 3):
        tenant.create(timestamp_start=ago(days))
    workspace = notebook.open(tables=["actions"])
    place, harm = DAMAGES[damage]
    harm(sorted((workspace.path / "tables" / "actions").glob(place))[-1])
    healed = notebook.open(tables=["actions"])
    assert healed.fetched.days == (1 if place.startswith("date") else 3)
    same(healed, notebook.client)


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


def test_an_old_day_that_changed_unseen_is_fetched_when_it_is_wanted_again(tenant: Tenant, notebook: Notebook) -> None:
    old = tenant.create(timestamp_start=ago(20))
    notebook.open("30d", ["actions"])
    tenant.call("PATCH", f"/api/actions/{old}", {"status": "completed"})
    assert notebook.open("7d", ["actions"]).fetched.days == 0
    again = notebook.open("30d", ["actions"])
    assert again.fetched.days == 1
    same(again, notebook.client)


_OPEN = """
import sys
from assent import Client
client = Client(sys.argv[1], sys.argv[2], say=lambda _: None)
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[4])):
    ws = client.workspace("30d", cache=sys.argv[3])
    assert ws.actions.collect().height == len(set(ws.actions.collect()["action_id"]))
print(ws.actions.collect().height, ws.sql("SELECT count(*) FROM actions").item())
"""


def test_processes_at_once_do_not_harm_each_other(tenant: Tenant, notebook: Notebook) -> None:
    for number in range(30):
        tenant.create(timestamp_start=ago(number / 2))
    command = [sys.executable, "-c", _OPEN, tenant.service.base_url, tenant.keys["admin"], str(notebook.cache), "4"]
    processes = [
        subprocess.Popen(
            command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        process.stdin.write("\n")
        process.stdin.flush()
    for number in range(10):
        tenant.create(timestamp_start=ago(number))
    for process in processes:
        said, wrong = process.communicate(timeout=WAIT)
        assert process.returncode == 0, wrong[-2000:]
        counts = set(said.split())
        assert len(counts) == 1, said
        assert 30 <= int(counts.pop()) <= 40
    workspace = notebook.open()
    same(workspace, notebook.client)
    assert notebook.open().fetched.days == 0


class _Cut(httpx.BaseTransport):
    """A network that ends in the middle of the nth table of rows."""

    def __init__(self, nth: int) -> None:
        self.inner, self.left = httpx.HTTPTransport(), nth

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.left -= "since=" in str(request.url)
        if self.left < 0:
            raise httpx.ReadError("cut", request=request)
        return self.inner.handle_request(request)


@pytest.mark.parametrize("nth", [0, 1, 2])
def test_an_interruption_is_gone_on_from(tenant: Tenant, notebook: Notebook, nth: int) -> None:
    for days in (1, 5, 9):
        tenant.create(timestamp_start=ago(days))
    with httpx.Client(transport=_Cut(nth)) as http:
        client = Client(tenant.service.base_url, tenant.keys["admin"], http=http, retries=0, say=lambda _: None)
        with pytest.raises(ConnectionFailed, match="cut") as caught:
            client.workspace("30d", ["actions"], cache=notebook.cache)
    assert "there is no copy of it on this machine yet" in str(caught.value.__notes__)
    workspace = notebook.open(tables=["actions"])
    assert workspace.fetched.days == 3 - nth
    same(workspace, notebook.client)


def test_what_a_crash_left_is_thrown_away(tenant: Tenant, notebook: Notebook) -> None:
    tenant.create()
    workspace = notebook.open(tables=["actions"])
    draft = workspace.path / "drafts" / "actions-1-rows.parquet"
    draft.write_bytes(b"half of something")
    left = workspace.path / "tables" / "actions" / f"date={day(8)}" / "rows.parquet"
    left.parent.mkdir()
    pl.DataFrame({"goal": ["boysenberry"]}).write_parquet(left)
    tenant.create()
    same(notebook.open(tables=["actions"]), notebook.client)
    assert not draft.exists()
    assert "boysenberry" not in held(notebook.cache)


def test_each_view_has_copies_of_its_own(
    tenant: Tenant, new_tenant: Callable[[], Tenant], tmp_path: Path, notebooks: Notebooks
) -> None:
    cache = tmp_path / "cache"
    tenant.create()
    views = {notebooks(tenant, cache, role).open(tables=["actions"]).path for role in ("admin", "operator", "auditor")}
    other = new_tenant()
    theirs = notebooks(other, cache).open(tables=["actions"])
    assert theirs.actions.collect().height == 0
    assert len({*views, theirs.path}) == 4
    with pytest.raises(Forbidden):
        notebooks(tenant, cache, "agent").open()
    said = held(cache)
    for secret in (*tenant.keys.values(), *other.keys.values()):
        assert secret not in said
        assert secret[-12:] not in said
    if os.name == "posix":
        for path in cache.rglob("*"):
            if path.is_dir():
                assert stat.S_IMODE(path.stat().st_mode) == 0o700, path


def test_a_key_that_was_revoked_opens_nothing(tenant: Tenant, notebook: Notebook) -> None:
    tenant.create()
    notebook.open(tables=["actions"])
    tenant.add_key("second", "admin")
    tenant.call("DELETE", f"/api/keys/{tenant.key_ids['admin']}", key="second")
    with pytest.raises(Unauthorized):
        notebook.open(tables=["actions"])


def test_without_the_service_it_says_until_when_it_is_right(
    tmp_path: Path, http: httpx.Client, notebooks: Notebooks
) -> None:
    with start_service(tmp_path / "home") as service:
        tenant = Tenant(service, http)
        tenant.create()
        notebook = notebooks(tenant, tmp_path / "cache")
        workspace = notebook.open("7d")
        nowhere = notebooks(tenant, tmp_path / "elsewhere")
    as_of = workspace.as_of
    with pytest.raises(ConnectionFailed):
        workspace.refresh()
    assert workspace.actions.collect().height == 1
    assert not workspace.stale
    stale = notebook.open("7d")
    assert stale.stale
    assert stale.as_of == as_of
    assert stale.actions.collect().height == stale.sql("FROM actions").height == 1
    assert repr(stale).startswith(f"<Workspace of 7d, {len(DataTable)} tables, STALE, right until 20")
    assert "no answer from" in str(stale.reason)
    assert not stale.incomplete
    assert set(notebook.open("30d").incomplete) == set(stale.tables)
    assert notebook.open("7d", ["actions", "events"]).tables == ["actions", "events"]
    with pytest.raises(ValueError, match="there is no table nosuch; there are: actions"):
        notebook.open("7d", ["nosuch"])
    with pytest.raises(ConnectionFailed) as caught:
        nowhere.open()
    assert any("there is no copy of it on this machine yet" in note for note in caught.value.__notes__)


def test_of_several_views_none_is_guessed(tmp_path: Path, http: httpx.Client, notebooks: Notebooks) -> None:
    with start_service(tmp_path / "home") as service:
        tenant = Tenant(service, http)
        notebook = notebooks(tenant, tmp_path / "cache")
        for role in ("admin", "auditor"):
            notebooks(tenant, tmp_path / "cache", role).open(tables=["actions"])
    with pytest.raises(ConnectionFailed) as caught:
        notebook.open()
    assert any("which of these copies is the key's cannot be asked" in note for note in caught.value.__notes__)


async def test_it_can_be_awaited(tenant: Tenant, tmp_path: Path) -> None:
    work(tenant)
    async with tenant.async_client("auditor") as client:
        workspace = await client.workspace("30d", cache=tmp_path / "cache")
        assert workspace.actions.collect().height == 4
        tenant.create()
        assert await workspace.refresh() is workspace
        assert workspace.sql("SELECT count(*) AS n FROM actions").item() == 5
        assert workspace.fetched.rows >= 1


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


def test_a_table_that_is_not_there_is_named(tenant: Tenant, notebook: Notebook) -> None:
    workspace = notebook.open(tables=["actions", "decisions"])
    with pytest.raises(KeyError, match="no table 'events': it is not in this workspace; there are: actions, decisions"):
        workspace.table("events")
    with pytest.raises(AttributeError, match="no table 'action'"):
        _ = workspace.action
