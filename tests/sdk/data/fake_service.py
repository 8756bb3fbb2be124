"""A stand-in for the service, spoken to by the real client over httpx's mock transport.

It keeps what it is sent and holds to what the wire promises: idempotency keys, ids that exist once, one winner per
approval, history that keeps its status. `decide` gives guard's verdict for an action type. `crash_at` ends the process
that calls: at the request of that number, before it is carried out or, with `lose_answer`, after.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any

import httpx
import msgspec

from assent import Client
from assent.cli.session import Connection
from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.problems import Code
from tests.sdk.client.doubles import bound

NOW = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
URL = "http://127.0.0.1:8484"
HERE = Connection(base_url=URL, api_key="oc_test")


class Crash(BaseException):
    """The importing process is gone."""


class Refusal(Exception):
    def __init__(self, code: Code, detail: str, **more: object) -> None:
        self.code, self.detail, self.more = code, detail, more


Route = tuple[str, str, Callable[..., tuple[int, object]]]


class FakeService:
    routes: list[Route]

    def __init__(self, decide: Callable[[str], str] = lambda _: "allow") -> None:
        self.decide = decide
        self.actions: dict[str, dict[str, Any]] = {}
        self.assumptions: dict[str, dict[str, Any]] = {}
        self.approvals: dict[str, dict[str, Any]] = {}
        self.decisions: list[str] = []
        self.creations: dict[str, tuple[bytes, str]] = {}
        self.policies: dict[str, dict[str, Any]] = {}
        self.keys: dict[str, dict[str, Any]] = {}
        self.halted: str | None = None
        self.requests: list[tuple[str, str]] = []
        self.crash_at: int | None = None
        self.crash: type[BaseException] = Crash
        self.lose_answer = False
        self.sent_keys: set[str | None] = set()
        self.on_wait: Callable[[str], None] = lambda _: None
        self._lock = Lock()

    def client(self, connection: Connection = HERE, say: Callable[[str], object] = lambda _: None) -> Client:
        http = httpx.Client(transport=httpx.MockTransport(bound(self._answer)))
        return Client(connection.base_url, connection.api_key, http=http, retries=0, say=say)

    def records(self) -> dict[str, Any]:
        """Everything that was recorded, comparable between two services."""
        return {
            "actions": self.actions,
            "assumptions": self.assumptions,
            "decisions": sorted(self.decisions),
            "approvals": self.approvals,
        }

    def _answer(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self.requests.append((request.method, request.url.path))
            self.sent_keys.add(request.headers.get("x-api-key"))
            reached = 0 if self.crash_at is None else len(self.requests) - self.crash_at + 1
            if reached > 1 or (reached == 1 and not self.lose_answer):
                raise self.crash
            try:
                status, body = self._route(request)
                answer = answered(status, body, "application/json")
            except Refusal as refusal:
                answer = problem(refusal)
            if reached == 1:
                raise self.crash
        return answer

    def _route(self, request: httpx.Request) -> tuple[int, object]:
        body = msgspec.json.decode(request.content) if request.content else {}
        for method, pattern, handler in self.routes:
            match = re.fullmatch(pattern, request.url.path)
            if match and method == request.method:
                answer: tuple[int, object] = handler(self, request, body, *match.groups())
                return answer
        raise Refusal(Code.ROUTE_NOT_FOUND, f"no {request.method} {request.url.path}")

    def create(self, request: httpx.Request, body: dict[str, Any]) -> tuple[int, object]:
        key = body.get("idempotency_key") or request.headers["idempotency-key"]
        if key in self.creations:
            sent, action_id = self.creations[key]
            if sent != request.content:
                raise Refusal(Code.IDEMPOTENCY_MISMATCH, "this key came with another body")
            return 200, self._created(action_id, replay=True)
        action_id = body.get("action_id") or f"act_{len(self.actions):032d}"
        if action_id in self.actions:
            raise Refusal(Code.ACTION_EXISTS, f"{action_id} exists")
        verdict = "block" if self.halted else self.decide(body["action_type"])
        history = body.get("source") == "import"
        self.decisions.append(f"{body['action_type']}:{verdict}:{body.get('occurred_at')}")
        status = body.get("status", "running")
        if not history:
            status = {"block": "blocked", "require_approval": "pending_approval"}.get(verdict, status)
        action = action_of(action_id, body, verdict, status)
        self.actions[action_id] = action
        self.creations[key] = (request.content, action_id)
        if status == "pending_approval":
            self.approvals[action_id] = approval_of(action)
            action["approval_id"] = self.approvals[action_id]["approval_id"]
        if status == "blocked":
            raise Refusal(Code.ACTION_BLOCKED, "no", decision=verdict_of(action), action=action)
        return 201, self._created(action_id, replay=False)

    def _created(self, action_id: str, *, replay: bool) -> object:
        action = self.actions[action_id]
        return {
            "action_id": action_id,
            "action": action,
            "decision": verdict_of(action),
            "approval": self.approvals.get(action_id),
            "idempotent_replay": replay,
        }

    def read(self, _: httpx.Request, __: object, action_id: str) -> tuple[int, object]:
        action = self._known(action_id)
        if action["status"] == "pending_approval":
            self.on_wait(action_id)
        found = [item for item in self.assumptions.values() if item["action_id"] == action_id]
        approval = self.approvals.get(action_id)
        return 200, {"action": action, "approval": approval, "assumptions": found, "open_loops": []}

    def list_actions(self, request: httpx.Request, _: object) -> tuple[int, object]:
        wanted = request.url.params.get("status")
        offset, limit = int(request.url.params.get("offset", 0)), int(request.url.params.get("limit", 50))
        fitting = [action for action in self.actions.values() if wanted in (None, action["status"])]
        stats = {"total": 0, "completed": 0, "failed": 0, "running": 0, "high_risk": 0, "avg_risk": 0, "total_cost": 0}
        page = fitting[::-1][offset : offset + limit]
        return 200, {
            "actions": page, "total": len(fitting), "stats": stats, "lastUpdated": NOW, "next_cursor": None
        }  # fmt: skip

    def close(self, _: httpx.Request, body: dict[str, Any], action_id: str) -> tuple[int, object]:
        action = self._known(action_id)
        taken = ("status", "output_summary", "error_message", "timestamp_end")
        self.actions[action_id] = {
            **action,
            "timestamp_end": body.get("occurred_at"),
            **{name: body[name] for name in taken if name in body},
            "revision": action["revision"] + 1,
        }  # fmt: skip
        return 200, {"action": self.actions[action_id]}

    def assume(self, _: httpx.Request, body: dict[str, Any]) -> tuple[int, object]:
        action = self._known(body["action_id"])
        name = body.get("assumption_id") or f"asm_{len(self.assumptions)}"
        if name in self.assumptions:
            raise Refusal(Code.ASSUMPTION_EXISTS, f"{name} exists")
        self.assumptions[name] = assumption_of(name, action, body)
        return 201, {"assumption": self.assumptions[name], "assumption_id": name}

    def approve(self, _: httpx.Request, body: dict[str, Any], action_id: str) -> tuple[int, object]:
        self._known(action_id)
        approval = self.approvals.get(action_id)
        if approval is None:
            raise Refusal(Code.NOT_AWAITING_APPROVAL, f"{action_id} does not wait")
        if approval["state"] == "expired":
            raise Refusal(Code.APPROVAL_EXPIRED, f"{action_id} has expired")
        if approval["state"] != "awaiting":
            raise Refusal(Code.ALREADY_DECIDED, "somebody was first", approval=approval)
        self.settle(action_id, body["decision"], "operator-key", body.get("reasoning"))
        minutes = body.get("valid_minutes")
        self.approvals[action_id] |= {
            "conditions": body.get("conditions", []),
            "valid_until": NOW + timedelta(minutes=5 + minutes) if minutes else None,
        }
        return 200, {"success": True, "action": self.actions[action_id], "approval": self.approvals[action_id]}

    def settle(self, action_id: str, verdict: str, by: str, reasoning: str | None = None) -> None:
        """What an operator's decision does."""
        allowed = verdict == "allow"
        self.approvals[action_id] = {
            **self.approvals[action_id],
            "state": "approved" if allowed else "denied",
            "decided_at": NOW + timedelta(minutes=5),
            "decided_by": by,
            "reasoning": reasoning,
        }
        self.actions[action_id] = {**self.actions[action_id], "status": "running" if allowed else "cancelled"}

    def _known(self, action_id: str) -> dict[str, Any]:
        if action_id not in self.actions:
            raise Refusal(Code.ACTION_NOT_FOUND, f"there is no action {action_id}")
        return self.actions[action_id]


