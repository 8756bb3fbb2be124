"""Hints why an action went wrong. Pure; each stands on rows that its detail names.

An action *failed* when its status is `failed`. It *ended* when it says so itself (`timestamp_end`), else when the
change to its first final status was recorded, else when it was recorded. A corrected action is judged by what it is
now: one that did not fail after all has no hints of a failure.

- `invalidated_assumption`: the action failed and something it rested on was wrong. High when that was known by the
  time the action ended, since going on was avoidable; medium when it turned out only later.
- `open_dependency`: the action is not completed and waits for something: a loop of type dependency is open. High when
  a loop of priority high or critical is among them, else medium; low while the action has not ended.
- `repeated_failure`: the action failed, and in the 24 hours before, three or more actions of the same type by the same
  agent had failed already. Medium; high from ten.
- `approval_denied` (high) and `approval_expired` (medium): an operator, or time, said no. This stands even when the
  action was reported as completed later. `approval_withdrawn` (low): whoever asked took the question back.
- `policy_changed`: the action failed or was cancelled, and policies changed after guard's decision and until the end
  was recorded. Low; medium when one of them was among the policies that had matched. Never for history, whose verdict
  was made long after the fact.
- `blocked_by_policy` (high): guard blocked the attempt, and it did not run.

The most severe come first, and the above order within the same severity.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import msgspec

from assent.contract.control.actions import FINAL, Action, ActionStatus
from assent.contract.control.approvals import Approval, ApprovalState
from assent.contract.control.assumptions import Assumption
from assent.contract.control.guard import Decision, GuardResult, Source
from assent.contract.control.loops import LoopPriority, LoopStatus, LoopType, OpenLoop
from assent.contract.evidence.traces import Change, RootCause

LOW, MEDIUM, HIGH = "low", "medium", "high"
LOOK_BACK = timedelta(hours=24)
REPEATED, OFTEN = 3, 10
URGENT = frozenset({LoopPriority.HIGH, LoopPriority.CRITICAL})
_ORDER = {HIGH: 0, MEDIUM: 1, LOW: 2}


class Failure(msgspec.Struct, frozen=True):
    """Another failed action of the same agent and type."""

    action_id: str
    ended_at: datetime


class PolicyEvent(msgspec.Struct, frozen=True):
    """`event` is policy.created or policy.updated, which also says that one was removed."""

    policy_id: str
    event: str
    at: datetime


class CauseEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules look at. Failures and policy events outside the rules' windows do no harm."""

    action: Action
    changes: list[Change]
    assumptions: list[Assumption]
    loops: list[OpenLoop]
    approval: Approval | None
    decision: GuardResult | None
    failures: list[Failure]
    policy_events: list[PolicyEvent]


def find_causes(evidence: CauseEvidence) -> list[RootCause]:
    found = [
        *_invalidated_assumptions(evidence),
        *_open_dependencies(evidence),
        *_repeated_failures(evidence),
        *_refused_approval(evidence),
        *_policy_changes(evidence),
        *_block(evidence),
    ]
    return sorted(found, key=lambda cause: _ORDER[cause.severity])


def ended(action: Action, changes: list[Change]) -> datetime:
    """When the action ended, by its own word if it has one."""
    if action.timestamp_end is not None:
        return action.timestamp_end
    return _final_at(changes) or action.created_at


def failure_window(action: Action, changes: list[Change]) -> tuple[datetime, datetime] | None:
    """The time in which earlier failures count: from the first moment, up to and including the last."""
    if action.status is not ActionStatus.FAILED or action.agent_id is None:
        return None
    end = ended(action, changes)
    return end - LOOK_BACK, end


def policy_window(
    action: Action, changes: list[Change], decision: GuardResult | None
) -> tuple[datetime, datetime] | None:
    """The time in which a policy change counts: after the first moment, up to and including the last.

    It ends when the end was recorded, not when the agent says it was, because policies change by the service's clock.
    """
    if action.status not in {ActionStatus.FAILED, ActionStatus.CANCELLED} or decision is None:
        return None
    if action.source is not Source.LIVE:
        return None
    return decision.evaluated_at, _final_at(changes) or action.created_at


def _final_at(changes: list[Change]) -> datetime | None:
    return next((change.at for change in changes if change.changed.get("status") in FINAL), None)


