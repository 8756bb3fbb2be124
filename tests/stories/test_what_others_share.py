"""A key that is bound to an agent changes nothing that another agent shares, unless it takes part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from assent.contract.exchange.records import KINDS, REQUESTS
from assent.contract.operations import ENDPOINTS
from tests.live import LiveService
from tests.stories.ask import collected
from tests.stories.tenant import Tenant


@dataclass(frozen=True)
class Shared:
    """What `owner` makes is changed by `method` on the path that its answer gives, or refused."""

    make: tuple[str, str, dict[str, Any]]
    id_of: Callable[[dict[str, Any]], str]
    method: str
    path: str
    body: dict[str, Any] | None
    refused: tuple[int, str]


NOT_THERE, MISMATCH = "not_found", "agent_mismatch"
THREAD = ("POST", "/api/messages/threads", {"name": "ours"})
PRIVATE_THREAD = ("POST", "/api/messages/threads", {"name": "ours", "participants": ["a", "c"]})
SNIPPET = ("POST", "/api/snippets", {"name": "tidy", "code": "1"})
ROUTING = ("POST", "/api/routing/agents", {"name": "worker", "capabilities": ["x"]})
TASK = ("POST", "/api/routing/tasks", {"title": "do it", "required_skills": ["nobody has it"]})
CONTEXT = ("POST", "/api/context/threads", {"name": "mine"})
ACTION = ("POST", "/api/actions", {"action_type": "look"})

NOUNS: dict[str, Shared] = {
    "message thread": Shared(
        THREAD, lambda made: str(made["thread_id"]), "PATCH", "/api/messages/threads",
        {"thread_id": "{id}", "status": "resolved", "summary": "mine now"}, (403, MISMATCH),
    ),
    "message thread of others": Shared(
        PRIVATE_THREAD, lambda made: str(made["thread_id"]), "PATCH", "/api/messages/threads",
        {"thread_id": "{id}", "status": "resolved", "summary": "mine now"}, (404, NOT_THERE),
    ),
    "snippet": Shared(
        SNIPPET, lambda made: str(made["snippet_id"]), "DELETE", "/api/snippets/{id}", None, (403, MISMATCH)
    ),
    "snippet by its name": Shared(
        SNIPPET, lambda made: str(made["snippet_id"]), "POST", "/api/snippets",
        {"name": "tidy", "code": "evil()"}, (403, MISMATCH),
    ),
    "routing agent": Shared(
        ROUTING, lambda made: str(made["agent"]["agent_id"]), "DELETE", "/api/routing/agents/{id}", None,
        (403, MISMATCH),
    ),
    "routing agent by its name": Shared(
        ROUTING, lambda made: str(made["agent"]["agent_id"]), "POST", "/api/routing/agents",
        {"name": "worker", "capabilities": []}, (403, MISMATCH),
    ),
    "task": Shared(
        TASK, lambda made: str(made["task_id"]), "POST", "/api/routing/tasks/{id}/complete", {"success": True},
        (403, MISMATCH),
    ),
    "context thread": Shared(
        CONTEXT, lambda made: str(made["thread_id"]), "PATCH", "/api/context/threads/{id}", {"status": "closed"},
        (404, NOT_THERE),
    ),
    "action": Shared(
        ACTION, lambda made: str(made["action_id"]), "PATCH", "/api/actions/{id}", {"status": "failed"},
        (404, NOT_THERE),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def house(service: LiveService, http: httpx.Client) -> Tenant:
    tenant = Tenant(service, http)
    for name in "abc":
        tenant.add_key(name, "agent", name)
    return tenant


def change(tenant: Tenant, noun: Shared, found: str, key: str) -> Any:
    body = None if noun.body is None else {
        name: found if value == "{id}" else value for name, value in noun.body.items()
    }  # fmt: skip
    return tenant.send(noun.method, noun.path.replace("{id}", found), body, key=key)


@pytest.mark.parametrize("name", NOUNS)
def test_another_agent_s_is_not_changed_and_one_s_own_is(house: Tenant, name: str) -> None:
    noun = NOUNS[name]
    method, path, body = noun.make
    found = noun.id_of(house.call(method, path, body, key="a"))
    before = house.recorded()
    reply = change(house, noun, found, "b")
    status, code = noun.refused
    assert reply.status == status, reply.content
    assert code in reply.code
    assert house.recorded() == before, "nothing happened"
    assert change(house, noun, found, "a").status < 300
    if noun.method == "DELETE":
        found = noun.id_of(house.call(method, path, body, key="a"))
    assert change(house, noun, found, "operator").status in (200, 201, 409), "operators may"


def test_whoever_takes_part_may_resolve_a_thread(house: Tenant) -> None:
    def resolve(thread_id: str, key: str) -> int:
        body = {"thread_id": thread_id, "status": "resolved"}
        return house.send("PATCH", "/api/messages/threads", body, key=key).status

    within = house.call("POST", "/api/messages/threads", {"name": "x", "participants": ["b"]}, key="a")["thread_id"]
    assert resolve(within, "b") == 200, "a participant"
    everybodys = house.call("POST", "/api/messages/threads", {"name": "y"}, key="a")["thread_id"]
    assert resolve(everybodys, "b") == 403
    house.call("POST", "/api/messages", {"to": "a", "body": "me too", "thread_id": everybodys}, key="b")
    assert resolve(everybodys, "b") == 403, "anybody may write in it, and that makes nobody a participant"
    assert resolve(everybodys, "a") == 200, "who opened it"
    others = house.call("POST", "/api/messages/threads", {"name": "z"}, key="a")["thread_id"]
    assert resolve(others, "operator") == 200


def test_what_is_used_by_others_may_be_used_by_others(house: Tenant) -> None:
    made = house.call("POST", "/api/snippets", {"name": "shared", "code": "1"}, key="a")["snippet_id"]
    assert house.call("POST", f"/api/snippets/{made}/use", {}, key="b")["snippet"]["use_count"] == 1
    nobodys = house.call("POST", "/api/snippets", {"name": "nobody's", "code": "1"}, key="operator")["snippet_id"]
    assert house.send("DELETE", f"/api/snippets/{nobodys}", key="b").status == 200


SHARED = [kind for kind in KINDS.values() if kind.shared and f"update_{kind.name}" in collected()]


@pytest.mark.parametrize("kind", SHARED, ids=lambda kind: kind.name)
def test_every_kind_that_is_shared_is_changed_by_its_agent(house: Tenant, kind: Any) -> None:
    """What an operator keeps is nobody's, and anybody's; the same kept for an agent is that agent's."""
    nobodys = collected()[f"update_{kind.name}"].make(house)
    assert house.send("PATCH", nobodys.path, nobodys.body, key="b").status == 200
    known = house.call("GET", kind.path)[kind.plural][0]
    kept = {name: value for name, value in known.items() if name in REQUESTS[kind.name].__struct_fields__}
    made = house.call("POST", kind.path, {**kept, kind.named or "name": f"of a {kind.name}", "agent_id": "a"})
    path = f"{kind.path}/{made[kind.id_name]}"
    served = {each.method for each in ENDPOINTS if each.path == kind.one} & {"PATCH", "DELETE"}
    for method in sorted(served, reverse=True):
        body = nobodys.body if method == "PATCH" else None
        refused = house.send(method, path, body, key="b")
        assert (refused.status, refused.code) == (403, "agent_mismatch"), refused.content
        assert house.send(method, path, body, key="a").status == 200