def problem(refusal: Refusal) -> httpx.Response:
    status = refusal.code.status
    body = {
        "type": "about:blank",
        "title": refusal.code,
        "status": status,
        "detail": refusal.detail,
        "instance": "",
        "code": refusal.code,
        "errors": [],
        "error": refusal.detail,
        "details": [],
        **refusal.more,
    }
    return answered(status, body, "application/problem+json")


def answered(status: int, body: object, content: str) -> httpx.Response:
    return httpx.Response(status, content=msgspec.json.encode(body), headers={"content-type": content})


def verdict_of(action: dict[str, Any]) -> dict[str, Any]:
    verdict = action["decision"]
    return {
        "decision": verdict,
        "decision_id": action["decision_id"],
        "action_id": action["decision_id"],
        "agent_id": action["agent_id"],
        "action_type": action["action_type"],
        "reason": None,
        "reasons": [] if verdict == "allow" else [f"policy says {verdict}"],
        "warnings": [],
        "signals": [],
        "matched_policies": [],
        "would_decide": None,
        "observed_policies": [],
        "policy_version": 1,
        "risk_score": action["risk_score"],
        "agent_risk_score": None,
        "risk_breakdown": {},
        "predictive_risk": {
            "statistical": {
                "adjustment": 0,
                "failure_rate": 0,
                "total_actions": 0,
                "avg_historical_risk": None,
                "velocity": 0,
            },
            "total_adjustment": 0,
        },
        "evaluated_at": NOW,
    }


