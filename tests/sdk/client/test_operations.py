"""Every operation against the wire, written down by hand: method, target, body; the answer as a typed record."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from assent import AsyncClient, Client, __version__
from assent.contract.operations import ENDPOINTS
from tests.sdk.client import samples
from tests.sdk.client.doubles import BASE, Stage, Way, answering


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
        "/api/actions?status=failed&risk_min=70.5&limit=5&cursor=a%2Fb%2B%3D",
        answer=samples.ACTIONS,
        kwargs={"status": "failed", "risk_min": 70.5, "limit": 5, "cursor": "a/b+="},
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
    Case("health", "GET", "/health", answer={"status": "ok", "version": "0.1.0", "time": samples.NOW}),
    Case("ready", "GET", "/ready", answer={"ready": True, "checks": [], "time": samples.NOW}),
    Case("ready", "GET", "/ready", answer={"ready": False, "checks": [], "time": samples.NOW}, status=503, same=" not"),
]


@pytest.mark.parametrize("case", CASES, ids=str)
async def test_an_operation_sends_what_the_wire_asks_for(way: Way, case: Case) -> None:
    stage = Stage(way, answering(case.answer, case.status))

    answer = await stage(case.operation, *case.args, **case.kwargs)

    (request,) = stage.requests
    assert f"{request.method} {request.url}" == f"{case.method} {BASE}{case.target}"
    body = json.loads(request.content) if request.content else None
    assert body == case.body
    headers = request.headers
    assert headers["x-api-key"] == "sk_secret"
    assert headers["prefer"] == "handling=strict"
    assert headers["user-agent"] == f"assent/{__version__}"
    assert headers["accept"] == "application/json"
    assert headers.get("content-type") == ("application/json" if case.body is not None else None)
    assert headers.get("idempotency-key") == case.key
    endpoint = next(
        each
        for each in ENDPOINTS
        if each.operation
        == case.operation.replace("register_", "record_").replace("get_pending_approvals", "get_actions")
    )
    assert type(answer) is endpoint.response
    assert stage.time.slept == []


def test_every_endpoint_has_its_operation_and_every_operation_its_case() -> None:
    operations = {endpoint.operation for endpoint in ENDPOINTS}
    for client in (Client, AsyncClient):
        assert [name for name in operations if not callable(getattr(client, name, None))] == []
    assert operations - {case.operation for case in CASES} == {"events"}


def test_the_answer_reads_like_a_record_and_like_a_dictionary() -> None:
    import httpx

    with httpx.Client(transport=httpx.MockTransport(answering(samples.detail("running")))) as http:
        detail = Client(BASE, "k", http=http).get_action("act_0192")
    assert detail.action.risk_score == 40.5
    assert detail["action"]["risk_score"] == 40.5
    assert detail.action.created_at == datetime(2026, 11, 20, 10, 0, 0, 123456, tzinfo=UTC)


async def test_without_an_agent_or_a_key_neither_is_sent(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSENT_API_KEY", raising=False)
    monkeypatch.delenv("ASSENT_AGENT_ID", raising=False)
    stage = Stage(way, answering(samples.decision()), api_key=None, agent_id=None)
    await stage("guard", action_type="deploy")
    (request,) = stage.requests
    assert json.loads(request.content) == {"action_type": "deploy"}
    assert "x-api-key" not in request.headers


async def test_the_agent_name_goes_with_a_creation(way: Way) -> None:
    stage = Stage(way, answering(samples.created(), 201), agent_name="Deployer")
    await stage("create_action", "deploy")
    assert json.loads(stage.requests[0].content)["agent_name"] == "Deployer"


async def test_each_creation_has_a_key_of_its_own(way: Way) -> None:
    stage = Stage(way, answering(samples.created(), 201))
    await stage("create_action", "deploy")
    await stage("create_action", "deploy")
    assert [request.headers["idempotency-key"] for request in stage.requests] == ["key-1", "key-2"]


def test_keys_made_up_by_a_client_of_ones_own_are_random_uuids() -> None:
    import uuid

    import httpx

    seen: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["idempotency-key"])
        return httpx.Response(201, json=samples.created())

    client = Client(BASE, "k", http=httpx.Client(transport=httpx.MockTransport(handler)))
    client.create_action("deploy")
    client.create_action("deploy")
    assert [uuid.UUID(key).version for key in seen] == [4, 4]
    assert seen[0] != seen[1]


@pytest.mark.parametrize(
    ("operation", "args", "kwargs", "message"),
    [
        ("approve_action", ("act_1", "approve"), {}, "decision is 'approve'; give one of allow, deny"),
        ("approve_action", ("act_1", "allow"), {"idempotency_key": "é"}, "printable ASCII"),
        ("approve_action", ("act_1", "allow"), {"idempotency_key": "a\r\nx-api-key: b"}, "printable ASCII"),
        ("create_key", ("ci", "root"), {}, "role is 'root'; give one of agent, operator, auditor, admin"),
        ("validate_assumption", ("asm_1", False), {}, "needs invalidated_reason"),
        ("import_policies", (), {}, "give either yaml"),
        ("import_policies", ("a: b",), {"pack": "default"}, "give either yaml"),
        ("wait_for_approval", ("act_1",), {"timeout": -1}, "timeout is -1"),
        ("wait_for_approval", ("act_1",), {"interval": 0}, "interval 0"),
        ("wait_for_approval", ("act_1",), {"interval": float("nan")}, "interval nan"),
        ("guard", (), {"action_type": "deploy", "risk_score": float("nan")}, r"body\.risk_score is nan"),
        ("guard", ({"action_type": "d", "metadata": {"a": [1, float("inf")]}},), {}, r"body\.metadata\.a\[1\] is inf"),
        ("get_action", ("",), {}, "action_id is '', which is no id"),
        ("get_action", ("..",), {}, r"action_id is '\.\.'"),
        ("revoke_key", (".",), {}, r"key_id is '\.'"),
    ],
)
async def test_what_cannot_be_meant_is_refused_before_it_is_sent(
    way: Way, operation: str, args: tuple[Any, ...], kwargs: dict[str, Any], message: str
) -> None:
    stage = Stage(way, answering({}))
    with pytest.raises(ValueError, match=message):
        await stage(operation, *args, **kwargs)
    assert stage.requests == []


@pytest.mark.parametrize(
    ("operation", "args", "wrong", "hint"),
    [
        ("create_action", ("deploy",), "declared_gaol", "did you mean 'declared_goal'?"),
        ("update_outcome", ("act_1",), "duration", "did you mean 'duration_ms'?"),
        ("get_actions", (), "zzz", "it takes agent_id, swarm_id"),
        ("record_assumption", ("a",), "baseis", "did you mean 'basis'?"),
        ("update_policy", ("pol_1",), "activ", "did you mean 'active'?"),
    ],
)
async def test_a_misspelt_parameter_is_named(
    way: Way, operation: str, args: tuple[Any, ...], wrong: str, hint: str
) -> None:
    stage = Stage(way, answering({}))
    with pytest.raises(TypeError) as caught:
        await stage(operation, *args, **{wrong: 1})
    assert wrong in str(caught.value)
    assert hint in str(caught.value)
    assert stage.requests == []


async def test_an_id_that_is_no_text_is_refused(way: Way) -> None:
    stage = Stage(way, answering({}))
    with pytest.raises(TypeError, match="give the id as text"):
        await stage("get_action", 7)


@pytest.mark.parametrize(
    ("given", "segment"),
    [
        ("../x", b"..%2Fx"),
        ("a/b", b"a%2Fb"),
        ("a%2Fb", b"a%252Fb"),
        ("a?b#c", b"a%3Fb%23c"),
        ("é {action_id}", b"%C3%A9%20%7Baction_id%7D"),
        ("...", b"..."),
        ("act_1.2-3:4", b"act_1.2-3%3A4"),
    ],
)
async def test_a_path_parameter_stays_one_segment(way: Way, given: str, segment: bytes) -> None:
    stage = Stage(way, answering(samples.TRACE))
    await stage("get_action_trace", given)
    assert stage.requests[0].url.raw_path == b"/api/actions/" + segment + b"/trace"
