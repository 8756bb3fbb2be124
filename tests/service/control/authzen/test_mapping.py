"""AuthZEN's question as guard's, and guard's answer as AuthZEN's."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from assent.contract.control.authzen import AccessEvaluation
from assent.contract.control.guard import Decision, GuardResult, PredictiveRisk, StatisticalRisk
from assent.contract.problems import Code
from assent_service.base.problem import Refusal, refuse
from assent_service.control.authzen.mapping import (
    access_decision,
    guard_members,
    hints_of,
    refused_decision,
    with_defaults,
)

PLAIN: dict[str, Any] = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "record", "id": "record-1"},
}


def members(**more: Any) -> dict[str, Any]:
    asked = msgspec.convert(PLAIN | more, AccessEvaluation)
    return guard_members(asked, hints_of(asked))


def test_the_question_is_mapped() -> None:
    assert members() == {
        "action_type": "read",
        "agent_id": "user:alice",
        "systems_touched": ["record", "record-1"],
        "parameters": PLAIN,
        "metadata": PLAIN,
    }


def test_parameters_are_all_of_the_act_and_nothing_of_how_it_is_asked() -> None:
    context = {"amount": 40, "approval": {"id": "act_1"}, "assent": {"declared_goal": "Pay"}}
    assert members(context=context)["parameters"] == PLAIN | {"context": {"amount": 40}}
    digest = "sha256:" + "0" * 64
    kept = members(context={"assent": {"parameters_digest": digest}})
    assert "parameters" not in kept
    assert kept["parameters_digest"] == digest


def test_properties_and_context_are_kept_whole() -> None:
    asked = {
        "subject": {"type": "user", "id": "alice", "properties": {"role": "admin"}},
        "action": {"name": "read", "properties": {"soft": True}},
        "resource": {"type": "record", "id": "record-1", "properties": {"owner": {"name": "bob"}}},
        "context": {"time": "2024-05-31T15:22-07:00"},
    }
    assert members(**asked)["metadata"] == asked
    assert "unknown" not in str(members(unknown=1, subject={"type": "user", "id": "alice", "unknown": 1}))


@pytest.mark.parametrize(
    ("subject", "context", "agent"),
    [
        ({"type": "agent", "id": "bot"}, None, "bot"),
        ({"type": "ai_agent", "id": "bot"}, {}, "bot"),
        ({"type": "Agent", "id": "bot"}, None, "Agent:bot"),
        ({"type": "user", "id": "bot"}, None, "user:bot"),
        ({"type": "user", "id": "alice"}, {"agent": "bot"}, "bot"),
        ({"type": "agent", "id": "bot"}, {"agent": "other"}, "other"),
        ({"type": "user", "id": "alice"}, {"agent": ""}, "user:alice"),
        ({"type": "user", "id": "alice"}, {"agent": 7}, "user:alice"),
    ],
)
def test_who_the_agent_is(subject: dict[str, Any], context: dict[str, Any] | None, agent: str) -> None:
    assert members(subject=subject, context=context)["agent_id"] == agent


def test_a_resource_of_its_own_name_is_one_system() -> None:
    assert members(resource={"type": "production", "id": "production"})["systems_touched"] == ["production"]


def test_what_guard_can_be_told_beside_that() -> None:
    said = {
        "declared_goal": "Read it",
        "reversible": False,
        "risk_score": 12.5,
        "session_id": "s-1",
        "parameters_digest": "sha256:" + "0" * 64,
        "accept_warnings": True,
        "unknown": 1,
    }
    found = members(context={"assent": said})
    assert {name: found[name] for name in said if name in found} == {
        name: value for name, value in said.items() if name not in ("accept_warnings", "unknown")
    }
    assert found["metadata"]["context"] == {"assent": said}


@pytest.mark.parametrize(
    "said", ["all", 1, [], {"risk_score": 101}, {"reversible": "no"}, {"declared_goal": "a" * 2001}]
)
def test_what_guard_cannot_be_told(said: Any) -> None:
    with pytest.raises(Refusal) as refusal:
        members(context={"assent": said})
    assert (refusal.value.code, refusal.value.errors[0].place) == (Code.INVALID_BODY, "context.assent")


def test_an_agent_is_not_named_by_what_was_taken_out() -> None:
    for asked in ({"subject": {"type": "user", "id": "[REDACTED:token]"}}, {"context": {"agent": "a [REDACTED:key]"}}):
        with pytest.raises(Refusal):
            members(**asked)


def test_defaults_of_several_questions() -> None:
    """As section 7.1.1 of the specification has it, and for parts as the certification's 3.2.7 advises."""
    alice = {"type": "user", "id": "alice", "properties": {"a": 1}}
    usual: dict[str, Any] = {"subject": alice, "context": {"time": "now"}, "options": {}}
    own = {"action": {"name": "edit"}, "resource": {"id": "1"}, "context": {"source": "own"}}
    assert with_defaults(usual, own) == {
        "subject": usual["subject"],
        "action": {"name": "edit"},
        "resource": {"id": "1"},
        "context": {"source": "own"},
    }
    assert with_defaults({"resource": {"type": "t", "id": "0", "properties": {"a": 1}}}, own)["resource"] == {
        "type": "t",
        "id": "1",
    }
    assert with_defaults(usual, {"subject": {"id": "bob"}})["subject"] == {"type": "user", "id": "bob"}
    assert with_defaults(usual, {"subject": "bob"})["subject"] == "bob"
    assert with_defaults({}, {}) == {}