def action_of(action_id: str, body: dict[str, Any], verdict: str, status: str) -> dict[str, Any]:
    given = {name: value for name, value in body.items() if name not in ("occurred_at", "status", "risk_score")}
    return {
        **{each.name: None for each in msgspec.structs.fields(Action) if each.default is not msgspec.UNSET},
        "org_id": "org",
        "systems_touched": [],
        "side_effects": [],
        "artifacts_created": [],
        "reversible": True,
        "confidence": 50,
        "verified": False,
        "verification": "unsigned",
        "metadata": {},
        "runtime": "sdk_service",
        "source": "live",
        **given,
        "action_id": action_id,
        "decision": verdict,
        "decision_id": f"dec_{action_id}",
        "status": status,
        "risk_score": body.get("risk_score", 10),
        "timestamp_start": body.get("occurred_at", NOW),
        "created_by": "key",
        "created_at": NOW,
        "updated_at": NOW,
        "revision": 0,
    }


def approval_of(action: dict[str, Any]) -> dict[str, Any]:
    return {
        **dict.fromkeys(Approval.__struct_fields__),
        "org_id": "org",
        "approval_id": f"apr_{action['action_id']}",
        "action_id": action["action_id"],
        "agent_id": action["agent_id"],
        "action_type": action["action_type"],
        "declared_goal": action["declared_goal"],
        "risk_score": action["risk_score"],
        "reasons": ["policy says require_approval"],
        "matched_policies": ["pol_1"],
        "state": "awaiting",
        "requested_at": NOW,
        "created_at": NOW,
        "expires_at": NOW + timedelta(days=1),
        "systems_touched": action["systems_touched"],
        "conditions": [],
        "refused_claims": 0,
    }


def assumption_of(name: str, action: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    return {
        "org_id": "org",
        "agent_id": None,
        "basis": None,
        "source": "live",
        **body,
        "assumption_id": name,
        "action_type": action["action_type"],
        "validated": False,
        "invalidated": False,
        "invalidated_reason": None,
        "validated_at": None,
        "occurred_at": body.get("occurred_at", NOW),
        "created_at": NOW,
        "updated_at": NOW,
    }


ROUTES: list[Route] = [
    ("POST", "/api/actions", FakeService.create),
    ("GET", "/api/actions", FakeService.list_actions),
    ("GET", "/api/actions/([^/]+)", FakeService.read),
    ("PATCH", "/api/actions/([^/]+)", FakeService.close),
    ("POST", "/api/actions/([^/]+)/approve", FakeService.approve),
    ("POST", "/api/assumptions", FakeService.assume),
]
FakeService.routes = ROUTES
