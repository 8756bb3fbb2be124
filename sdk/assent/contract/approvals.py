"""Approvals: an operator decides on an action that guard would not let run by itself.

The endpoint stands with the actions (`APPROVE_ACTION`), since its answer carries the action.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, field

from assent.contract.record import Record, Request

Conditions = Annotated[list[Annotated[str, Meta(min_length=1, max_length=500)]], Meta(max_length=20)]
ValidMinutes = Annotated[int, Meta(ge=1, le=525_600)]


class ApprovalState(StrEnum):
    AWAITING = "awaiting"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"


class Verdict(StrEnum):
    """What an operator says."""

    ALLOW = "allow"
    DENY = "deny"


class ApproveAction(Request, frozen=True, kw_only=True):
    """`reasoning` is recorded, and shown to the agent when the verdict is deny.

    `conditions` go with an approval in words, for the agent to keep to; `valid_minutes` is how long the approval may be
    claimed, without limit when absent. Neither goes with a denial.
    """

    decision: Verdict
    reasoning: Annotated[str, Meta(max_length=4000)] | None = None
    conditions: Conditions | None = None
    valid_minutes: ValidMinutes | None = None


class Approval(Record, frozen=True, kw_only=True):
    """One approval, from asking to the decision, and to its use. `decided_by` is the operator's key by name.

    What is approved is fixed when it is asked for: `act_digest` is the digest of the action's type, goal, systems and
    parameters (`assent.proof.act`), None for approvals that are older than it. `valid_until` is when it can be claimed
    no more, None without limit. `claimed_by` is the key that used it, by id; `refused_claims` counts the claims for
    something else than what was approved.
    """

    org_id: str
    approval_id: str
    action_id: str
    agent_id: str | None
    action_type: str
    declared_goal: str | None
    risk_score: float
    reasons: list[str]
    matched_policies: list[str]
    state: ApprovalState
    requested_at: datetime
    expires_at: datetime
    decided_at: datetime | None
    decided_by: str | None
    decided_by_key: str | None
    reasoning: str | None
    idempotency_key: str | None
    created_at: datetime
    systems_touched: list[str] = field(default_factory=list[str])
    parameters_digest: str | None = None
    act_digest: str | None = None
    conditions: list[str] = field(default_factory=list[str])
    valid_until: datetime | None = None
    claimed_at: datetime | None = None
    claimed_by: str | None = None
    claim_idempotency_key: str | None = None
    refused_claims: int = 0