# The two examples of the draft that maps calls of MCP tools (COAZ), as the requests that they come to.
GET_CUSTOMER = {
    "subject": {"type": "user", "id": "alice@example.invalid"},
    "action": {"name": "get_customer"},
    "resource": {"type": "customer", "id": "cust-12345"},
    "context": {"agent": "http://agentprovider.invalid/agent-app-id", "case": "case-67890"},
}
COPY_OBJECT = {
    "subject": {"type": "user", "id": "alice@example.invalid"},
    "context": {"agent": "http://agentprovider.invalid/agent-app-id"},
    "evaluations": [
        {"action": {"name": "read"}, "resource": {"type": "storage_object", "id": "/bucket/reports/q1.pdf"}},
        {"action": {"name": "write"}, "resource": {"type": "storage_object", "id": "/bucket/archive/q1.pdf"}},
    ],
}


def test_a_call_of_an_mcp_tool_is_its_agents_action() -> None:
    found = members(**GET_CUSTOMER)
    assert (found["agent_id"], found["action_type"]) == ("http://agentprovider.invalid/agent-app-id", "get_customer")
    assert found["systems_touched"] == ["customer", "cust-12345"]
    assert found["metadata"] == GET_CUSTOMER
    each = [members(**with_defaults(COPY_OBJECT, own)) for own in COPY_OBJECT["evaluations"]]  # type: ignore[arg-type]
    assert [(one["action_type"], one["systems_touched"][1]) for one in each] == [
        ("read", "/bucket/reports/q1.pdf"),
        ("write", "/bucket/archive/q1.pdf"),
    ]


def result(decision: Decision) -> GuardResult:
    return GuardResult(
        decision=decision,
        decision_id="dec_1",
        action_id="dec_1",
        agent_id="bot",
        action_type="read",
        reason="because",
        reasons=["because"],
        warnings=["mind it"],
        signals=[],
        matched_policies=["pol_1"],
        would_decide=None,
        observed_policies=[],
        policy_version=1,
        risk_score=25.0,
        agent_risk_score=None,
        risk_breakdown={},
        predictive_risk=PredictiveRisk(
            statistical=StatisticalRisk(
                adjustment=0, failure_rate=0, total_actions=0, avg_historical_risk=None, velocity=0
            ),
            total_adjustment=0,
        ),
        evaluated_at=datetime(2026, 1, 12, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("decision", "reason", "permits", "with_warnings"),
    [
        (Decision.ALLOW, "allowed", True, True),
        (Decision.WARN, "warned", False, True),
        (Decision.REQUIRE_APPROVAL, "approval_required", False, False),
        (Decision.BLOCK, "blocked", False, False),
    ],
)
def test_only_allow_permits(decision: Decision, reason: str, permits: bool, with_warnings: bool) -> None:
    found = access_decision(result(decision), accept_warnings=False)
    assert (found.decision, found.context["reason"]) == (permits, reason)
    assert access_decision(result(decision), accept_warnings=True).decision is with_warnings
    assert found.context["evaluation_id"] == "dec_1"
    assert found.context["reason_admin"] == {"en": "because"}
    assert (found.context["warnings"], found.context["matched_policies"]) == (["mind it"], ["pol_1"])


def test_what_cannot_be_decided_is_not_permitted() -> None:
    found = refused_decision(refuse(Code.AGENT_MISMATCH, "Not yours."))
    assert found.decision is False
    assert found.context["error"] == {"status": 403, "code": "agent_mismatch", "message": "Not yours."}
