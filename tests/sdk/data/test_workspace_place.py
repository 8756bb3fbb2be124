"""Where copies lie: whose folder, which names, and who may read them."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assent.contract.people.keys import Key
from assent.contract.roles import Role
from assent.data.workspace.place import Lock, cache_folder, make_private, origin_folder, view_folder

HOME = Path.home()


def key(org_id: str = "org_1", role: Role = Role.ADMIN, agent_id: str | None = None) -> Key:
    return Key(
        org_id=org_id,
        key_id="key_1",
        name="ops",
        role=role,
        agent_id=agent_id,
        hint="wxyz",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        created_by="system",
        revoked_at=None,
        revoked_by=None,
    )


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({}, "linux", HOME / ".cache" / "assent"),
        ({"ASSENT_CACHE": "", "XDG_CACHE_HOME": ""}, "linux", HOME / ".cache" / "assent"),
        ({"XDG_CACHE_HOME": "/var/x"}, "linux", Path("/var/x/assent")),
        ({"XDG_CACHE_HOME": "relative"}, "linux", HOME / ".cache" / "assent"),
        ({}, "darwin", HOME / "Library" / "Caches" / "assent"),
        ({"LOCALAPPDATA": "/c/local"}, "win32", Path("/c/local/assent/Cache")),
        ({"ASSENT_CACHE": "~/mine", "XDG_CACHE_HOME": "/var/x"}, "linux", HOME / "mine"),
        ({"ASSENT_HOME": "/srv/assent"}, "linux", HOME / ".cache" / "assent"),
    ],
)
def test_the_cache_is_the_users_own(environment: dict[str, str], platform: str, expected: Path) -> None:
    assert cache_folder(environment, platform) == expected


def test_every_origin_organization_and_view_has_a_folder() -> None:
    origins = [origin_folder(Path("/c"), url) for url in ("http://a:1", "https://a:1", "http://a:2", "http://a:1/b")]
    keys = [key(), key("org_2"), key(role=Role.AUDITOR), key(role=Role.AGENT, agent_id="bot")]
    keys += [key(role=Role.AGENT, agent_id="b/ot"), key(role=Role.AGENT, agent_id="b-ot")]
    folders = {view_folder(origin, each) for origin in origins for each in keys}
    assert len(folders) == len(origins) * len(keys)


@pytest.mark.parametrize("name", ["../../x", "..", ".", "/etc", "a/b", "a\\b", "con:", "", "x" * 500, "é\n", "CON"])
def test_names_that_others_give_lead_nowhere_else(name: str) -> None:
    origin = origin_folder(Path("/c"), "http://h")
    found = view_folder(origin, key(org_id=name, role=Role.AGENT, agent_id=name))
    assert found.is_relative_to(origin)
    assert len(found.relative_to(origin).parts) == 2
    assert all(part not in ("", ".", "..") and len(part) < 100 for part in found.parts[1:])


@pytest.mark.skipif(os.name != "posix", reason="modes of folders are a thing of POSIX")
def test_what_is_ours_is_closed_to_others_and_what_is_not_is_left_alone(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    (shared / "workspace").mkdir(parents=True)
    shared.chmod(0o755)
    (shared / "workspace").chmod(0o755)
    make_private(shared, shared / "workspace" / "a" / "b")
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (shared, *shared.rglob("*"))}
    assert modes.pop(shared) == 0o755
    assert set(modes.values()) == {0o700}
    assert len(modes) == 3


def test_a_lock_is_of_one_and_given_back(tmp_path: Path) -> None:
    with Lock(tmp_path / "lock") as first, Lock(tmp_path / "lock") as second:
        assert first.take()
        assert not second.take()
    with Lock(tmp_path / "lock") as third:
        assert third.take()
