"""Approvals: an operator decides on an action that guard would not let run by itself.

The endpoint stands with the actions (`APPROVE_ACTION`), since its answer carries the action.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from assent.contract.record import Record, Request


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
    """`reasoning` is recorded, and shown to the agent when the verdict is deny."""

    decision: Verdict
    reasoning: Annotated[str, Meta(max_length=4000)] | None = None


class Approval(Record, frozen=True, kw_only=True):
    """One approval, from asking to the decision. `decided_by` is the operator's key by name."""

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
