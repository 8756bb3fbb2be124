"""The rules, applied to the facts of one action; the head of the package has them as prose."""

from __future__ import annotations

from datetime import datetime

from assent.contract.control.actions import FINAL, ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision
from assent.contract.evidence.pcaa import (
    EXPECTED,
    LOST,
    RISK,
    CheckpointId,
    CheckpointStatus,
    Enforceability,
    PcaaCheckpoint,
    Receipts,
)
from assent.pcaa.facts import ActionFacts, enforceability_of

_REFUSED = (ApprovalState.DENIED, ApprovalState.EXPIRED, ApprovalState.WITHDRAWN)
_DECIDED = (ApprovalState.APPROVED, ApprovalState.DENIED)


def checkpoint_states_of(facts: ActionFacts, now: datetime) -> tuple[PcaaCheckpoint, ...]:
    """How these facts stand at each of the five checkpoints, in their order, at the moment `now`.

    Raises ValueError when `now` has no time zone.
    """
    statuses = _statuses(facts, now)
    newest = facts.assumptions[-1][0] if facts.assumptions else None
    values = (facts.decision, facts.action_id, newest, facts.approval_state, facts.status)
    return tuple(
        PcaaCheckpoint(id=each, status=status, value=value or None)
        for each, status, value in zip(CheckpointId, statuses, values, strict=True)
    )


def receipts_of(facts: ActionFacts, now: datetime) -> Receipts:
    """The receipts that an action of its class owes at the moment `now`, and those that are there.

    Raises ValueError when `now` has no time zone.
    """
    statuses = zip(CheckpointId, _statuses(facts, now), strict=True)
    expected = [each for each, status in statuses if status is not CheckpointStatus.NOT_REQUIRED]
    observed = [each for each, there in zip(CheckpointId, _evidence(facts), strict=True) if there]
    return Receipts(
        enforceability=enforceability_of(facts.runtime, facts.source),
        expected=expected,
        observed=observed,
        # Never empty: admissibility and open are owed by every action.
        completeness=len(set(expected) & set(observed)) / len(expected),
    )


def _statuses(facts: ActionFacts, now: datetime) -> tuple[CheckpointStatus, ...]:
    """In the order of the checkpoints."""
    if now.tzinfo is None:
        raise ValueError(f"the moment {now.isoformat()} has no time zone; give an aware one, like datetime.now(UTC)")
    reach = enforceability_of(facts.runtime, facts.source)
    observes = reach is Enforceability.OBSERVE_ONLY
    blocked = facts.status == ActionStatus.BLOCKED
    waits = facts.status == ActionStatus.PENDING_APPROVAL
    stopped = facts.decision == Decision.BLOCK and not observes
    # Only None says that there is no approval; a state that nobody knows is still one.
    asked = facts.decision == Decision.REQUIRE_APPROVAL or facts.approval_state is not None
    asked = asked and not blocked and not observes
    matters = asked or (facts.risk_score is not None and facts.risk_score >= RISK)
    believes = matters and not blocked and reach is Enforceability.ENFORCE_BEFORE_EXECUTE
    refused = facts.approval_state in _REFUSED and facts.status == ActionStatus.CANCELLED
    over = facts.status in FINAL
    overdue, lost = _late(facts, now)
    lost = lost and not waits
    return (
        _admissibility(facts, stopped=stopped),
        CheckpointStatus.COMPLETE if facts.action_id else CheckpointStatus.MISSING,
        _assumption(facts, believes=believes, given_up=over or lost),
        _approval(facts, asked=asked),
        _outcome(runs=not blocked and not refused and not waits, over=over, overdue=overdue, lost=lost),
    )


def _late(facts: ActionFacts, now: datetime) -> tuple[bool, bool]:
    """Whether an outcome is due by time, and whether it is past hoping for."""
    begun = [at for at in (facts.timestamp_start, facts.approved_at) if at is not None]
    if not begun:
        return False, False
    age = now - max(begun)
    return age > EXPECTED, age > LOST


def _admissibility(facts: ActionFacts, *, stopped: bool) -> CheckpointStatus:
    if not facts.decision_id:
        return CheckpointStatus.MISSING
    return CheckpointStatus.DENIED if stopped else CheckpointStatus.COMPLETE


def _assumption(facts: ActionFacts, *, believes: bool, given_up: bool) -> CheckpointStatus:
    if not believes:
        return CheckpointStatus.NOT_REQUIRED
    if facts.assumptions:
        return CheckpointStatus.COMPLETE
    return CheckpointStatus.MISSING if given_up else CheckpointStatus.PENDING


def _approval(facts: ActionFacts, *, asked: bool) -> CheckpointStatus:
    if not asked or facts.approval_state == ApprovalState.WITHDRAWN:
        return CheckpointStatus.NOT_REQUIRED
    if facts.approval_state == ApprovalState.APPROVED:
        return CheckpointStatus.COMPLETE
    if facts.approval_state == ApprovalState.DENIED:
        return CheckpointStatus.DENIED
    return CheckpointStatus.PENDING if facts.approval_state == ApprovalState.AWAITING else CheckpointStatus.MISSING


def _outcome(*, runs: bool, over: bool, overdue: bool, lost: bool) -> CheckpointStatus:
    if not runs:
        return CheckpointStatus.NOT_REQUIRED
    if over:
        return CheckpointStatus.COMPLETE
    if lost:
        return CheckpointStatus.MISSING
    return CheckpointStatus.PENDING if overdue else CheckpointStatus.NOT_REQUIRED


def _evidence(facts: ActionFacts) -> tuple[bool, ...]:
    """Which receipts are there, in the order of the checkpoints."""
    return (
        bool(facts.decision_id),
        bool(facts.action_id and facts.declared_goal),
        any(basis for _, basis in facts.assumptions),
        facts.approval_state in _DECIDED and bool(facts.approval_decided_by),
        facts.status in FINAL and bool(facts.output_summary or facts.error_message),
    )
