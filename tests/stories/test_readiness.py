"""From a new organization to a verified one, over real HTTP; and what it says while its tables cannot follow."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assent.errors import Forbidden
from assent.spool import Spool
from tests.live import WAIT, LiveService, start_service
from tests.stories.load import Load, set_policies
from tests.stories.tenant import Tenant
from tests.stories.tmpfs import KILOBYTE, MEGABYTE, small_disk
from tests.tiers import deep


def doctor(
    tenant: Tenant, *arguments: str, role: str = "operator", spool: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """`assent doctor` as a process of its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
    environment |= {"ASSENT_BASE_URL": tenant.service.base_url, "ASSENT_API_KEY": tenant.keys[role]}
    environment |= {} if spool is None else {"ASSENT_SPOOL": str(spool)}
    command = [str(Path(sys.executable).with_name("assent")), "doctor", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=WAIT, check=False)


def status(found: dict[str, Any], name: str) -> str:
    return str(next(check["status"] for check in found["checks"] if check["name"] == name))


def test_a_new_organization_is_verified_by_a_test_and_stays_so_in_use(tenant: Tenant) -> None:
    fresh = tenant.call("GET", "/api/readiness", key="auditor")
    if status(fresh, "disk") != "pass":
        pytest.skip("the disk of this machine is nearly full, which is what readiness says too")
    assert (fresh["state"], fresh["last_test"]) == ("needs_attention", None)
    shared = next(check for check in fresh["checks"] if check["name"] == "agent_keys")
    assert shared["status"] == "warn"
    assert f"the agent ({tenant.key_ids['agent']})" in shared["detail"]
    tenant.call("DELETE", f"/api/keys/{tenant.key_ids['agent']}")
    assert tenant.call("GET", "/api/readiness")["state"] == "ready_unverified"

    with tenant.client("operator", agent_id=None) as client:
        tested = client.test_connection("smoke_test", "See whether an action gets through")
        assert (tested.passed, tested.action.status, tested.action.agent_id) == (
            True,
            "completed",
            "assent-connection-test",
        )
        assert [step.name for step in tested.steps] == ["guard", "log", "tables", "stream", "outcome"]
        assert 0 < tested.steps[-1].milliseconds < WAIT * 1000
        for _ in range(24):
            with client.track("look", "Look around", agent_id="bot"):
                pass
        found = client.get_readiness()
    assert found.state == "verified", found.next_step
    assert [(share.name, share.count, share.n) for share in found.shares] == [
        ("governed", 25, 25),
        ("approval", 0, 0),
        ("proof", 0, 0),
    ]
    assert found.last_test is not None
    assert found.last_test.action_id == tested.action.action_id

    tenant.call("POST", "/api/halt", {"reason": "a drill"})
    assert tenant.call("GET", "/api/readiness")["state"] == "needs_attention"
    tenant.call("DELETE", "/api/halt")
    assert tenant.call("GET", "/api/readiness")["state"] == "verified"


def test_an_agent_may_not_look_and_an_auditor_may_not_test(tenant: Tenant) -> None:
    with tenant.client("agent") as client, pytest.raises(Forbidden):
        client.get_readiness()
    with tenant.client("auditor") as client:
        assert client.get_readiness().checks
        with pytest.raises(Forbidden):
            client.test_connection()


def test_the_doctor_says_what_a_policy_stopped(tenant: Tenant) -> None:
    tenant.policy("Nothing goes out", "block_action_type", {"action_types": ["connection_test"]})
    stopped = doctor(tenant, "--test")
    assert stopped.returncode == 1, stopped.stderr
    assert "Nothing goes out" in stopped.stdout
    assert "did not pass" in stopped.stderr
    looked = doctor(tenant, role="auditor")
    assert (looked.returncode, looked.stderr) == (0, "")
    assert "test\tnewest\tfail" in looked.stdout


def test_the_doctor_with_an_agents_key_is_content_and_delivers_nothing(tenant: Tenant, tmp_path: Path) -> None:
    with tenant.client("agent") as client:
        action = client.create_action("report", "Count the pods")
    base_url, key = tenant.service.base_url, tenant.keys["agent"]
    spool = Spool(tmp_path / "spool", base_url, key, 10_000)
    body = json.dumps({"status": "completed"})
    path = f"/api/actions/{action.action_id}"
    request = {"method": "PATCH", "path": path, "idempotency_key": "kept-1", "body": body}
    name = spool.keep(action.action_id, request)
    looked = doctor(tenant, role="agent", spool=spool.folder)
    assert (looked.returncode, looked.stderr) == (0, ""), looked.stdout
    assert spool.names() == [name]
    assert f"deleting their folder: {spool.lane}" in looked.stdout
    assert tenant.call("GET", path)["action"]["status"] == "running"


@deep("a disk of its own")
def test_tables_that_cannot_follow_block_until_there_is_room_again(tmp_path: Path) -> None:
    with small_disk(tmp_path / "home", 12 * MEGABYTE) as disk:
        (tmp_path / "log").mkdir()
        (tmp_path / "home" / "log").symlink_to(tmp_path / "log")
        service = start_service(tmp_path / "home")
        try:
            set_policies(service)
            disk.fill(leave=600 * KILOBYTE)
            load = Load(service, "full", connections=4)
            until(lambda: status(readiness(service), "tables") == "fail")
            load.stop()
            disk.fill()
            found = readiness(service)
            assert found["state"] == "blocked"
            assert {share["available"] for share in found["shares"]} == {False}
            code, tested = service.call("POST", "/api/readiness/test", {})
            assert (code, tested["passed"], tested["action"]["status"]) == (200, False, "failed")
            assert [step["name"] for step in tested["steps"] if step["status"] == "fail"] == ["log", "tables"]
            disk.free()
            until(lambda: service.call("GET", "/api/actions?limit=1")[0] == 200)
            assert status(readiness(service), "tables") == "pass"
            last = readiness(service)["last_test"]
            assert (last["action_id"], last["passed"]) == (tested["action"]["action_id"], False)
            assert service.call("POST", "/api/readiness/test", {})[1]["passed"]
        finally:
            service.kill()


def readiness(service: LiveService) -> dict[str, Any]:
    code, found = service.call("GET", "/api/readiness")
    assert code == 200, found
    return found


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