def _invalidated_assumptions(evidence: CauseEvidence) -> Iterator[RootCause]:
    if evidence.action.status is not ActionStatus.FAILED:
        return
    end = ended(evidence.action, evidence.changes)
    known: list[Assumption] = []
    later: list[Assumption] = []
    for assumption in evidence.assumptions:
        if assumption.invalidated:
            at = assumption.validated_at
            (known if at is not None and at <= end else later).append(assumption)
    for severity, rows in ((HIGH, known), (MEDIUM, later)):
        if rows:
            yield _cause("invalidated_assumption", severity, [_assumption(row) for row in rows])


def _open_dependencies(evidence: CauseEvidence) -> Iterator[RootCause]:
    if evidence.action.status is ActionStatus.COMPLETED:
        return
    waiting = (LoopType.DEPENDENCY, LoopStatus.OPEN)
    rows = [loop for loop in evidence.loops if (loop.loop_type, loop.status) == waiting]
    if not rows:
        return
    severity = HIGH if any(loop.priority in URGENT for loop in rows) else MEDIUM
    if evidence.action.status not in FINAL:
        severity = LOW
    yield _cause(
        "open_dependency",
        severity,
        [{"loop_id": loop.loop_id, "priority": loop.priority, "description": loop.description} for loop in rows],
    )


def _repeated_failures(evidence: CauseEvidence) -> Iterator[RootCause]:
    window = failure_window(evidence.action, evidence.changes)
    if window is None:
        return
    first, last = window
    rows = [
        failure
        for failure in evidence.failures
        if failure.action_id != evidence.action.action_id and first <= failure.ended_at <= last
    ]
    if len(rows) >= REPEATED:
        detail = [{"action_id": row.action_id, "ended_at": row.ended_at} for row in rows]
        yield _cause("repeated_failure", HIGH if len(rows) >= OFTEN else MEDIUM, detail)


def _refused_approval(evidence: CauseEvidence) -> Iterator[RootCause]:
    approval = evidence.approval
    if approval is None:
        return
    if approval.state is ApprovalState.DENIED:
        detail = {"decided_by": approval.decided_by, "decided_at": approval.decided_at, "reasoning": approval.reasoning}
        yield _cause("approval_denied", HIGH, [{"approval_id": approval.approval_id, **detail}])
    elif approval.state is ApprovalState.EXPIRED:
        detail = {"approval_id": approval.approval_id, "expires_at": approval.expires_at}
        yield _cause("approval_expired", MEDIUM, [detail])
    elif approval.state is ApprovalState.WITHDRAWN:
        detail = {"decided_by": approval.decided_by, "decided_at": approval.decided_at, "reasoning": approval.reasoning}
        yield _cause("approval_withdrawn", LOW, [{"approval_id": approval.approval_id, **detail}])


def _policy_changes(evidence: CauseEvidence) -> Iterator[RootCause]:
    decision = evidence.decision
    window = policy_window(evidence.action, evidence.changes, decision)
    if window is None or decision is None:
        return
    decided, end = window
    rows = [event for event in evidence.policy_events if decided < event.at <= end]
    if not rows:
        return
    matched = {*decision.matched_policies, *decision.observed_policies}
    severity = MEDIUM if any(row.policy_id in matched for row in rows) else LOW
    yield _cause(
        "policy_changed",
        severity,
        [
            {"policy_id": row.policy_id, "event": row.event, "at": row.at, "matched": row.policy_id in matched}
            for row in rows
        ],
    )


def _block(evidence: CauseEvidence) -> Iterator[RootCause]:
    decision = evidence.decision
    if decision is None or evidence.action.status is not ActionStatus.BLOCKED:
        return
    if decision.decision is Decision.BLOCK:
        detail = {
            "decision_id": decision.decision_id,
            "reason": decision.reason,
            "matched_policies": decision.matched_policies,
        }
        yield _cause("blocked_by_policy", HIGH, [detail])


def _assumption(row: Assumption) -> dict[str, Any]:
    return {
        "assumption_id": row.assumption_id,
        "assumption": row.assumption,
        "invalidated_reason": row.invalidated_reason,
        "invalidated_at": row.validated_at,
    }


def _cause(kind: str, severity: str, detail: list[dict[str, Any]]) -> RootCause:
    return RootCause(type=kind, severity=severity, count=len(detail), detail=detail)
