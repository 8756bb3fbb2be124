"""Who may do what: every operation with every sort of key, on what is one's own and on what is somebody else's."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import httpx
import pytest

from assent.contract.endpoint import AnyEndpoint
from assent.contract.operations import ENDPOINTS
from tests.every import every
from tests.live import LiveService
from tests.stories.ask import Ask, collected
from tests.stories.tenant import ROLES, Reply, Tenant
from tests.tiers import deep

# a: agent, o: operator, u: auditor, m: admin; written from the product's rules, not from the endpoints.
MAY: dict[str, str] = {
    "guard": "ao m",
    "get_guard_decisions": "aoum",
    "create_action": "ao m",
    "get_actions": "aoum",
    "get_action": "aoum",
    "update_outcome": "ao m",
    "get_action_trace": "aoum",
    "record_assumption": "ao m",
    "get_assumptions": "aoum",
    "get_assumption": "aoum",
    "validate_assumption": "ao m",
    "approve_action": " o m",
    "withdraw_action": "ao m",
    "get_policies": " oum",
    "get_policy": " oum",
    "create_policy": "   m",
    "update_policy": "   m",
    "delete_policy": "   m",
    "import_policies": "   m",
    "test_policies": " oum",
    "accept_action_type": " o m",
    "events": "aoum",
    "halt": " o m",
    "resume": " o m",
    "get_halt": "aoum",
    "create_key": "   m",
    "get_keys": "   m",
    "get_key": "   m",
    "get_own_key": "aoum",
    "get_operators": " oum",
    "get_rota": " oum",
    "set_rota": "   m",
    "revoke_key": "   m",
    "create_org": "   m",
    "get_org": "   m",
    "get_data_dictionary": "aoum",
    "get_table": " oum",
    "get_pcaa_health": "aoum",
    "get_approval_insight": " oum",
    "get_decision_mix": "aoum",
    "get_readiness": " oum",
    "test_connection": " o m",
    "health": "open",
    "ready": "open",
}
ASKS = collected()
MAY |= {name: each.may for name, each in ASKS.items()}
LETTERS = {"agent": "a", "operator": "o", "auditor": "u", "admin": "m"}
BY_NAME: dict[str, AnyEndpoint[Any]] = {endpoint.operation: endpoint for endpoint in ENDPOINTS}
_numbers = itertools.count(1)
# A table has the same name everywhere; whose rows it holds is tested in test_tables_as_data.py.
# What is open by its id is so for everybody.
BY_ID = [name for name, endpoint in BY_NAME.items() if "_id}" in endpoint.path and endpoint.roles is not None]


def third(operations: Iterable[str]) -> list[Any]:
    """As parameters of a test: of every third operation in both tiers, of the others in the rest."""
    further = deep("every third operation is in the quick tier")
    both = deep("with the other operations", quick=True)
    return [pytest.param(each, marks=further if number % 3 else both) for number, each in enumerate(operations)]


def accepting(owner: Tenant, number: int) -> dict[str, str]:
    """A list that the type can go onto; it decides nothing, so that whatever else is asked stays allowed."""
    owner.policy(f"known {number}", "known_types", {"action_types": []}, mode="observe")
    return {"action_type": "look"}


def ask(operation: str, owner: Tenant) -> Ask:
    """For this operation on something that `owner` has, made for the purpose where it is used up."""
    if operation in ASKS:
        return ASKS[operation].make(owner)
    endpoint, number = BY_NAME[operation], next(_numbers)
    rules = {"action_types": ["never"]}
    policy = {"name": f"p{number}", "policy_type": "block_action_type", "rules": rules}
    bodies: dict[str, Callable[[], Any]] = {
        "guard": lambda: {"action_type": "look"},
        "create_action": lambda: {"action_type": "look"},
        "update_outcome": lambda: {"output_summary": f"seen {number}"},
        "record_assumption": lambda: {"action_id": owner.create(), "assumption": "it is so"},
        "validate_assumption": lambda: {"validated": True},
        "approve_action": lambda: {"decision": "allow"},
        "withdraw_action": lambda: {"reason": "nobody waits"},
        "create_policy": lambda: policy,
        "update_policy": lambda: {"active": False},
        "import_policies": lambda: {"pack": "default"},
        "test_policies": lambda: {"context": {"action_type": "look"}},
        "accept_action_type": lambda: accepting(owner, number),
        "halt": lambda: {"reason": "a drill"},
        "create_key": lambda: {"name": "one more"},
        "set_rota": lambda: {"groups": [{"name": f"Group {number}", "members": ["ana"]}]},
        "create_org": lambda: {"name": "new", "slug": f"new-{number}"},
    }
    path = endpoint.path.replace("{table}", "actions")
    if "{action_id}" in path:
        path = path.replace(
            "{action_id}", owner.create("pay" if operation in ("approve_action", "withdraw_action") else "look")
        )
    elif "{assumption_id}" in path:
        believed = owner.call("POST", "/api/assumptions", {"action_id": owner.create(), "assumption": "it is so"})
        path = path.replace("{assumption_id}", believed["assumption_id"])
    elif "{policy_id}" in path:
        path = path.replace("{policy_id}", owner.policy(f"own {number}", "block_action_type", rules))
    elif "{key_id}" in path:
        owner.add_key("spare", "agent")
        path = path.replace("{key_id}", owner.key_ids["spare"])
    body = bodies[operation]() if operation in bodies else None
    return Ask(path, body)


def send(tenant: Tenant, operation: str, asked: Ask, key: str | None) -> Reply:
    """The answer; of a stream, how it begins."""
    method = BY_NAME[operation].method
    if operation != "events":
        return tenant.send(method, asked.path, asked.body, key=key)
    headers = {} if key is None else {b"x-api-key": tenant.keys.get(key, key).encode()}
    with tenant.http.stream("GET", tenant.service.base_url + asked.path, headers=headers) as response:
        content = response.read() if response.status_code != 200 else b""
        return Reply(response.status_code, response.headers, content)


@pytest.fixture(scope="module")
def mine(service: LiveService, http: httpx.Client) -> Tenant:
    tenant = Tenant(service, http)
    tenant.governed()
    revoked = tenant.add_key("revoked", "admin")
    tenant.call("DELETE", f"/api/keys/{tenant.key_ids['revoked']}")
    assert revoked == tenant.keys["revoked"]
    return tenant


@pytest.fixture(scope="module")
def theirs(service: LiveService, http: httpx.Client) -> Tenant:
    tenant = Tenant(service, http)
    tenant.governed()
    return tenant


def test_the_table_is_of_all_operations_and_the_contract_says_the_same() -> None:
    assert set(MAY) == set(BY_NAME)
    for operation, letters in MAY.items():
        roles = BY_NAME[operation].roles
        assert letters == "open" if roles is None else {LETTERS[role] for role in roles} == set(letters) - {" "}, (
            operation
        )


@pytest.mark.parametrize("operation", third(BY_NAME))
def test_what_a_role_may_do_with_its_own(mine: Tenant, operation: str) -> None:
    # Only the first organization makes others, whatever the role.
    may = [
        role
        for role in ROLES
        if MAY[operation] == "open" or (LETTERS[role] in MAY[operation] and operation != "create_org")
    ]
    asked, before = ask(operation, mine), mine.recorded()
    for role in ROLES:
        if role not in may:
            reply = send(mine, operation, asked, role)
            assert (reply.status, reply.code) == (403, "forbidden"), role
    assert mine.recorded() == before
    for role in may:
        reply = send(mine, operation, ask(operation, mine), role)
        assert reply.status in BY_NAME[operation].statuses, (role, reply.content)
        if operation == "halt":
            mine.call("DELETE", "/api/halt")


@pytest.mark.parametrize("operation", third(BY_ID))
def test_what_is_another_organizations_is_not_there(mine: Tenant, theirs: Tenant, operation: str) -> None:
    asked = ask(operation, theirs)
    before = mine.recorded(), theirs.recorded()
    for role in ROLES:
        reply = send(mine, operation, asked, role)
        if LETTERS[role] in MAY[operation]:
            assert reply.status == 404, (role, reply.content)
            unknown = send(mine, operation, Ask(_renamed(operation, asked.path), asked.body), role)
            # Nothing tells a foreign id from one that nobody has.
            assert unknown.status == 404, role
            assert unknown.code == reply.code, role
        else:
            assert reply.status == 403, role
    assert (mine.recorded(), theirs.recorded()) == before


def _renamed(operation: str, path: str) -> str:
    template = BY_NAME[operation].path.split("/")
    parts = zip(template, path.split("?")[0].split("/"), strict=True)
    return "/".join("nobody_has_this" if wanted.startswith("{") else part for wanted, part in parts)


@pytest.mark.parametrize("operation", third(name for name, letters in MAY.items() if letters != "open"))
@every("key", [None, "", "assent_no_such_key", "revoked", "ä", "x" * 5000], ids=repr)
def test_without_a_valid_key_nothing_is_done(mine: Tenant, operation: str, key: str | None) -> None:
    asked = Ask(BY_NAME[operation].path, {"action_type": "look"})
    reply = send(mine, operation, asked, key)
    assert (reply.status, reply.code) == (401, "unauthorized")
    assert mine.keys["revoked"] not in reply.content.decode()


@pytest.mark.parametrize("operation", [name for name, letters in MAY.items() if letters == "open"])
def test_what_is_open_needs_no_key(mine: Tenant, operation: str) -> None:
    assert send(mine, operation, ask(operation, mine), None).status == 200


def test_the_first_organization_makes_others_and_only_its_admin(mine: Tenant, service: LiveService) -> None:
    body = {"name": "made", "slug": "made-by-the-first"}
    assert mine.send("POST", "/api/orgs", body, key=service.admin_key).status == 201
    assert mine.send("POST", "/api/orgs", body, key=service.admin_key).code == "organization_exists"


def test_a_key_bound_to_an_agent_speaks_and_sees_for_it_alone(mine: Tenant) -> None:
    mine.add_key("bound", "agent", "a-1")
    own = mine.create(key="bound")
    other = mine.create(agent_id="a-2")
    believed = mine.call("POST", "/api/assumptions", {"action_id": other, "assumption": "so"})["assumption_id"]
    assert mine.action(own)["agent_id"] == "a-1"
    for method, path, body in (
        ("GET", f"/api/actions/{other}", None),
        ("GET", f"/api/actions/{other}/trace", None),
        ("PATCH", f"/api/actions/{other}", {"status": "failed"}),
        ("POST", "/api/assumptions", {"action_id": other, "assumption": "so"}),
        ("GET", f"/api/assumptions/{believed}", None),
        ("PATCH", f"/api/assumptions/{believed}", {"validated": True}),
    ):
        assert mine.send(method, path, body, key="bound").status == 404, path
    for path in ("/api/guard", "/api/actions"):
        reply = mine.send("POST", path, {"action_type": "look", "agent_id": "a-2"}, key="bound")
        assert (reply.status, reply.code) == (403, "agent_mismatch")
    assert mine.send("GET", "/api/stream?agent_id=a-2", key="bound").code == "agent_mismatch"
    listed = mine.call("GET", "/api/actions", key="bound")
    assert [each["action_id"] for each in listed["actions"]] == [own]
    assert mine.call("GET", "/api/assumptions", key="bound")["total"] == 0
    assert {each["agent_id"] for each in mine.call("GET", "/api/guard", key="bound")["decisions"]} == {"a-1"}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/guard", {"action_type": "look"}),
        ("POST", "/api/actions", {"action_type": "look"}),
        ("POST", "/api/assumptions", {"action_id": "", "assumption": "so"}),
        ("PATCH", "/api/actions/", {"status": "completed"}),
    ],
    ids=["guard", "creation", "assumption", "outcome"],
)
@pytest.mark.parametrize(
    "member", [{"source": "import"}, {"occurred_at": "2026-01-01T00:00:00Z"}], ids=["source", "when"]
)
@pytest.mark.parametrize("role", ["agent", "operator"])
def test_history_is_recorded_by_admins_only(
    mine: Tenant, method: str, path: str, body: dict[str, Any], member: dict[str, Any], role: str
) -> None:
    action_id = mine.create()
    path += action_id if path.endswith("/") else ""
    said = body | member | ({"action_id": action_id} if "action_id" in body else {})
    before = mine.recorded()
    assert mine.send(method, path, said, key=role).code == "forbidden"
    assert mine.recorded() == before
    assert mine.send(method, path, said, key="admin").status < 300
