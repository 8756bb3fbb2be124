"""Actions, approvals and decisions of before, as tests of the inbox need them."""

from __future__ import annotations

from typing import Any

import msgspec

from assent.cli.approvals import Waiting
from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.inbox import ActionApproval
from tests.sdk.data.fake_service import NOW, action_of, approval_of


def waiting(reasons: list[str] | None = None, **more: Any) -> Waiting:
    """One that waits since NOW, for a day."""
    given = {"action_type": "deploy", "agent_id": "bot", "declared_goal": "Roll out version 4", **more}
    risk = given.pop("risk_score", 10)
    action = action_of("act_1", given, "require_approval", "pending_approval") | {"risk_score": risk}
    approval = approval_of(action) | ({} if reasons is None else {"reasons": reasons})
    return Waiting(action=msgspec.convert(action, Action), approval=msgspec.convert(approval, Approval))


def past(
    state: str,
    status: str = "completed",
    by: str | None = "ana",
    reasoning: str | None = None,
    *,
    action_id: str = "act_0",
    grant_id: str | None = None,
) -> ActionApproval:
    """A decision that was made at NOW."""
    action = action_of(action_id, {"action_type": "deploy", "agent_id": "bot", "declared_goal": "x"}, "allow", status)
    error = "no such host" if status == "failed" else None
    approval = approval_of(action) | {"state": state, "decided_by": by, "decided_at": NOW, "reasoning": reasoning}
    return ActionApproval(
        action=msgspec.convert(action | {"error_message": error}, Action),
        approval=msgspec.convert(approval | {"grant_id": grant_id}, Approval),
        context_digest=None,
    )
