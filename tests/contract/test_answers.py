"""What a real service answers is what the OpenAPI document says it answers: status, media type and every member."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from httpx import Response
from jsonschema import Draft202012Validator
from litestar.testing import TestClient

from assent_service.app import build
from assent_service.core.settings import Settings
from tests.openapi import openapi

ADMIN_KEY = "adm_" + "k" * 40
DESTRUCTION = {
    "action_type": "security",
    "declared_goal": "drop table customers",
    "risk_score": 99,
    "reversible": False,
    "systems_touched": ["production"],
}

Call = Callable[..., Any]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    """`call("GET", "/api/actions/{}", id, status=404)` gives the answer's data, once it fits the document."""
    home = tmp_path_factory.mktemp("home")
    with TestClient(build(Settings(home=str(home), admin_key=ADMIN_KEY)).app) as http:

        def ask(method: str, template: str, *ids: str, status: int, key: str = ADMIN_KEY, **given: Any) -> Any:
            headers = {"x-api-key": key, **given.pop("headers", {})}
            answer = http.request(method, template.format(*ids), headers=headers, **given)
            assert answer.status_code == status, answer.text
            fits(method, template, answer)
            return answer.json()

        yield ask


def fits(method: str, template: str, answer: Response) -> None:
    path = next(path for path in openapi()["paths"] if path == template or _blank(path) == template)
    declared = openapi()["paths"][path][method.lower()]["responses"]
    assert str(answer.status_code) in declared, f"{method} {path} does not declare {answer.status_code}: {answer.text}"
    content = declared[str(answer.status_code)]["content"]
    assert answer.headers["content-type"] in content
    schema = content[answer.headers["content-type"]]["schema"] | {"components": openapi()["components"]}
    check = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    assert [f"{error.json_path}: {error.message[:200]}" for error in check.iter_errors(answer.json())] == []


def _blank(path: str) -> str:
    return "/".join("{}" if part.startswith("{") else part for part in path.split("/"))


def test_guard_and_actions(call: Call) -> None:
    verdict = call("POST", "/api/guard", json={"action_type": "deploy", "of_my_own": 1}, status=200)
    assert verdict["decision"] == "allow"
    call("GET", "/api/guard", status=200)
    action_id = call("POST", "/api/actions", json={"action_type": "build", "agent_id": "a1"}, status=201)["action_id"]
    call("POST", "/api/actions", json={"action_type": "build", "action_id": action_id}, status=409)
    blocked = call("POST", "/api/actions", json=DESTRUCTION, status=403)
    assert blocked["decision"]["decision"] == "block"
    call("GET", "/api/actions", status=200)
    call("GET", "/api/actions/{}", action_id, status=200)
    call("PATCH", "/api/actions/{}", action_id, json={"status": "failed", "error_message": "no disk"}, status=200)
    call("GET", "/api/actions/{}/trace", action_id, status=200)


def test_an_approval_and_its_conflicts(call: Call) -> None:
    waiting = {"action_type": "build", "status": "pending_approval"}
    action_id = call("POST", "/api/actions", json=waiting, status=202)["action_id"]
    call("PATCH", "/api/actions/{}", action_id, json={"status": "completed"}, status=409)
    call("POST", "/api/actions/{}/approve", action_id, json={"decision": "allow"}, status=200)
    late = call("POST", "/api/approvals/{}", action_id, json={"decision": "deny"}, status=409)
    assert late["code"] == "already_decided"


def test_assumptions(call: Call) -> None:
    action_id = call("POST", "/api/actions", json={"action_type": "build"}, status=201)["action_id"]
    belief = {"action_id": action_id, "assumption": "There is room."}
    found = call("POST", "/api/assumptions", json=belief, status=201)["assumption_id"]
    call("GET", "/api/assumptions", status=200)
    call("GET", "/api/assumptions/{}", found, status=200)
    wrong = {"validated": False, "invalidated_reason": "There was none."}
    call("PATCH", "/api/actions/assumptions/{}", found, json=wrong, status=200)
    call("GET", "/api/assumptions/{}", "asm_none", status=404)


def test_policies(call: Call) -> None:
    draft = {"name": "High risk", "policy_type": "risk_threshold", "rules": {}}
    policy_id = call("POST", "/api/policies", json=draft, status=201)["policy"]["policy_id"]
    call("POST", "/api/policies", json=draft, status=409)
    call("PATCH", "/api/policies/{}", policy_id, json={"active": False}, status=200)
    call("PATCH", "/api/policies", json={"active": True}, params={"id": policy_id}, status=200)
    call("GET", "/api/policies", status=200)
    call("POST", "/api/policies/test", json={"context": {"action_type": "build"}}, status=200)
    call("POST", "/api/policies/import", json={"pack": "default"}, status=200)
    call("POST", "/api/policies/import", json={"yaml": "policies: ["}, status=400)
    call("DELETE", "/api/policies/{}", policy_id, status=200)
    call("DELETE", "/api/policies/{}", policy_id, status=404)


def test_the_kill_switch(call: Call) -> None:
    call("POST", "/api/halt", json={"reason": "It runs amok."}, status=200)
    call("POST", "/api/actions", json={"action_type": "build"}, status=403)
    call("GET", "/api/halt", status=200)
    call("DELETE", "/api/halt", status=200)


def test_keys_and_organizations(call: Call) -> None:
    made = call("POST", "/api/keys", json={"name": "robot"}, status=201)
    call("GET", "/api/keys", status=200)
    call("GET", "/api/keys", key=made["api_key"], status=403)
    call("DELETE", "/api/keys/{}", made["key"]["key_id"], status=200)
    call("GET", "/api/actions", key=made["api_key"], status=401)
    call("POST", "/api/orgs", json={"name": "Acme", "slug": "acme"}, status=201)
    call("POST", "/api/orgs", json={"name": "Acme", "slug": "acme"}, status=409)
    call("GET", "/api/orgs", status=200)


def test_health(call: Call) -> None:
    for path in ("/health", "/api/health", "/ready"):
        call("GET", path, status=200)


def test_requests_that_are_wrong(call: Call) -> None:
    call("POST", "/api/guard", content=b"{", status=400)
    call("POST", "/api/guard", content=b'{"action_type": "' + b"x" * 2_000_000 + b'"}', status=413)
    call("POST", "/api/halt", json={"reason": 1}, status=400)
    call("POST", "/api/halt", json={"reason": "x", "why": 1}, headers={"prefer": "handling=strict"}, status=400)
    call("GET", "/api/actions", params={"limit": 0}, status=400)
    call("GET", "/api/stream", params={"types": "nonsense"}, status=400)
    call("GET", "/api/actions/{}", "a%20b", status=400)
