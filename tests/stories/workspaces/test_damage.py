"""Workspaces whose files were damaged, that were interrupted, or that several processes use at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import polars as pl
import pytest

from assent import Client
from assent.data.workspace.place import Lock
from assent.errors import ConnectionFailed
from tests.live import ROOT, WAIT
from tests.stories.tenant import Tenant
from tests.stories.workspaces.notebook import Notebook, ago, day, held, same
from tests.tiers import deep

pytestmark = deep("a copy damaged in every way")


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


def link(path: Path, target: Path) -> None:
    """Put a link in place of a folder, which goes elsewhere."""
    path.rename(target)
    path.symlink_to(target)


def replace(folder: Path) -> None:
    folder.rmdir()
    folder.write_text("x")


STRANGE: dict[str, Callable[[Path, Path], object]] = {
    "a day that is none": lambda table, _: (table / "date=junk").mkdir(),
    "a day with a second name": lambda table, _: (table / f"date={day(1)}.bak").mkdir(),
    "a day written otherwise": lambda table, _: (table / f"date={day(1).replace('-', '')}").mkdir(),
    "a file for a day": lambda table, _: (table / f"date={day(5)}").write_text("x"),
    "a link for a day": lambda table, away: link(table / f"date={day(1)}", away),
    "a table that there is no more": lambda table, _: shutil.copytree(table, table.with_name("old_table")),
    "a folder of somebody else": lambda table, _: (table.parent / ".ipynb_checkpoints").mkdir(),
    "a file for a table": lambda table, _: (table.parent / "loops").write_text("x"),
    "a link for a table": lambda table, away: link(table, away),
    "a file for the drafts": lambda table, _: replace(table.parents[1] / "drafts"),
}


@pytest.mark.parametrize("strange", STRANGE)
def test_what_is_not_ours_is_thrown_away(tenant: Tenant, notebook: Notebook, tmp_path: Path, strange: str) -> None:
    tenant.create(timestamp_start=ago(1))
    tables = notebook.open(tables=["actions"]).path / "tables"
    STRANGE[strange](tables / "actions", tmp_path / "away")
    tenant.create(timestamp_start=ago(5))
    workspace = notebook.open(tables=["actions", "loops"])
    same(workspace, notebook.client)
    workspace.prune()
    assert sorted(path.name for path in tables.iterdir()) == ["actions", "loops"]
    days = {path for path in (tables / "actions").iterdir() if path.name.startswith("date=")}
    assert {path.name for path in days} == {f"date={day(1)}", f"date={day(5)}"}
    assert not any(path.is_symlink() for path in (*days, *tables.iterdir()))


def test_nothing_is_pruned_while_somebody_refreshes(tenant: Tenant, notebook: Notebook) -> None:
    tenant.create(timestamp_start=ago(9))
    notebook.open()
    workspace = notebook.open("3d", ["actions"])
    shutil.rmtree(workspace.path / "drafts")
    with Lock(workspace.path / "lock") as lock:
        assert lock.take()
        with pytest.raises(RuntimeError, match="is being refreshed"):
            workspace.prune()
    assert notebook.open().fetched.days == 0
    shutil.rmtree(workspace.path / "drafts")
    workspace.prune()
    assert notebook.open(tables=["actions"]).fetched.days == 1


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

    def close(self) -> None:
        self.inner.close()


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


_KILLED = """
import os, signal, sys
from pathlib import Path
from assent import Client
client, left = Client(sys.argv[1], sys.argv[2], say=lambda _: None), int(sys.argv[4])
move = Path.replace
def fall(self, target):
    global left
    left -= "rows.parquet" in str(target)
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return move(self, target)
Path.replace = fall
client.workspace("30d", ["actions"], cache=sys.argv[3])
"""


@pytest.mark.parametrize("written", [0, 1, 2])
def test_after_a_kill_the_next_call_goes_on(tenant: Tenant, notebook: Notebook, written: int) -> None:
    for days in (1, 5, 9):
        tenant.create(timestamp_start=ago(days))
    command = [sys.executable, "-c", _KILLED, tenant.service.base_url, tenant.keys["admin"], str(notebook.cache)]
    killed = subprocess.run([*command, str(written)], cwd=ROOT, capture_output=True, timeout=WAIT, check=False)
    assert killed.returncode == -9, killed.stderr[-2000:]
    assert list(notebook.cache.rglob("drafts/*"))
    workspace = notebook.open(tables=["actions"])
    # Each day is a run of its own, and its rows count once the index says so.
    assert workspace.fetched.days == 3 - written
    same(workspace, notebook.client)
    assert not list(notebook.cache.rglob("drafts/*"))


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
