"""How an action changes: every change keeps what it replaced. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from assent.contract.control.actions import (
    EXPIRED_SAYS,
    FINAL,
    WITHDRAWN_SAYS,
    Action,
    ActionStatus,
    UpdateOutcome,
)
from assent.contract.control.approvals import Approval, ApprovalState
from assent.contract.control.guard import Source
from assent.contract.events import EventName
from assent.contract.problems import Code
from assent_service.base.clock import microseconds, moment
from assent_service.base.problem import refuse
from assent_service.control.approvals import DENIED_WITHOUT_WORDS
from assent_service.core.payload import encode, extend
from assent_service.store.event import Draft

REPORTS = 8
"""How many of an action's newest reports are known again when they are sent twice."""
OUTCOME, CORRECTION, APPROVAL = "outcome", "correction", "approval"
DENIAL, EXPIRY, WITHDRAWAL = "denial", "expiry", "withdrawal"
REPORTED = (
    "status",
    "output_summary",
    "side_effects",
    "artifacts_created",
    "error_message",
    "timestamp_end",
    "duration_ms",
    "cost_estimate",
    "tokens_in",
    "tokens_out",
    "model",
    "metadata",
)


def outcome(action: Action, report: UpdateOutcome, now: int) -> tuple[dict[str, Any], str]:
    """The members that `report` changes, and whether that is an `outcome` or a `correction` of a final one.

    Raises `awaiting_approval` for an action that only an operator, or time, may move, and `invalid_body` for a
    report that says nothing.
    """
    if action.status is ActionStatus.PENDING_APPROVAL:
        raise refuse(
            Code.AWAITING_APPROVAL,
            f"Action {action.action_id} waits for an operator; it has no outcome before it was allowed. "
            "Wait for the approval, then report.",
        )
    members = {name: value for name in REPORTED if (value := getattr(report, name)) is not None}
    if not members:
        raise refuse(Code.INVALID_BODY, f"The body changes nothing; give at least one of {', '.join(REPORTED)}.")
    if members.get("status") in {ActionStatus.BLOCKED, ActionStatus.PENDING_APPROVAL}:
        raise refuse(Code.INVALID_BODY, f"status {members['status']} is set by the service, not by an outcome.")
    if "metadata" in members:
        members["metadata"] = action.metadata | members["metadata"]
    final = members.get("status", action.status) in FINAL
    if final and "timestamp_end" not in members and action.timestamp_end is None:
        members["timestamp_end"] = report.occurred_at or moment(now)
    # The times of imported history may be made up, so no duration is taken from them.
    measurable = final and action.source is Source.LIVE and action.duration_ms is None
    if measurable and "duration_ms" not in members and "timestamp_end" in members:
        elapsed = microseconds(members["timestamp_end"]) - microseconds(action.timestamp_start)
        members["duration_ms"] = max(0, elapsed // 1000)
    return members, CORRECTION if action.status in FINAL else OUTCOME


def reported(action: Action, report: UpdateOutcome, now: int, sent: str | None) -> tuple[Action, str] | None:
    """The action after a report, and what that is; None where it says nothing new. `sent` is the report's mark, where
    it came with an idempotency key. Raises as `outcome` does."""
    members, kind = outcome(action, report, now)
    if all(getattr(action, name) == value for name, value in members.items()):
        return None
    if sent is not None:
        members["outcome_marks"] = [*(action.outcome_marks or ()), sent][-REPORTS:]
    return changed(action, members, now), kind


def changed(action: Action, members: dict[str, Any], now: int) -> Action:
    return msgspec.structs.replace(action, **members, updated_at=moment(now), revision=action.revision + 1)


def draft(before: Action, after: Action, kind: str, *, actor: str, by: str, now: int) -> Draft:
    """The event of a change: the whole action after it, and under `change` what it replaced and by whom."""
    replaced: dict[str, Any] = {}
    new: dict[str, Any] = {}
    for name in Action.__struct_fields__:
        was, is_now = getattr(before, name), getattr(after, name)
        if was != is_now and name not in {"updated_at", "revision", "outcome_marks"}:
            replaced[name], new[name] = was, is_now
    change = {"kind": kind, "by": by, "at": after.updated_at, "changed": new, "replaced": replaced}
    return Draft(
        org=after.org_id,
        type=EventName.ACTION_UPDATED.value,
        ts=now,
        subject=after.action_id,
        actor=actor,
        data=extend(encode(after), {"change": change}),
        action=after.action_id,
    )


def decided(action: Action, approval: Approval, actor: str, now: int) -> tuple[Action, Draft]:
    """The action after its approval was decided, expired or was withdrawn, and the event that says so."""
    members: dict[str, Any]
    if approval.state is ApprovalState.APPROVED:
        kind = APPROVAL
        members = {
            "status": ActionStatus.RUNNING,
            "approved_by": approval.decided_by,
            "approved_at": approval.decided_at,
        }
    else:
        kind, why = _ended(approval)
        members = {
            "status": ActionStatus.CANCELLED,
            "error_message": why,
            "timestamp_end": approval.decided_at,
        }
    after = changed(action, members, now)
    return after, draft(action, after, kind, actor=actor, by=approval.decided_by or actor, now=now)


def _ended(approval: Approval) -> tuple[str, str]:
    """What ended an approval that was not given, and in words."""
    match approval.state:
        case ApprovalState.DENIED:
            return DENIAL, approval.reasoning or DENIED_WITHOUT_WORDS
        case ApprovalState.WITHDRAWN:
            return WITHDRAWAL, f"{WITHDRAWN_SAYS}{approval.reasoning or 'nobody waits for the approval any more.'}"
        case _:
            return EXPIRY, f"{EXPIRED_SAYS}{approval.expires_at.isoformat()}; nobody decided in time."
