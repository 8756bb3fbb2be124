"""Each hint by its own rule, worked out by hand; no service."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.assumptions import Assumption
from assent.contract.control.guard import Decision, Source
from assent.contract.control.loops import OpenLoop
from assent.contract.evidence.traces import Change, RootCause
from assent_service.evidence.traces.root_cause import CauseEvidence, Failure, PolicyEvent, find_causes
from tests.service.control.actions.samples import NINE, a_decision, an_action, an_approval

TEN = NINE + timedelta(hours=1)
MOMENT = timedelta(microseconds=1)


def evidence(**members: Any) -> CauseEvidence:
    """An action created at nine that failed at ten, unless a test says otherwise."""
    ordinary: dict[str, Any] = {
        "action": an_action(status=ActionStatus.FAILED, timestamp_end=TEN),
        "changes": [ended_at(TEN)],
        "assumptions": [],
        "loops": [],
        "approval": None,
        "decision": a_decision(),
        "failures": [],
        "policy_events": [],
    }
    return CauseEvidence(**(ordinary | members))


def ended_at(at: datetime, status: str = "failed") -> Change:
    return Change(at=at, kind="outcome", by="bot", changed={"status": status}, replaced={"status": "running"})


def belief(number: int, wrong_at: datetime | None) -> Assumption:
    return Assumption(
        org_id="org_1",
        assumption_id=f"asm_{number}",
        action_id="act_1",
        agent_id="bot",
        action_type="refund",
        assumption="the order was paid",
        basis=None,
        validated=False,
        invalidated=wrong_at is not None,
        invalidated_reason=None if wrong_at is None else "it bounced",
        validated_at=wrong_at,
        source=Source.LIVE,
        occurred_at=NINE,
        created_at=NINE,
        updated_at=NINE,
    )


def loop(number: int, **members: Any) -> OpenLoop:
    ordinary: dict[str, Any] = {
        "org_id": "org_1",
        "loop_id": f"loop_{number}",
        "action_id": "act_1",
        "agent_id": "bot",
        "agent_name": None,
        "declared_goal": None,
        "action_type": "refund",
        "loop_type": "dependency",
        "description": "the bank's answer",
        "status": "open",
        "priority": "medium",
        "owner": None,
        "resolution": None,
        "metadata": {},
        "source": Source.LIVE,
        "created_at": NINE,
        "updated_at": NINE,
        "resolved_at": None,
        "resolved_by": None,
    }
    return OpenLoop(**(ordinary | members))


def failures(*ended: datetime) -> list[Failure]:
    return [Failure(f"act_f{number}", at) for number, at in enumerate(ended)]


def short(causes: list[RootCause]) -> list[tuple[str, str, int]]:
    return [(cause.type, cause.severity, cause.count) for cause in causes]


def test_an_action_that_failed_for_no_visible_reason_has_no_hint() -> None:
    assert find_causes(evidence(assumptions=[belief(1, None)])) == []


def test_a_belief_known_to_be_wrong_by_the_end_weighs_more_than_one_found_out_later() -> None:
    beliefs = [belief(1, TEN), belief(2, TEN + MOMENT), belief(3, None), belief(4, NINE)]
    causes = find_causes(evidence(assumptions=beliefs))
    assert short(causes) == [("invalidated_assumption", "high", 2), ("invalidated_assumption", "medium", 1)]
    assert [row["assumption_id"] for row in causes[0].detail] == ["asm_1", "asm_4"]
    assert causes[1].detail == [
        {
            "assumption_id": "asm_2",
            "assumption": "the order was paid",
            "invalidated_reason": "it bounced",
            "invalidated_at": TEN + MOMENT,
        }
    ]


@pytest.mark.parametrize("status", [status for status in ActionStatus if status is not ActionStatus.FAILED])
def test_only_a_failure_has_hints_of_a_failure(status: ActionStatus) -> None:
    action = an_action(status=status, timestamp_end=TEN)
    found = evidence(action=action, assumptions=[belief(1, NINE)], failures=failures(*[NINE] * 20))
    assert find_causes(found) == []


def test_without_a_word_about_its_end_the_recorded_change_counts_and_a_later_correction_does_not() -> None:
    action = an_action(status=ActionStatus.FAILED)
    found = evidence(action=action, changes=[ended_at(TEN, "completed"), ended_at(TEN + timedelta(days=1))])
    late = belief(1, TEN + timedelta(hours=1))
    assert short(find_causes(evidence(action=action, assumptions=[belief(1, NINE)], changes=[]))) == [
        ("invalidated_assumption", "high", 1)
    ]
    with_changes = CauseEvidence(
        **({name: getattr(found, name) for name in found.__struct_fields__} | {"assumptions": [late]})
    )
    assert short(find_causes(with_changes)) == [("invalidated_assumption", "medium", 1)]


@pytest.mark.parametrize(
    ("status", "priority", "severity"),
    [
        (ActionStatus.FAILED, "medium", "medium"),
        (ActionStatus.FAILED, "low", "medium"),
        (ActionStatus.FAILED, "high", "high"),
        (ActionStatus.CANCELLED, "critical", "high"),
        (ActionStatus.RUNNING, "critical", "low"),
        (ActionStatus.PENDING_APPROVAL, "low", "low"),
        (ActionStatus.COMPLETED, "critical", None),
    ],
)
def test_an_open_dependency(status: ActionStatus, priority: str, severity: str | None) -> None:
    loops = [
        loop(1, priority=priority),
        loop(2, status="resolved", priority="critical"),
        loop(3, loop_type="question", priority="critical"),
    ]
    causes = find_causes(evidence(action=an_action(status=status, timestamp_end=TEN), loops=loops))
    assert short(causes) == ([("open_dependency", severity, 1)] if severity else [])
    for cause in causes:
        assert cause.detail == [{"loop_id": "loop_1", "priority": priority, "description": "the bank's answer"}]


@pytest.mark.parametrize(
    ("earlier", "expected"),
    [
        ([TEN, TEN - MOMENT], []),
        ([TEN, TEN - MOMENT, TEN - timedelta(hours=24)], [("repeated_failure", "medium", 3)]),
        ([TEN, TEN - MOMENT, TEN - timedelta(hours=24) - MOMENT], []),
        ([TEN, TEN - MOMENT, TEN + MOMENT], []),
        ([NINE] * 9, [("repeated_failure", "medium", 9)]),
        ([NINE] * 10, [("repeated_failure", "high", 10)]),
    ],
)
def test_three_failures_of_the_kind_within_a_day_before(
    earlier: list[datetime], expected: list[tuple[str, str, int]]
) -> None:
    assert short(find_causes(evidence(failures=failures(*earlier)))) == expected


def test_an_action_does_not_repeat_itself_and_nobody_repeats_nobody() -> None:
    two = failures(NINE, NINE)
    assert find_causes(evidence(failures=[*two, Failure("act_1", NINE)])) == []
    nobody = an_action(status=ActionStatus.FAILED, timestamp_end=TEN, agent_id=None)
    assert find_causes(evidence(action=nobody, failures=failures(NINE, NINE, NINE))) == []


@pytest.mark.parametrize("status", [ActionStatus.CANCELLED, ActionStatus.COMPLETED])
def test_a_refused_approval_stands_whatever_was_reported_later(status: ActionStatus) -> None:
    action = an_action(status=status, timestamp_end=TEN)
    denied = an_approval(state=ApprovalState.DENIED, decided_by="Ann", decided_at=TEN, reasoning="too much")
    (cause,) = find_causes(evidence(action=action, approval=denied))
    assert short([cause]) == [("approval_denied", "high", 1)]
    assert cause.detail == [{"approval_id": "apr_1", "decided_by": "Ann", "decided_at": TEN, "reasoning": "too much"}]
    expired = an_approval(state=ApprovalState.EXPIRED)
    (cause,) = find_causes(evidence(action=action, approval=expired))
    assert short([cause]) == [("approval_expired", "medium", 1)]
    assert cause.detail == [{"approval_id": "apr_1", "expires_at": expired.expires_at}]
    for state in (ApprovalState.AWAITING, ApprovalState.APPROVED):
        assert find_causes(evidence(action=action, approval=an_approval(state=state))) == []


def test_policies_that_changed_between_the_decision_and_the_recorded_end() -> None:
    # The agent says that it ended at ten; that was recorded two hours later.
    noon = TEN + timedelta(hours=2)
    events = [
        PolicyEvent("pol_before", "policy.created", NINE),
        PolicyEvent("pol_1", "policy.updated", NINE + MOMENT),
        PolicyEvent("pol_2", "policy.created", noon),
        PolicyEvent("pol_after", "policy.updated", noon + MOMENT),
    ]
    (cause,) = find_causes(evidence(changes=[ended_at(noon)], policy_events=events))
    assert short([cause]) == [("policy_changed", "low", 2)]
    assert cause.detail == [
        {"policy_id": "pol_1", "event": "policy.updated", "at": NINE + MOMENT, "matched": False},
        {"policy_id": "pol_2", "event": "policy.created", "at": noon, "matched": False},
    ]
    for decision in (a_decision(matched_policies=["pol_2"]), a_decision(observed_policies=["pol_2"])):
        causes = find_causes(evidence(changes=[ended_at(noon)], policy_events=events, decision=decision))
        assert short(causes) == [("policy_changed", "medium", 2)]
        assert [row["matched"] for row in causes[0].detail] == [False, True]


@pytest.mark.parametrize(
    "members",
    [
        {"action": an_action(status=ActionStatus.COMPLETED, timestamp_end=TEN)},
        {"action": an_action(status=ActionStatus.RUNNING)},
        {"action": an_action(status=ActionStatus.FAILED, timestamp_end=TEN, source=Source.IMPORT)},
        {"decision": None},
    ],
)
def test_a_policy_change_explains_no_success_no_history_and_nothing_without_a_decision(members: dict[str, Any]) -> None:
    changed = [PolicyEvent("pol_1", "policy.updated", NINE + MOMENT)]
    assert find_causes(evidence(policy_events=changed, **members)) == []


def test_a_blocked_attempt_names_the_decision_and_its_policies() -> None:
    block = a_decision(decision=Decision.BLOCK, reason="no refunds on Sundays", matched_policies=["pol_1"])
    (cause,) = find_causes(evidence(action=an_action(status=ActionStatus.BLOCKED), decision=block))
    assert short([cause]) == [("blocked_by_policy", "high", 1)]
    assert cause.detail == [{"decision_id": "dec_1", "reason": "no refunds on Sundays", "matched_policies": ["pol_1"]}]
    # History that guard would have blocked did happen; an agent may also call an attempt blocked by itself.
    assert find_causes(evidence(decision=block)) == []
    assert find_causes(evidence(action=an_action(status=ActionStatus.BLOCKED))) == []


anything = st.builds(
    evidence,
    action=st.builds(
        an_action,
        status=st.sampled_from(ActionStatus),
        source=st.sampled_from(Source),
        timestamp_end=st.none() | st.just(TEN),
        agent_id=st.none() | st.just("bot"),
    ),
    changes=st.lists(st.builds(ended_at, st.sampled_from([NINE, TEN]), st.sampled_from(ActionStatus)), max_size=3),
    assumptions=st.lists(st.builds(belief, st.integers(1, 9), st.none() | st.sampled_from([NINE, TEN + MOMENT]))),
    loops=st.lists(st.builds(loop, st.integers(1, 9), priority=st.sampled_from(["low", "high"]))),
    approval=st.none() | st.builds(an_approval, state=st.sampled_from(ApprovalState)),
    decision=st.none() | st.builds(a_decision, decision=st.sampled_from(Decision)),
    failures=st.lists(st.sampled_from([NINE, TEN]), max_size=12).map(lambda ended: failures(*ended)),
    policy_events=st.lists(
        st.builds(PolicyEvent, st.just("pol_1"), st.just("policy.updated"), st.sampled_from([NINE, TEN])), max_size=3
    ),
)


@given(anything)
def test_hints_are_counted_named_and_sorted(found: CauseEvidence) -> None:
    causes = find_causes(found)
    severities = [cause.severity for cause in causes]
    assert severities == sorted(severities, key=["high", "medium", "low"].index)
    assert len({(cause.type, cause.severity) for cause in causes}) == len(causes)
    for cause in causes:
        assert cause.count == len(cause.detail) > 0
        assert all(any(name.endswith("_id") for name in row) for row in cause.detail)
    if found.action.status is ActionStatus.COMPLETED:
        assert {cause.type for cause in causes} <= {"approval_denied", "approval_expired", "approval_withdrawn"}
