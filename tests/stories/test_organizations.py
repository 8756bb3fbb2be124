"""Organizations share a service and never learn of each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.live import LiveService
from tests.stories.tenant import Tenant


@pytest.fixture
def pair(new_tenant: Callable[[], Tenant]) -> tuple[Tenant, Tenant]:
    one, other = new_tenant(), new_tenant()
    one.governed()
    return one, other


def events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """The events of a stream, `name` and `data`."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield {"name": name, "data": json.loads(line.removeprefix("data: "))}


def test_lists_hold_nothing_of_another_organization(pair: tuple[Tenant, Tenant]) -> None:
    one, other = pair
    action_id = one.create("pay")
    one.call("POST", "/api/assumptions", {"action_id": action_id, "assumption": "it is so"})
    for path, members in (
        ("/api/actions", ("actions", "total")),
        ("/api/assumptions", ("assumptions", "total")),
        ("/api/guard", ("decisions", "total")),
    ):
        for key in ("agent", "operator", "auditor", "admin"):
            found = other.call("GET", path, key=key)
            assert [found[member] for member in members] == [[], 0], path
    assert len(other.call("GET", "/api/keys")["keys"]) == 4
    assert {key["org_id"] for key in other.call("GET", "/api/keys")["keys"]} == {other.org_id}
    names = [policy["name"] for policy in other.call("GET", "/api/policies")["policies"]]
    assert "Nobody wipes" not in names
    assert [org["org_id"] for org in other.call("GET", "/api/orgs")["organizations"]] == [other.org_id]


def test_a_stream_is_silent_about_another_organization(pair: tuple[Tenant, Tenant]) -> None:
    one, other = pair
    headers = {"x-api-key": other.keys["admin"]}
    with other.http.stream("GET", f"{other.service.base_url}/api/stream", headers=headers) as response:
        heard = events(response.iter_lines())
        assert next(heard)["name"] == "connected"
        action_id = one.create("pay")
        one.call("POST", f"/api/actions/{action_id}/approve", {"decision": "deny"})
        own = other.create()
        # The decision and the action of its own, and nothing before them.
        decided, created = next(heard), next(heard)
    assert (decided["name"], created["name"]) == ("guard.decision.created", "action.created")
    assert (decided["data"]["org_id"], created["data"]["org_id"]) == (other.org_id, other.org_id)
    assert created["data"]["action_id"] == own


def test_a_stream_cannot_be_resumed_with_another_organizations_number(pair: tuple[Tenant, Tenant]) -> None:
    one, other = pair
    for _ in range(5):
        one.create()
    number = one.recorded() - 1
    assert number >= other.recorded()
    assert other.send("GET", f"/api/stream?lastEventId={number}").code == "invalid_query"


def test_policies_the_halt_and_limits_hold_at_home(pair: tuple[Tenant, Tenant]) -> None:
    one, other = pair
    wipe = {"action_type": "wipe"}
    assert one.call("POST", "/api/guard", wipe)["decision"] == "block"
    assert other.call("POST", "/api/guard", wipe)["decision"] == "allow"
    one.call("POST", "/api/halt", {"reason": "a drill"})
    assert other.call("GET", "/api/halt")["halted"] is False
    assert other.call("POST", "/api/guard", wipe)["decision"] == "allow"
    limit = {"max_actions": 1, "window_minutes": 5, "action": "block"}
    other.policy("Once", "rate_limit", limit)
    one.call("DELETE", "/api/halt")
    one.create("look", agent_id="bot")
    assert other.call("POST", "/api/guard", {"action_type": "look", "agent_id": "bot"})["decision"] == "allow"


def test_the_same_ids_and_keys_mean_two_things(pair: tuple[Tenant, Tenant]) -> None:
    one, other = pair
    body = {"action_type": "look", "action_id": "act_same", "idempotency_key": "job"}
    first, second = one.call("POST", "/api/actions", body), other.call("POST", "/api/actions", body)
    assert (first["idempotent_replay"], second["idempotent_replay"]) == (False, False)
    one.call("PATCH", "/api/actions/act_same", {"status": "failed", "error_message": "here"})
    assert other.action("act_same")["status"] == "running"
    assert one.action("act_same")["error_message"] == "here"
    believed = {"action_id": "act_same", "assumption": "it is so", "assumption_id": "asm_same"}
    for tenant in pair:
        tenant.call("POST", "/api/assumptions", believed)
    one.call("PATCH", "/api/assumptions/asm_same", {"validated": True})
    assert other.call("GET", "/api/assumptions/asm_same")["assumption"]["validated"] is False
    assert other.call("GET", "/api/actions/act_same")["assumptions"][0]["validated"] is False


def test_a_decision_or_a_parent_of_another_organization_is_of_no_use(pair: tuple[Tenant, Tenant]) -> None:
    one, other = pair
    decision = one.call("POST", "/api/guard", {"action_type": "look"})["decision_id"]
    used = other.send("POST", "/api/actions", {"action_type": "look", "decision_id": decision})
    assert used.code == "decision_unusable"
    parent = one.create()
    child = other.create(parent_action_id=parent)
    assert other.call("GET", f"/api/actions/{child}/trace")["trace"]["parent_chain"] == []
    assert one.call("GET", f"/api/actions/{parent}/trace")["trace"]["sub_actions"] == []


def test_a_revoked_key_is_refused_at_once_and_its_streams_end(tenant: Tenant) -> None:
    tenant.add_key("leaked", "agent")
    headers = {"x-api-key": tenant.keys["leaked"]}
    with tenant.http.stream("GET", f"{tenant.service.base_url}/api/stream", headers=headers) as response:
        heard = events(response.iter_lines())
        assert next(heard)["name"] == "connected"
        tenant.call("DELETE", f"/api/keys/{tenant.key_ids['leaked']}")
        assert tenant.send("POST", "/api/guard", {"action_type": "look"}, key="leaked").status == 401
        assert list(heard) == []


def test_the_last_admin_key_stays(tenant: Tenant) -> None:
    only = tenant.key_ids["admin"]
    assert tenant.send("DELETE", f"/api/keys/{only}").code == "last_admin_key"
    tenant.add_key("second", "admin")
    assert tenant.send("DELETE", f"/api/keys/{only}").status == 200
    assert tenant.send("GET", "/api/keys").status == 401


def test_no_secret_is_shown_twice_or_kept(tenant: Tenant, service: LiveService) -> None:
    listed = tenant.send("GET", "/api/keys").content.decode()
    kept = b"".join(file.read_bytes() for file in service.home.rglob("*") if file.is_file())
    for name, secret in tenant.keys.items():
        assert secret not in listed, name
        assert secret.encode() not in kept, name
        assert secret not in service.output, name


def test_the_first_admins_key_is_in_a_file_of_its_owner(service: LiveService, http: httpx.Client) -> None:
    file = service.home / "admin.key"
    assert file.stat().st_mode & 0o777 == 0o600
    key = file.read_text().strip()
    assert http.get(f"{service.base_url}/api/keys", headers={"x-api-key": key}).status_code == 200
