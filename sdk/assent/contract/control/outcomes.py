"""Durable outcomes: how an execution ended, said once. The first report stands, whatever comes after it.

`update_outcome` moves an action and may correct it; a durable outcome is for agents that must know, before they try
again, whether they have done it already.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, UnsetType

from assent.contract.control.actions import Action
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Example, OrganizationId, Record, RecordedAt, Request, meaning
from assent.contract.roles import ACTING, ANYONE

Words = Annotated[str, Meta(max_length=4000)]


class OutcomeStatus(StrEnum):
    """`pending` is never reported: nothing was, yet."""

    PENDING = "pending"
    COMPLETED = "completed"
    PARTIAL = "partial"
    FAILED = "failed"


class ReportOutcome(Request, frozen=True, kw_only=True):
    """`failed` takes an `error_message`, `partial` a `progress` that says how far it came."""

    example: ClassVar[Example] = {"status": "completed"}

    status: Annotated[str, Meta(pattern="^(completed|partial|failed)$")]
    summary: Words | None = None
    error_message: Words | None = None
    progress: dict[str, Any] | None = None


class Outcome(Record, frozen=True, kw_only=True):
    """`elapsed_ms` is from the action's start to its outcome, and to now while that is pending. Without a report the
    status is what the action's own says: `failed` for one that failed, was cancelled or blocked. `outcome_mark` tells
    the report sent again under the same idempotency key."""

    org_id: OrganizationId
    action_id: Annotated[str, meaning("the action that ended", frozen=True)]
    agent_id: Annotated[str | None, meaning("who acted", frozen=True)]
    status: Annotated[OutcomeStatus, meaning("completed, partial or failed")]
    outcome_at: Annotated[datetime | None, meaning("when it was reported")]
    summary: Annotated[str | None, meaning("what came out")]
    error_message: Annotated[str | None, meaning("why it failed")]
    progress: Annotated[dict[str, Any] | None, meaning("how far it came")]
    elapsed_ms: Annotated[int | None, meaning("from the action's start to the report", unit="ms")]
    reported_by: Annotated[str | None, meaning("id of the key that reported it")]
    created_at: RecordedAt
    outcome_mark: Annotated[
        str | UnsetType, meaning("digest that tells the report sent again under the same idempotency key", frozen=True)
    ] = UNSET


class ReportedOutcome(Record, frozen=True, kw_only=True):
    outcome: Outcome
    action: Action
    action_id: str


REPORT_OUTCOME = Endpoint(
    operation="report_action_outcome",
    method="POST",
    path="/api/actions/{action_id}/outcome",
    summary="Say once and for all how an action ended; the first report stands.",
    roles=ACTING,
    request=ReportOutcome,
    response=ReportedOutcome,
    problems=(
        Code.ACTION_NOT_FOUND,
        Code.AWAITING_APPROVAL,
        Code.OUTCOME_EXISTS,
        Code.IDEMPOTENCY_MISMATCH,
        Code.PROJECTION_BEHIND,
    ),
)
GET_OUTCOME = Endpoint(
    operation="get_action_outcome",
    method="GET",
    path="/api/actions/{action_id}/outcome",
    summary="Whether an action has ended, and how: ask before doing it again.",
    roles=ANYONE,
    response=Outcome,
    problems=(Code.ACTION_NOT_FOUND,),
)
