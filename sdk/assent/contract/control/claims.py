"""Claims: an agent uses the approval that it was given, once, for exactly what was approved."""

from __future__ import annotations

from typing import Any, ClassVar

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.guard import ActionType, Goal, ParametersDigest, Systems
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Example, Record, Request
from assent.contract.roles import ACTING


class ClaimAction(Request, frozen=True, kw_only=True):
    """What is about to be done, whole: what is absent here must have been absent from what was approved.

    `systems_touched` in the order in which the action named them. The parameters themselves, of which nothing is kept,
    or `parameters_digest`, which is that of `assent.proof.act.parameters_digest`.
    """

    example: ClassVar[Example] = {"action_type": "deploy"}

    action_type: ActionType
    declared_goal: Goal | None = None
    systems_touched: Systems | None = None
    parameters: dict[str, Any] | None = None
    parameters_digest: ParametersDigest | None = None


class ClaimedAction(Record, frozen=True, kw_only=True):
    """The approval is used from now on. `act_digest` is the digest of what was approved and claimed, as
    `assent.proof.act.act_digest` gives it; `approval.conditions` are the operator's, for the agent to keep to."""

    action: Action
    approval: Approval
    act_digest: str


CLAIM_ACTION = Endpoint(
    operation="claim_action",
    method="POST",
    path="/api/actions/{action_id}/claim",
    summary="Use an approval, once, for exactly what was approved.",
    roles=ACTING,
    request=ClaimAction,
    response=ClaimedAction,
    problems=(
        Code.ACTION_NOT_FOUND,
        Code.AGENT_MISMATCH,
        Code.HALTED,
        Code.NOT_APPROVED,
        Code.RECEIPT_USED,
        Code.RECEIPT_MISMATCH,
        Code.RECEIPT_EXPIRED,
        Code.GRANT_REVOKED,
        Code.IDEMPOTENCY_MISMATCH,
        Code.PROJECTION_BEHIND,
    ),
)
