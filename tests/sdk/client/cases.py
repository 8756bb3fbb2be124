"""What every operation sends and is answered, written down by hand from the wire."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from assent import ActionStatus
from tests.sdk.client import samples


@dataclass
class Case:
    operation: str
    method: str
    target: str
    body: Any = None
    answer: Any = None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict[str, Any])
    status: int = 200
    key: str | None = None
    same: str = ""

    def __str__(self) -> str:
        return f"{self.operation}{self.same}"


WHEN = datetime(2026, 11, 1, 12, 30, tzinfo=UTC)
PENDING = "/api/actions?status=pending_approval&limit=20&offset=0"
CREATION = {"action_type": "deploy", "declared_goal": "ship it", "agent_id": "agent-7"}

CASES = [
    Case(
        "guard",
        "POST",
        "/api/guard",
        {"agent_id": "agent-7", "action_type": "deploy", "ticket": 7, "risk_score": 30},
        samples.decision(),
        ({"action_type": "deploy", "ticket": 7},),
        {"risk_score": 30, "declared_goal": None},
    ),
    Case(
        "guard",
        "POST",
        "/api/guard",
        {"agent_id": "other", "action_type": "deploy"},
        samples.decision("warn"),
        ({"action_type": "read", "agent_id": "other"},),
        {"action_type": "deploy"},
        same=" of another agent",
    ),
    Case(
        "get_guard_decisions",
        "GET",
        "/api/guard?decision=block&limit=10&offset=30&agent_id=a%20b%26c&days=7",
        answer=samples.DECISIONS,
        args=("block", 10, 30, "a b&c"),
        kwargs={"days": 7},
    ),
    Case(
        "create_action",
        "POST",
        "/api/actions",
        CREATION,
        samples.created(),
        ("deploy", "ship it"),
        status=201,
        key="key-1",
    ),
    Case(
        "create_action",
        "POST",
        "/api/actions",
        {
            "action_type": "deploy",
            "agent_id": "other",
            "systems_touched": ["db", "api"],
            "reversible": False,
            "metadata": {"a": None},
            "occurred_at": "2026-11-01T12:30:00Z",
            "_signature": "c2ln",
            "idempotency_key": "mine é",
            "ticket": 7,
        },
        samples.created("pending_approval"),
        ("deploy",),
        {
            "agent_id": "other",
            "systems_touched": ("db", "api"),
            "reversible": False,
            "metadata": {"a": None},
            "occurred_at": WHEN,
            "signature": "c2ln",
            "idempotency_key": "mine é",
            "context": {"ticket": 7, "action_type": "loses to the parameter"},
        },
        status=202,
        same=" with everything",
    ),
    Case("get_action", "GET", "/api/actions/act_0192", answer=samples.detail("running"), args=("act_0192",)),
    Case(
        "get_actions",
        "GET",
        "/api/actions?status=failed&decision_id=dec_1&risk_min=70.5&limit=5&cursor=a%2Fb%2B%3D",
        answer=samples.ACTIONS,
        kwargs={"status": "failed", "decision_id": "dec_1", "risk_min": 70.5, "limit": 5, "cursor": "a/b+="},
    ),
    Case(
        "update_outcome",
        "PATCH",
        "/api/actions/act_0192",
        {"status": "completed", "output_summary": "done", "duration_ms": 0},
        {"action": samples.action("completed")},
        ("act_0192", "completed"),
        {"output_summary": "done", "duration_ms": 0, "model": None},
    ),
    Case(
        "update_outcome",
        "PATCH",
        "/api/actions/act_0192",
        {"status": "failed", "errorMessage": "no", "tokens_in": 3},
        {"action": samples.action("failed")},
        ("act_0192", {"status": "failed", "errorMessage": "no"}),
        {"tokens_in": 3},
        same=" as a mapping",
    ),
    Case("get_action_trace", "GET", "/api/actions/act_0192/trace", answer=samples.TRACE, args=("act_0192",)),
    Case(
        "record_assumption",
        "POST",
        "/api/assumptions",
        {"assumption": "it is night", "action_id": "act_0192", "basis": "clock"},
        {"assumption": samples.assumption(), "assumption_id": "asm_1"},
        ("it is night",),
        {"action_id": "act_0192", "basis": "clock"},
        status=201,
    ),
    Case(
        "record_assumption",
        "POST",
        "/api/assumptions",
        {"assumption": "it is night", "action_id": "act_0192"},
        {"assumption": samples.assumption(), "assumption_id": "asm_1"},
        ({"assumption": "it is night", "action_id": "act_0192"},),
        status=201,
        same=" as a mapping",
    ),
    Case(
        "register_assumption",
        "POST",
        "/api/assumptions",
        {"assumption": "it is night", "action_id": "act_0192", "validated": False},
        {"assumption": samples.assumption(), "assumption_id": "asm_1"},
        ("act_0192", "it is night"),
        {"validated": False},
        status=201,
    ),
    Case(
        "get_assumption", "GET", "/api/assumptions/asm_1", answer={"assumption": samples.assumption()}, args=("asm_1",)
    ),
    Case(
        "get_assumptions",
        "GET",
        "/api/assumptions?action_id=act_0192&validated=false",
        answer=samples.ASSUMPTIONS,
        kwargs={"action_id": "act_0192", "validated": False},
    ),
    Case(
        "validate_assumption",
        "PATCH",
        "/api/assumptions/asm_1",
        {"validated": False, "invalidated_reason": "it was day"},
        {"assumption": samples.assumption(invalidated=True)},
        ("asm_1", False, "it was day"),
    ),
    Case(
        "approve_action",
        "POST",
        "/api/actions/act_0192/approve",
        {"decision": "deny", "reasoning": "not on a Friday"},
        {"success": True, "action": samples.action("cancelled"), "approval": samples.approval("denied")},
        ("act_0192", "deny", "not on a Friday"),
        key="key-1",
    ),
    Case(
        "approve_action",
        "POST",
        "/api/actions/act_0192/approve",
        {"decision": "allow"},
        {"success": True, "action": samples.action(), "approval": samples.approval("approved")},
        ("act_0192", "allow"),
        {"idempotency_key": "mine"},
        key="mine",
        same=" with a key",
    ),
    Case("get_pending_approvals", "GET", PENDING, answer=samples.ACTIONS),
    Case("halt", "POST", "/api/halt", {"reason": "fire"}, samples.HALT, ("fire",)),
    Case("resume", "DELETE", "/api/halt", answer=samples.HALT),
    Case("get_halt", "GET", "/api/halt", answer=samples.HALT),
    Case("get_policies", "GET", "/api/policies", answer={"policies": [samples.policy()], "version": 2}),
    Case(
        "create_policy",
        "POST",
        "/api/policies",
        {
            "name": "ask at 80",
            "policy_type": "risk_threshold",
            "rules": {"threshold": 80},
            "active": True,
            "agent_ids": ["a"],
            "mode": "observe",
        },
        {"policy": samples.policy()},
        ("ask at 80", "risk_threshold", {"threshold": 80}),
        {"agent_ids": ["a"], "mode": "observe"},
        status=201,
    ),
    Case(
        "update_policy",
        "PATCH",
        "/api/policies/pol_1",
        {"active": False, "agent_ids": []},
        {"policy": samples.policy()},
        ("pol_1",),
        {"active": False, "agent_ids": []},
    ),
    Case(
        "delete_policy",
        "DELETE",
        "/api/policies/pol_1",
        answer={"deleted": True, "policy_id": "pol_1"},
        args=("pol_1",),
    ),
    Case(
        "import_policies",
        "POST",
        "/api/policies/import",
        {"pack": "default", "replace": True},
        {"imported": 3, "unchanged": 0, "deleted": 1, "policies": [samples.policy()]},
        kwargs={"pack": "default", "replace": True},
    ),
    Case(
        "import_policies",
        "POST",
        "/api/policies/import",
        {"yaml": "policies: []"},
        {"imported": 0, "unchanged": 0, "deleted": 0, "policies": []},
        ("policies: []",),
        same=" as text",
    ),
    Case(
        "test_policies",
        "POST",
        "/api/policies/test",
        {"context": {"action_type": "deploy"}, "policies": [{"name": "p"}]},
        {"success": True, "total": 0, "passed": 0, "failed": 0, "results": [], "result": samples.decision()},
        ({"action_type": "deploy"}, [{"name": "p"}]),
    ),
    Case(
        "create_key",
        "POST",
        "/api/keys",
        {"name": "ci", "role": "operator", "agent_id": "agent-7"},
        {"key": samples.key(), "api_key": "sk_new"},
        ("ci", "operator", "agent-7"),
        status=201,
    ),
    Case("get_keys", "GET", "/api/keys", answer={"keys": [samples.key()]}),
    Case("get_own_key", "GET", "/api/keys/own", answer=samples.key()),
    Case("revoke_key", "DELETE", "/api/keys/key_1", answer={"key": samples.key(), "revoked": True}, args=("key_1",)),
    Case(
        "create_org",
        "POST",
        "/api/orgs",
        {"name": "Acme", "slug": "acme"},
        {"organization": samples.ORGANIZATION, "key": samples.key(), "api_key": "sk_new"},
        ("Acme", "acme"),
        status=201,
    ),
    Case("get_org", "GET", "/api/orgs", answer={"organizations": [samples.ORGANIZATION]}),
    Case("get_data_dictionary", "GET", "/api/data", answer=samples.DICTIONARY),
    Case("get_table", "GET", "/api/data/events?format=arrow", answer=samples.TABLE, args=("events",)),
    Case(
        "get_table",
        "GET",
        "/api/data/actions?window=7d&agent_id=a%20b%26c&action_type=deploy&source=import&status=failed&decision=allow"
        "&columns=action_id%2Cstatus&format=csv",
        answer=samples.TABLE,
        args=("actions", "7d", "csv", ["action_id", "status"]),
        kwargs={
            "agent_id": "a b&c",
            "action_type": "deploy",
            "source": "import",
            "status": ActionStatus.FAILED,
            "decision": "allow",
        },
        same=" in part",
    ),
    Case("get_readiness", "GET", "/api/readiness", answer=samples.READINESS),
    Case(
        "test_connection",
        "POST",
        "/api/readiness/test",
        {"action_type": "deploy", "declared_goal": "see whether it may"},
        samples.CONNECTION,
        ("deploy",),
        {"declared_goal": "see whether it may"},
    ),
    Case("test_connection", "POST", "/api/readiness/test", {}, samples.CONNECTION, same=" as it comes"),
    Case("get_pcaa_health", "GET", "/api/pcaa/health?window=30d", answer=samples.PCAA_HEALTH),
    Case(
        "get_pcaa_health",
        "GET",
        "/api/pcaa/health?window=7d&agent_id=a%26b",
        answer=samples.PCAA_HEALTH,
        args=("7d", "a&b"),
        same=" of one agent",
    ),
    Case("get_approval_insight", "GET", "/api/insight/approvals?window=30d", answer=samples.APPROVAL_INSIGHT),
    Case(
        "get_decision_mix",
        "GET",
        "/api/insight/decisions?window=1d&agent_id=bot",
        answer=samples.DECISION_MIX,
        kwargs={"window": "1d", "agent_id": "bot"},
    ),
    Case("health", "GET", "/health", answer={"status": "ok", "version": "0.1.0", "time": samples.NOW}),
    Case("ready", "GET", "/ready", answer={"ready": True, "checks": [], "time": samples.NOW}),
    Case("ready", "GET", "/ready", answer={"ready": False, "checks": [], "time": samples.NOW}, status=503, same=" not"),
]
