"""Whether a model may act: everything that is not plainly a yes is a no."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import Action, ActionDetail, ActionStatus, CreatedAction
from assent.contract.control.approvals import Approval
from assent.contract.control.claims import ClaimedAction
from assent.contract.control.guard import Decision, GuardResult
from assent.errors import ApprovalExpiredError, NotAwaitingApprovalError
from assent.mcp.answers import MAY_RUN, allowed, claimed, guarded, not_allowed, opened
from tests.sdk.client import samples

ACTION = msgspec.convert(samples.action(), Action)


def verdict(decision: Decision, **more: Any) -> GuardResult:
    return msgspec.convert(samples.decision(decision.value, **more), GuardResult)


def created(status: ActionStatus, decision: Decision = Decision.ALLOW) -> CreatedAction:
    found = msgspec.convert(samples.created(status.value), CreatedAction)
    return msgspec.structs.replace(found, decision=verdict(decision))


def detail(status: ActionStatus, **approval: Any) -> ActionDetail:
    return msgspec.convert(samples.detail(status.value, "approved" if approval else None, **approval), ActionDetail)


@pytest.mark.parametrize("decision", Decision)
def test_guard_lets_only_what_it_allows_or_warns_of(decision: Decision) -> None:
    answer = guarded(verdict(decision, reasons=["Too much"]))
    assert answer.may_act is (decision in {Decision.ALLOW, Decision.WARN})
    assert ("Do not carry it out" in answer.what_to_do) is not answer.may_act
    assert ("warnings" in answer.what_to_do) is (decision is Decision.WARN)
    assert ("wait_for_approval" in answer.what_to_do) is (decision is Decision.REQUIRE_APPROVAL)
    assert ("Too much" in answer.what_to_do) is (decision is Decision.BLOCK)


@pytest.mark.parametrize("status", ActionStatus)
def test_an_action_may_run_only_while_it_runs(status: ActionStatus) -> None:
    answer = opened(created(status), "http://here/replay")
    assert answer.may_act is (status in MAY_RUN)
    assert ("http://here/replay" in answer.what_to_do) is (status is ActionStatus.PENDING_APPROVAL)


def test_a_warning_is_said_with_the_action() -> None:
    assert "warnings" in opened(created(ActionStatus.RUNNING, Decision.WARN), "x").what_to_do


@pytest.mark.parametrize("status", ActionStatus)
def test_an_approval_lets_only_what_still_runs(status: ActionStatus) -> None:
    answer = allowed(detail(status, conditions=["Only once"], valid_until=None, claimed_at=None), ACTION.agent_id)
    assert answer.may_act is (status in MAY_RUN)
    assert answer.ended == ("approved" if answer.may_act else "over")
    assert ("Only once" in answer.what_to_do) is answer.may_act


def test_an_approval_that_was_used_lets_nothing() -> None:
    answer = allowed(detail(ActionStatus.RUNNING, claimed_at=samples.NOW), ACTION.agent_id)
    assert (answer.may_act, answer.ended) == (False, "over")
    assert "used already" in answer.what_to_do


def test_an_approval_for_a_while_has_to_be_claimed() -> None:
    answer = allowed(detail(ActionStatus.RUNNING, valid_until=samples.NOW, conditions=["Only once"]), ACTION.agent_id)
    assert (answer.may_act, answer.ended) == (False, "approved")
    assert "claim_action" in answer.what_to_do
    assert "Only once" in answer.what_to_do


def test_no_approval_is_needed_where_none_was_asked_for() -> None:
    answer = allowed(detail(ActionStatus.RUNNING), ACTION.agent_id)
    assert (answer.may_act, answer.ended, answer.approval) == (True, "not_needed", None)


@pytest.mark.parametrize(
    ("error", "ended"), [(ApprovalExpiredError(ACTION), "expired"), (NotAwaitingApprovalError(ACTION), "over")]
)
def test_a_wait_that_ended_without_an_approval_lets_nothing(error: Any, ended: str) -> None:
    answer = not_allowed(error)
    assert (answer.may_act, answer.ended, answer.action_id) == (False, ended, ACTION.action_id)
    assert "Do not carry it out" in answer.what_to_do


@pytest.mark.parametrize("status", ActionStatus)
def test_a_claim_lets_only_what_still_runs(status: ActionStatus) -> None:
    action = msgspec.structs.replace(ACTION, status=status)
    approval = msgspec.convert(samples.approval("approved", conditions=["Only once"]), Approval)
    answer = claimed(ClaimedAction(action=action, approval=approval, act_digest="sha256:0"))
    assert answer.may_act is (status in MAY_RUN)
    assert ("Only once" in answer.what_to_do) is answer.may_act


def test_an_approval_of_somebody_else_lets_nothing() -> None:
    answer = allowed(detail(ActionStatus.RUNNING, conditions=[]), "agent-8")
    assert (answer.may_act, answer.ended) == (False, "over")
    assert "agent-7, not yours" in answer.what_to_do


def test_where_nobody_knows_who_asks_the_key_is_all_there_is() -> None:
    assert allowed(detail(ActionStatus.RUNNING, conditions=[]), None).may_act is True
