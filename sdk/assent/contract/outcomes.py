"""Durable outcomes: how an execution ended, said once. The first report stands, whatever comes after it.

`update_outcome` moves an action and may correct it; a durable outcome is for agents that must know, before they try
again, whether they have done it already.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta

from assent.contract.actions import Action
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Record, Request
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

    status: Annotated[str, Meta(pattern="^(completed|partial|failed)$")]
    summary: Words | None = None
    error_message: Words | None = None
    progress: dict[str, Any] | None = None


class Outcome(Record, frozen=True, kw_only=True):
    """`elapsed_ms` is from the action's start to its outcome, and to now while that is pending. Without a report the
    status is what the action's own says: `failed` for one that failed, was cancelled or blocked."""

    org_id: str
    action_id: str
    agent_id: str | None
    status: OutcomeStatus
    outcome_at: datetime | None
    summary: str | None
    error_message: str | None
    progress: dict[str, Any] | None
    elapsed_ms: int | None
    reported_by: str | None
    created_at: datetime


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
