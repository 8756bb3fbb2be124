"""Workspaces of several keys, and without the service."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from assent.contract.analysis.data import DataTable
from assent.errors import ConnectionFailed, Forbidden, Unauthorized
from tests.live import start_service
from tests.stories.tenant import Tenant
from tests.stories.workspaces.notebook import Notebook, Notebooks, held
from tests.tiers import deep


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


@deep("one story of each kind is in the quick tier")
def test_of_several_views_none_is_guessed(tmp_path: Path, http: httpx.Client, notebooks: Notebooks) -> None:
    with start_service(tmp_path / "home") as service:
        tenant = Tenant(service, http)
        notebook = notebooks(tenant, tmp_path / "cache")
        for role in ("admin", "auditor"):
            notebooks(tenant, tmp_path / "cache", role).open(tables=["actions"])
    with pytest.raises(ConnectionFailed) as caught:
        notebook.open()
    assert any("which of these copies is the key's cannot be asked" in note for note in caught.value.__notes__)


@deep("one story of each kind is in the quick tier")
def test_a_key_that_may_see_nothing_leaves_no_view(tmp_path: Path, http: httpx.Client, notebooks: Notebooks) -> None:
    with start_service(tmp_path / "home") as service:
        tenant = Tenant(service, http)
        tenant.create()
        notebook = notebooks(tenant, tmp_path / "cache")
        notebook.open(tables=["actions"])
        for tables in (None, ["actions", "actions"]):
            with pytest.raises(Forbidden):
                notebooks(tenant, tmp_path / "cache", "agent").open(tables=tables)
    assert notebook.open(tables=["actions"]).actions.collect().height == 1
