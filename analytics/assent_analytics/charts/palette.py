"""What a decision, a status or an end looks like, everywhere. The colours hold on white and on near-black; greens and
reds differ in lightness as well, so that they can be told apart without colour."""

from __future__ import annotations

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision
from assent.contract.evidence.pcaa import CheckpointId, CheckpointStatus

GREEN, AMBER, BLUE, RED, GREY, VIOLET = "#2fa57f", "#e8a33d", "#4c8df6", "#d8485f", "#8a93a3", "#9a7bd6"
"""Good; watch; waits; stopped; nothing to say; said by a person or an agent."""
FAINT = "#8a93a355"
MUTED = "#767f8f"
"""Text inside a picture, where the theme's own colour does not reach: four times as bright as the dark page, and the
white page four times as bright as it."""
INK = "#1b2430"
"""Text on a filled cell, whatever the page: every colour of RISK is at least four times as bright."""
RISK = ("#f4ead2", "#efb968", "#e5766b")
"""From no risk to much: darker as well as redder."""

DECISIONS: dict[str, str] = {
    Decision.ALLOW.value: GREEN,
    Decision.WARN.value: AMBER,
    Decision.REQUIRE_APPROVAL.value: BLUE,
    Decision.BLOCK.value: RED,
}
CHECKPOINT_STATUSES: dict[str, str] = {
    CheckpointStatus.COMPLETE.value: GREEN,
    CheckpointStatus.DENIED.value: RED,
    CheckpointStatus.PENDING.value: BLUE,
    CheckpointStatus.MISSING.value: AMBER,
    CheckpointStatus.NOT_REQUIRED.value: FAINT,
}
APPROVALS: dict[str, str] = {
    ApprovalState.APPROVED.value: GREEN,
    ApprovalState.DENIED.value: RED,
    ApprovalState.EXPIRED.value: GREY,
    ApprovalState.WITHDRAWN.value: FAINT,
    ApprovalState.AWAITING.value: BLUE,
}
STATUSES: dict[str, str] = {
    ActionStatus.COMPLETED.value: GREEN,
    ActionStatus.FAILED.value: AMBER,
    ActionStatus.CANCELLED.value: GREY,
    ActionStatus.BLOCKED.value: RED,
    ActionStatus.RUNNING.value: VIOLET,
    ActionStatus.PENDING.value: GREY,
    ActionStatus.PENDING_APPROVAL.value: BLUE,
}
TIMELINE: dict[str, str] = {
    **STATUSES,
    **DECISIONS,
    **APPROVALS,
    "waiting": BLUE,
    "assumption": VIOLET,
    "message": VIOLET,
    "correction": AMBER,
    "claimed": GREEN,
    "loop": AMBER,
    "loop_closed": GREEN,
    "proven": GREEN,
}

CHECKPOINTS: dict[str, str] = {
    CheckpointId.PRE_ACTION_ADMISSIBILITY.value: "Admissibility",
    CheckpointId.ACTION_OPEN.value: "Action open",
    CheckpointId.ASSUMPTION_CAPTURE.value: "Assumption",
    CheckpointId.APPROVAL.value: "Approval",
    CheckpointId.OUTCOME_CLOSURE.value: "Outcome",
}


def spoken(name: str) -> str:
    """`require_approval` as a legend says it."""
    return name.replace("_", " ")


SPOKEN = "replace(datum.label, /_/g, ' ')"
"""The same, for the labels of legends and axes."""
