"""Approvals: an operator decides on an action that guard would not let run by itself.

The endpoint stands with the actions (`APPROVE_ACTION`), since its answer carries the action.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta, field

from assent.contract.record import Example, OrganizationId, Record, RecordedAt, Request, meaning

Conditions = Annotated[list[Annotated[str, Meta(min_length=1, max_length=500)]], Meta(max_length=20)]
ValidMinutes = Annotated[int, Meta(ge=1, le=525_600)]


class ApprovalState(StrEnum):
    """`withdrawn`: whoever asked waits no more, and nobody can decide."""

    AWAITING = "awaiting"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class Verdict(StrEnum):
    """What an operator says."""

    ALLOW = "allow"
    DENY = "deny"


class ApproveAction(Request, frozen=True, kw_only=True):
    """`reasoning` is recorded, and shown to the agent when the verdict is deny.

    `conditions` go with an approval in words, for the agent to keep to; `valid_minutes` is how long the approval may be
    claimed, without limit when absent. Neither goes with a denial.
    """

    example: ClassVar[Example] = {"decision": "allow", "reasoning": "The tests passed."}

    decision: Verdict
    reasoning: Annotated[str, Meta(max_length=4000)] | None = None
    conditions: Conditions | None = None
    valid_minutes: ValidMinutes | None = None


class WithdrawAction(Request, frozen=True, kw_only=True):
    """`reason` is why nobody waits for the approval any more; operators read it."""

    example: ClassVar[Example] = {"reason": "The customer hung up; nobody waits for the refund any more."}

    reason: Annotated[str, Meta(max_length=4000)] | None = None


class Approval(Record, frozen=True, kw_only=True):
    """One approval, from asking to the decision, and to its use. `decided_by` is the operator's key by name; of a
    withdrawn one it is the key that withdrew it, `decided_at` when, and `reasoning` why.

    `self_decided` is true where the key that decided is the key that had opened the action, None where nobody decided
    and for decisions that are older than the member.

    What is approved is fixed when it is asked for: `act_digest` is the digest of the action's type, goal, systems and
    parameters (`assent.proof.act`), None for approvals that are older than it. `valid_until` is when it can be claimed
    no more, None without limit. `claimed_by` is the key that used it, by id; `refused_claims` counts the claims for
    something else than what was approved. `grant_id` is the standing grant (`contract.control.grants`) that approved it
    in advance: nobody was asked, `decided_by` gave the grant, `reasoning` is the grant's.
    """

    org_id: OrganizationId
    approval_id: Annotated[str, meaning("id of the approval", frozen=True)]
    action_id: Annotated[str, meaning("the action that waits", frozen=True)]
    agent_id: Annotated[str | None, meaning("who wants to act", frozen=True)]
    action_type: Annotated[str, meaning("what kind of action", frozen=True)]
    declared_goal: Annotated[str | None, meaning("what the agent wants")]
    risk_score: Annotated[float, meaning("the service's risk", unit="0-100")]
    reasons: Annotated[list[str], meaning("why it was stopped")]
    matched_policies: Annotated[list[str], meaning("ids of the policies that stopped it")]
    state: Annotated[ApprovalState, meaning("awaiting, approved, denied, expired or withdrawn")]
    requested_at: Annotated[datetime, meaning("when it was asked")]
    expires_at: Annotated[datetime, meaning("when it expires unless somebody decides")]
    decided_at: Annotated[datetime | None, meaning("when it was decided, expired or was withdrawn")]
    decided_by: Annotated[str | None, meaning("the operator by name; of a withdrawn one who withdrew it")]
    decided_by_key: Annotated[str | None, meaning("id of that key")]
    reasoning: Annotated[str | None, meaning("why it was decided so, or withdrawn")]
    idempotency_key: Annotated[str | None, meaning("the key that makes the decision repeatable")]
    created_at: RecordedAt
    systems_touched: Annotated[
        list[str], meaning("the systems that were approved, in the order in which the action named them")
    ] = field(default_factory=list[str])
    parameters_digest: Annotated[
        str | None, meaning("SHA-256 of the parameters that were approved, in their canonical form")
    ] = None
    act_digest: Annotated[
        str | None, meaning("SHA-256 of exactly what was approved: type, goal, systems and parameters")
    ] = None
    conditions: Annotated[list[str], meaning("what the operator asks the agent to keep to")] = field(
        default_factory=list[str]
    )
    valid_until: Annotated[
        datetime | None, meaning("when the approval can be claimed no more; empty without limit")
    ] = None
    claimed_at: Annotated[datetime | None, meaning("when the agent used the approval; empty while it did not")] = None
    claimed_by: Annotated[str | None, meaning("id of the key that used it")] = None
    claim_idempotency_key: Annotated[str | None, meaning("the key that makes the claim repeatable")] = None
    refused_claims: Annotated[int, meaning("how often something else than what was approved was claimed")] = 0
    self_decided: Annotated[
        bool | None, meaning("whether the key that decided had opened the action; empty where it is not known")
    ] = None
    grant_id: Annotated[
        str | None,
        meaning("the standing grant that approved it in advance; empty where a person was asked", frozen=True),
    ] = None
