"""Old proofs outlive restarts, rotations and a restored backup; what was signed after the backup is found out."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.live import LiveService, start_service
from tests.stories.proving import VERIFY, bundle_of, checks, failing, log_verify, offline, published_keys, whole_action
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("many starts")


class History:
    """Proofs as they were given out, the oldest first."""

    def __init__(self) -> None:
        self.bundles: list[dict[str, Any]] = []
        self.heads: list[dict[str, Any]] = []

    def take(self, tenant: Tenant, action_id: str | None) -> None:
        self.bundles.append(bundle_of(tenant, action_id))
        self.heads.append(tenant.call("GET", "/api/log/head"))

    def check(self, tenant: Tenant) -> None:
        """Every one holds: offline under the newest key set, by the service, and as the beginning of today's log."""
        keys = published_keys(tenant.service, tenant.org_id)
        for bundle in self.bundles:
            found = offline(bundle, keys)
            assert (failing(found), found["signer"]) == (set(), "trusted")
            assert failing(tenant.call("POST", VERIFY, {"bundle": bundle})) == set()
        for head in self.heads:
            assert tenant.call("GET", f"/api/log/head?size={head['size']}")["root"] == head["root"]
            grown = tenant.call("GET", f"/api/log/consistency?from={head['size']}")
            assert grown["first"]["root"] == head["root"]


def moved(tenant: Tenant, service: LiveService) -> Tenant:
    """The same organization after a restart."""
    tenant.service = service
    return tenant


@pytest.fixture
def homes(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "home", tmp_path / "backup"


def test_restarts_rotations_and_a_restored_backup(homes: tuple[Path, Path], http: httpx.Client, tmp_path: Path) -> None:
    home, backup = homes
    before, after = History(), History()
    with start_service(home) as service:
        tenant = Tenant(service, http)
        tenant.governed()
        action_id = whole_action(tenant)
        before.take(tenant, action_id)
        for reason in ("yearly", "again"):
            retired = tenant.call("POST", "/api/signing-keys/rotate", {"reason": reason})["retired"]
            assert retired["kid"] == before.heads[-1]["kid"]
            before.take(tenant, action_id)
            before.take(tenant, None)
        assert len({head["kid"] for head in before.heads}) == 3
        before.check(tenant)
    with start_service(home) as service:
        moved(tenant, service)
        before.check(tenant)
        service.kill()
    shutil.copytree(home, backup)
    with start_service(home) as service:
        lost = moved(tenant, service).create(declared_goal="made after the backup")
        after.take(tenant, lost)
        before.check(tenant)
        after.check(tenant)
    assert log_verify(home, after.heads[-1]["checkpoint"], at=tmp_path)[0] == 0
    shutil.rmtree(home)
    shutil.copytree(backup, home)
    with start_service(home) as service:
        before.check(moved(tenant, service))
        the_end_is_missing(tenant, after)
        while tenant.recorded() <= after.heads[-1]["size"]:
            tenant.create(declared_goal="made instead")
        before.check(tenant)
        history_is_another(tenant, action_id, after)
    for head in before.heads:
        assert log_verify(home, head["checkpoint"], at=tmp_path)[0] == 0
    code, found = log_verify(home, after.heads[-1]["checkpoint"], at=tmp_path)
    assert code == 1
    assert {name for name, (status, _) in found.items() if status == "fail"} == {"head"}
    assert "events were changed since, or it is another log" in found["head"][1]


def the_end_is_missing(tenant: Tenant, after: History) -> None:
    """Right after the backup was put back: what was given out later is longer than the log."""
    head, bundle = after.heads[-1], after.bundles[-1]
    refused = tenant.send("GET", f"/api/log/consistency?from={head['size']}")
    assert (refused.status, refused.code, refused.places) == (400, "invalid_query", ["size"])
    assert "this is not the log that it is of, or it was cut off" in refused.body["detail"]
    found = tenant.call("POST", VERIFY, {"bundle": bundle})
    assert failing(found) == {"log", "database_row"}
    (check,) = [each for each in found["checks"] if each["name"] == "log"]
    assert "it was cut off since, or it is another one" in check["detail"]


def history_is_another(tenant: Tenant, action_id: str, after: History) -> None:
    """Once the restored log has grown beyond it: the same size, another root."""
    head, bundle = after.heads[-1], after.bundles[-1]
    found = tenant.call("POST", VERIFY, {"action_id": action_id, "since": head["checkpoint"]})
    assert failing(found) == {"consistency"}
    (check,) = [each for each in found["checks"] if each["name"] == "consistency"]
    assert f"There are two logs of {head['size']} events" in check["detail"]
    first = tenant.call("GET", f"/api/log/consistency?from={head['size']}")["first"]
    assert (first["size"], first["root"] == head["root"]) == (head["size"], False)
    assert failing(tenant.call("POST", VERIFY, {"bundle": bundle})) == {"log", "database_row"}
    # Nothing is wrong with what was signed: only whoever compares it with the log sees that this is another one.
    assert checks(offline(bundle, published_keys(tenant.service, tenant.org_id)))["inclusion"] == "pass"
