"""What a creation becomes, without a service."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.control.actions import Action, ActionStatus, CreateAction
from assent.contract.control.guard import Decision, RecordedDecision, Runtime, Source
from assent.contract.roles import Role
from assent_service.base.clock import microseconds
from assent_service.control.actions.opening import open_action, opening_status
from assent_service.control.guard import GuardQuestion
from assent_service.control.guard.ask import question
from assent_service.core.principal import Principal
from tests.service.control.actions.samples import NINE, a_decision

ADMIN = Principal("org_1", "key_1", "admin", Role.ADMIN, None)
NOW = microseconds(NINE)


@pytest.mark.parametrize(
    ("decision", "asked_for", "live", "history"),
    [
        ("allow", None, "running", "running"),
        ("allow", "pending", "pending", "pending"),
        ("allow", "completed", "completed", "completed"),
        ("allow", "pending_approval", "pending_approval", "running"),
        ("warn", None, "running", "running"),
        ("require_approval", None, "pending_approval", "running"),
        ("require_approval", "running", "pending_approval", "running"),
        ("require_approval", "completed", "pending_approval", "completed"),
        ("block", None, "blocked", "running"),
        ("block", "completed", "blocked", "completed"),
        ("block", "pending_approval", "blocked", "running"),
        ("allow", "blocked", "blocked", "blocked"),
    ],
)
def test_the_verdict_decides_for_the_living_and_not_for_history(
    decision: str, asked_for: str | None, live: str, history: str
) -> None:
    body = CreateAction(action_type="refund", status=ActionStatus(asked_for) if asked_for else None)
    assert opening_status(body, Decision(decision), Source.LIVE) == live
    assert opening_status(body, Decision(decision), Source.IMPORT) == history


def opened(status: ActionStatus = ActionStatus.RUNNING, **members: Any) -> Action:
    body = msgspec.convert({"action_type": "refund"} | members, CreateAction)
    asked = question(ADMIN, body, {"action_type": "refund"} | members, NOW)
    return open_action(
        body, asked, recorded(asked), action_id="act_1", approval_id=None, status=status, idempotency_key="k"
    )


def recorded(asked: GuardQuestion, **members: Any) -> RecordedDecision:
    """A decision on the question, as guard would record it."""
    said = a_decision()
    ordinary: dict[str, Any] = {
        name: getattr(said, name) for name in RecordedDecision.__struct_fields__ if hasattr(said, name)
    } | {
        "org_id": "org_1",
        "declared_goal": None,
        "runtime": asked.runtime,
        "session_id": None,
        "source": asked.source,
        "context": {},
        "context_digest": "",
        "occurred_at": NINE,
        "created_at": NINE,
    }
    return RecordedDecision(**(ordinary | members))


def test_an_action_that_says_little_gets_the_ordinary() -> None:
    action = opened()
    assert (action.confidence, action.reversible, action.systems_touched, action.metadata) == (50, True, [], {})
    assert (action.source, action.runtime, action.verified) == (Source.LIVE, Runtime.SDK_SERVICE, False)
    assert (action.timestamp_start, action.created_at, action.updated_at) == (NINE, NINE, NINE)
    assert (action.revision, action.timestamp_end, action.duration_ms) == (0, None, None)
    assert (action.created_by, action.idempotency_key, action.decision_id) == ("key_1", "k", "dec_1")
    assert opened(reversible=False, confidence=0).confidence == 0
    assert opened(reversible=False).reversible is False


def test_the_risk_is_the_services_and_the_agents_stands_beside_it() -> None:
    body = CreateAction(action_type="refund", risk_score=20)
    asked = question(ADMIN, body, {"action_type": "refund", "risk_score": 20}, NOW)
    decision = recorded(asked, risk_score=75.0, agent_risk_score=20.0)
    action = open_action(
        body, asked, decision, action_id="a", approval_id=None, status=ActionStatus.RUNNING, idempotency_key=None
    )
    assert (action.risk_score, action.agent_risk_score) == (75.0, 20.0)


def test_a_start_in_the_past_is_kept_and_one_in_the_future_is_not() -> None:
    past, future = NINE - timedelta(minutes=5), NINE + timedelta(minutes=5)
    assert opened(timestamp_start=past.isoformat()).timestamp_start == past
    assert opened(timestamp_start=future.isoformat()).timestamp_start == NINE


def test_history_starts_when_it_happened_whatever_else_it_says() -> None:
    then = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    action = opened(source="import", occurred_at=then.isoformat(), timestamp_start=NINE.isoformat())
    assert (action.timestamp_start, action.created_at) == (then, NINE)
    assert (action.source, action.runtime) == (Source.IMPORT, Runtime.EVIDENCE_IMPORT)


def test_what_begins_in_a_final_status_has_ended() -> None:
    final = {ActionStatus.COMPLETED, ActionStatus.FAILED, ActionStatus.CANCELLED, ActionStatus.BLOCKED}
    for status in ActionStatus:
        assert opened(status).timestamp_end == (NINE if status in final else None)


@given(st.sampled_from(Decision), st.none() | st.sampled_from(ActionStatus))
def test_nothing_that_guard_stops_runs(decision: Decision, asked_for: ActionStatus | None) -> None:
    status = opening_status(CreateAction(action_type="x", status=asked_for), decision, Source.LIVE)
    if decision is Decision.BLOCK:
        assert status is ActionStatus.BLOCKED
    elif decision is Decision.REQUIRE_APPROVAL:
        assert status is ActionStatus.PENDING_APPROVAL
    else:
        assert status is (asked_for or ActionStatus.RUNNING)
