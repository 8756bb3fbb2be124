"""A log that was cut off, and one that was rewritten, by somebody who has the disk: nothing in the data folder says so,
and the service signs what is there. A head that somebody kept tells."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.live import start_service
from tests.stories.forging import rewrite, truncate
from tests.stories.proving import VERIFY, bundle_of, failing, log_verify, offline, published_keys, whole_action
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("many starts")


@dataclass
class Kept:
    """A data folder, and what was given out of it: about an early action and about a late one."""

    home: Path
    tenant: Tenant
    early: str
    late: str
    head: dict[str, Any]
    bundles: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, http: httpx.Client) -> Kept:
    home = tmp_path_factory.mktemp("fork") / "home"
    with start_service(home) as service:
        tenant = Tenant(service, http)
        tenant.governed()
        early = whole_action(tenant)
        bundles = {early: bundle_of(tenant, early)}
        late = tenant.create(declared_goal="take the money")
        bundles[late] = bundle_of(tenant, late)
        head = tenant.call("GET", "/api/log/head")
        return Kept(home, tenant, early, late, head, bundles)


def forged(kept: Kept, home: Path, forge: Callable[[Path], int]) -> Path:
    shutil.copytree(kept.home, home)
    assert log_verify(home, kept.head["checkpoint"], at=home.parent)[0] == 0
    assert forge(home) > 0
    return home


def detail(found: dict[str, Any], name: str) -> str:
    (check,) = [each for each in found["checks"] if each["name"] == name]
    return str(check["detail"])


def test_a_truncated_log_is_told_by_an_old_head(kept: Kept, tmp_path: Path) -> None:
    home = forged(kept, tmp_path / "home", lambda path: truncate(path, kept.late))
    code, found = log_verify(home, at=tmp_path)
    assert code == 0, found
    code, found = log_verify(home, kept.head["checkpoint"], at=tmp_path)
    assert (code, found["head"][0]) == (1, "fail")
    assert "events were taken away, or it is another log" in found["head"][1]
    tenant, head = kept.tenant, kept.head
    with start_service(home) as service:
        tenant.service = service
        since = {"action_id": kept.early, "since": head["checkpoint"]}
        answer = tenant.call("POST", VERIFY, since)
        assert failing(answer) == {"consistency"}
        assert f"does not lead to the head of {head['size']} events" in detail(answer, "consistency")
        refused = tenant.send("GET", f"/api/log/consistency?from={head['size']}")
        assert (refused.status, refused.code) == (400, "invalid_query")
        assert "or it was cut off" in refused.body["detail"]
        assert tenant.send("GET", f"/api/governance/proof?action_id={kept.late}").code == "action_not_found"
        assert failing(tenant.call("POST", VERIFY, {"bundle": kept.bundles[kept.late]})) == {"log", "database_row"}
        # What is still there is proven as before.
        assert failing(tenant.call("POST", VERIFY, {"bundle": kept.bundles[kept.early]})) == set()
        while tenant.recorded() <= head["size"]:
            tenant.create(declared_goal="made instead")
        assert f"two logs of {head['size']} events" in detail(tenant.call("POST", VERIFY, since), "consistency")
        first = tenant.call("GET", f"/api/log/consistency?from={head['size']}")["first"]
        assert first["root"] != head["root"]
        own = tenant.call("GET", "/api/log/head")["checkpoint"]
    assert log_verify(home, own, at=tmp_path)[0] == 0
    code, found = log_verify(home, head["checkpoint"], at=tmp_path)
    assert (code, found["head"][0], found["heads"][0]) == (1, "fail", "pass")


def test_a_rewritten_log_is_told_by_an_old_head(kept: Kept, tmp_path: Path) -> None:
    home = forged(
        kept, tmp_path / "home", lambda path: rewrite(path, '"output_summary":"paid"', '"output_summary":"no"')
    )
    assert log_verify(home, at=tmp_path)[0] == 0
    code, found = log_verify(home, kept.head["checkpoint"], at=tmp_path)
    assert (code, found["head"][0]) == (1, "fail")
    assert "events were changed since, or it is another log" in found["head"][1]
    tenant, head = kept.tenant, kept.head
    with start_service(home) as service:
        tenant.service = service
        keys = published_keys(service, tenant.org_id)
        # The service signs the fork: by itself it is without fault.
        fork = bundle_of(tenant, kept.early, since=head["size"])
        told = offline(fork, keys)
        assert (failing(told), told["signer"]) == (set(), "trusted")
        assert told["certificate"]["outcome"]["output_summary"] == "no"
        told = offline(fork, keys, head["checkpoint"])
        assert failing(told) == {"consistency"}
        assert f"two logs of {head['size']} events" in detail(told, "consistency")
        for about in (kept.early, kept.late):
            assert failing(tenant.call("POST", VERIFY, {"action_id": about, "since": head["checkpoint"]})) == {
                "consistency"
            }
            assert "log" in failing(tenant.call("POST", VERIFY, {"bundle": kept.bundles[about]}))
        first = tenant.call("GET", f"/api/log/consistency?from={head['size']}")["first"]
        assert (first["kid"], first["size"]) == (head["kid"], head["size"])
        assert first["root"] != head["root"]
    assert log_verify(home, head["checkpoint"], at=tmp_path)[0] == 1
