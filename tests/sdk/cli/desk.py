"""The fake service with what an operator's commands need besides, and a way to run a command against it."""

from __future__ import annotations

from typing import Any

import httpx
from typer.testing import CliRunner

from assent.cli.app import app
from assent.contract.problems import Code
from tests.sdk.data.fake_service import NOW, ROUTES, FakeService, Refusal, Route, verdict_of


class Desk(FakeService):
    """Keys, policies and the kill switch; `refuse` makes every request end with that code."""

    refuse: Code | None = None

    def _route(self, request: httpx.Request) -> tuple[int, object]:
        if self.refuse is not None:
            raise Refusal(self.refuse, "as the test wants it")
        return super()._route(request)

    def run(self, *arguments: str, input: str | None = None, key: str | None = "oc_test") -> Any:
        """The command's result, with the key in the environment."""
        environment = {"ASSENT_API_KEY": key, "ASSENT_BASE_URL": None, "ASSENT_HOME": None, "COLUMNS": "200"}
        return CliRunner().invoke(app, list(arguments), obj=self.client, env=environment, input=input)

    def waits(self, action_type: str, goal: str = "do it") -> str:
        """An action that waits for approval; its id."""
        self.decide = lambda _: "require_approval"
        with self.client() as client:
            return client.create_action(action_type, goal, agent_id="agent-1").action_id

    def make_key(self, _: httpx.Request, body: dict[str, Any]) -> tuple[int, object]:
        key = {
            "org_id": "org",
            "key_id": f"key_{len(self.keys)}",
            "name": body["name"],
            "role": body.get("role", "agent"),
            "agent_id": body.get("agent_id"),
            "hint": "beef",
            "created_at": NOW,
            "created_by": "root",
            "revoked_at": None,
            "revoked_by": None,
            "any_agent": body.get("any_agent", False),
        }
        self.keys[key["key_id"]] = key
        return 201, {"key": key, "api_key": "oc_live_secretbeef"}

    def list_keys(self, _: httpx.Request, __: object) -> tuple[int, object]:
        return 200, {"keys": list(self.keys.values())}

    def revoke_key(self, _: httpx.Request, __: object, key_id: str) -> tuple[int, object]:
        if key_id not in self.keys:
            raise Refusal(Code.KEY_NOT_FOUND, f"there is no key {key_id}")
        self.keys[key_id]["revoked_at"] = NOW
        return 200, {"key": self.keys[key_id], "revoked": True}

    def make_policy(self, _: httpx.Request, body: dict[str, Any]) -> tuple[int, object]:
        policy = {
            "org_id": "org",
            "policy_id": f"pol_{len(self.policies)}",
            "active": True,
            "agent_ids": [],
            "mode": "enforce",
            **body,
            "version": 1,
            "created_at": NOW,
            "created_by": "root",
            "updated_at": NOW,
            "updated_by": "root",
            "deleted_at": None,
        }
        self.policies[policy["policy_id"]] = policy
        return 201, {"policy": policy}

    def list_policies(self, _: httpx.Request, __: object) -> tuple[int, object]:
        return 200, {"policies": list(self.policies.values()), "version": len(self.policies)}

    def change_policy(self, _: httpx.Request, body: dict[str, Any], policy_id: str) -> tuple[int, object]:
        self._known_policy(policy_id).update(body)
        return 200, {"policy": self.policies[policy_id]}

    def delete_policy(self, _: httpx.Request, __: object, policy_id: str) -> tuple[int, object]:
        self._known_policy(policy_id)
        del self.policies[policy_id]
        return 200, {"deleted": True, "policy_id": policy_id}

    def import_policies(self, _: httpx.Request, body: dict[str, Any]) -> tuple[int, object]:
        self.imported = body
        return 200, {"imported": 2, "unchanged": 1, "deleted": 0, "policies": []}

    def try_policies(self, _: httpx.Request, body: dict[str, Any]) -> tuple[int, object]:
        fine = "context" in body
        check = {"policy_id": "pol_9", "name": "odd", "passed": fine, "message": "cannot be read"}
        result = None
        if "context" in body:
            action = {"decision": "block", "decision_id": "dec_1", "agent_id": None, "risk_score": 72.5}
            result = verdict_of({**action, "action_type": body["context"]["action_type"]})
        counts = {"success": fine, "total": 1, "passed": int(fine), "failed": int(not fine)}
        return 200, {**counts, "results": [check], "result": result}

    def halt(self, request: httpx.Request, body: dict[str, Any]) -> tuple[int, object]:
        if request.method != "GET":
            self.halted = body["reason"] if request.method == "POST" else None
        changed = {"changed_at": NOW, "changed_by": "root"}
        return 200, {"halted": self.halted is not None, "reason": self.halted, **changed}

    def _known_policy(self, policy_id: str) -> dict[str, Any]:
        if policy_id not in self.policies:
            raise Refusal(Code.POLICY_NOT_FOUND, f"there is no policy {policy_id}")
        return self.policies[policy_id]


MORE: list[Route] = [
    ("POST", "/api/keys", Desk.make_key),
    ("GET", "/api/keys", Desk.list_keys),
    ("DELETE", "/api/keys/([^/]+)", Desk.revoke_key),
    ("POST", "/api/policies", Desk.make_policy),
    ("GET", "/api/policies", Desk.list_policies),
    ("PATCH", "/api/policies/([^/]+)", Desk.change_policy),
    ("DELETE", "/api/policies/([^/]+)", Desk.delete_policy),
    ("POST", "/api/policies/import", Desk.import_policies),
    ("POST", "/api/policies/test", Desk.try_policies),
    ("POST", "/api/halt", Desk.halt),
    ("GET", "/api/halt", Desk.halt),
    ("DELETE", "/api/halt", Desk.halt),
]
Desk.routes = [*ROUTES, *MORE]
