"""Every operation against the wire, written down by hand: method, target, body; the answer as a typed record."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from assent import AsyncClient, Client, __version__
from assent.contract.operations import ENDPOINTS
from tests.sdk.client import samples
from tests.sdk.client.case import Case
from tests.sdk.client.cases import CASES
from tests.sdk.client.doubles import BASE, Stage, Way, answering, bound
from tests.sdk.client.test_declared_methods import DECLARED

OTHER_NAMES = {"register_assumption": "record_assumption", "get_pending_approvals": "get_actions"}


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
        each for each in ENDPOINTS if each.operation == (case.of or OTHER_NAMES.get(case.operation, case.operation))
    )
    other = case.other or "format=bundle" in case.target
    assert type(answer) is (endpoint.alternative if other else endpoint.response)
    assert stage.time.slept == []


def test_every_endpoint_has_its_operation_and_every_flow_its_case() -> None:
    operations = {endpoint.operation for endpoint in ENDPOINTS}
    for client in (Client, AsyncClient):
        assert [name for name in operations if not callable(getattr(client, name, None))] == []
    declared = {endpoint.operation for endpoint in DECLARED}
    assert operations - declared - {case.operation for case in CASES} == {"events"}


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

    client = Client(BASE, "k", http=httpx.Client(transport=httpx.MockTransport(bound(handler))))
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
        (
            "guard",
            (),
            {"action_type": "deploy\udc80"},
            r"half a character \(U\+DC80\), which JSON cannot say; replace it",
        ),
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
