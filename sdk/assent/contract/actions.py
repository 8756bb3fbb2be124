"""Actions: what an agent does, from its declaration to its outcome."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta, field

from assent.contract.approvals import Approval, ApproveAction
from assent.contract.assumptions import Assumption
from assent.contract.endpoint import Endpoint
from assent.contract.externality import Externality
from assent.contract.guard import (
    ActionType,
    Decision,
    Goal,
    GuardResult,
    ParametersDigest,
    Runtime,
    Source,
    Systems,
)
from assent.contract.loops import OpenLoop
from assent.contract.problems import Code
from assent.contract.record import Id, Limit, Offset, Query, Record, Request, Score, ShortText
from assent.contract.roles import ACTING, ANYONE, OPERATING


class ActionStatus(StrEnum):
    """`blocked` is set by the service alone: evidence of an attempt that did not run."""

    RUNNING = "running"
    PENDING = "pending"
    PENDING_APPROVAL = "pending_approval"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    BLOCKED = "blocked"


class Verification(StrEnum):
    """What the signature of a creation amounted to. `unknown_key`: the agent has no identity. `replayed`: the
    signature is good and came before, so it proves nothing. `revoked`: the agent's identity was revoked."""

    UNSIGNED = "unsigned"
    VERIFIED = "verified"
    UNKNOWN_KEY = "unknown_key"
    REPLAYED = "replayed"
    REVOKED = "revoked"


FINAL = frozenset({ActionStatus.COMPLETED, ActionStatus.FAILED, ActionStatus.CANCELLED, ActionStatus.BLOCKED})

Text = Annotated[str, Meta(max_length=4000)]
Confidence = Annotated[int, Meta(ge=0, le=100)]
Tokens = Annotated[int, Meta(ge=0, le=10_000_000)]
Cost = Annotated[float, Meta(ge=0, le=10_000)]
Duration = Annotated[int, Meta(ge=0, le=10**15)]
Moment = Annotated[datetime, Meta(tz=True)]


class CreateAction(Request, frozen=True, kw_only=True):
    """What the agent is doing. Only `action_type` is required; `agent_id` is otherwise the key's.

    With a `decision_id` (under five minutes old, unused, same agent, policies and context) guard is not asked again.
    `idempotency_key` (or the header `Idempotency-Key`) makes a repeated creation answer with the first action.
    Of `parameters` only the digest is kept with the action; whoever wants to keep them to themselves sends
    `parameters_digest` instead (`assent.proof.act`). An approval is for exactly these.
    `occurred_at` and `source` belong to history and need an admin key; history keeps the status it comes with.
    `_signature` is base64, over the canonical JSON of the whole body without it (see `assent.proof.signing`).
    """

    action_type: ActionType
    declared_goal: Goal | None = None
    agent_id: ShortText | None = None
    agent_name: Annotated[str, Meta(max_length=256)] | None = None
    swarm_id: ShortText | None = None
    action_id: Id | None = None
    parent_action_id: Id | None = None
    decision_id: Id | None = None
    session_id: ShortText | None = None
    reasoning: Text | None = None
    authorization_scope: Annotated[str, Meta(max_length=1000)] | None = None
    trigger: Annotated[str, Meta(max_length=1000)] | None = None
    systems_touched: Systems | None = None
    parameters: dict[str, Any] | None = None
    parameters_digest: ParametersDigest | None = None
    externality: Externality | None = None
    input_summary: Text | None = None
    status: ActionStatus | None = None
    reversible: bool | None = None
    risk_score: Score | None = None
    confidence: Confidence | None = None
    model: ShortText | None = None
    tokens_in: Tokens | None = None
    tokens_out: Tokens | None = None
    cost_estimate: Cost | None = None
    metadata: dict[str, Any] | None = None
    runtime: Runtime | None = None
    idempotency_key: Annotated[str, Meta(min_length=1, max_length=255)] | None = None
    timestamp_start: Moment | None = None
    occurred_at: Moment | None = None
    source: Source | None = None
    signature: Annotated[str, Meta(max_length=4000)] | None = field(name="_signature", default=None)


class UpdateOutcome(Request, frozen=True, kw_only=True):
    """What came of an action. At least one member; a changed final status is kept as a correction."""

    status: ActionStatus | None = None
    output_summary: Text | None = None
    side_effects: Annotated[list[Annotated[str, Meta(max_length=1000)]], Meta(max_length=50)] | None = None
    artifacts_created: Annotated[list[Annotated[str, Meta(max_length=1000)]], Meta(max_length=100)] | None = None
    error_message: Text | None = None
    timestamp_end: Moment | None = None
    duration_ms: Duration | None = None
    cost_estimate: Cost | None = None
    tokens_in: Tokens | None = None
    tokens_out: Tokens | None = None
    model: ShortText | None = None
    metadata: dict[str, Any] | None = None
    close_if_running: bool | None = None
    occurred_at: Moment | None = None
    source: Source | None = None


class Action(Record, frozen=True, kw_only=True):
    """One action. Times are UTC; `duration_ms` milliseconds; `cost_estimate` US dollars; scores 0 to 100.

    `decision` is guard's verdict on it, `decision_id` names the recorded decision. `timestamp_start` is when it
    happened; `created_at` when it was recorded. `revision` counts changes since creation. `verified` is true where
    the agent's own key signed the creation; `verification` says what else it was. `parameters_digest` is the digest of
    its parameters, None where none were given; `externality` what the agent said of its reach.
    """

    org_id: str
    action_id: str
    agent_id: str | None
    agent_name: str | None
    swarm_id: str | None
    parent_action_id: str | None
    session_id: str | None
    action_type: str
    declared_goal: str | None
    reasoning: str | None
    authorization_scope: str | None
    trigger: str | None
    systems_touched: list[str]
    input_summary: str | None
    status: ActionStatus
    reversible: bool
    risk_score: float
    agent_risk_score: float | None
    confidence: int
    decision: Decision
    decision_id: str
    would_decide: Decision | None
    approval_id: str | None
    output_summary: str | None
    side_effects: list[str]
    artifacts_created: list[str]
    error_message: str | None
    timestamp_start: datetime
    timestamp_end: datetime | None
    duration_ms: int | None
    cost_estimate: float | None
    tokens_in: int | None
    tokens_out: int | None
    model: str | None
    verified: bool
    approved_by: str | None
    approved_at: datetime | None
    metadata: dict[str, Any]
    runtime: Runtime
    source: Source
    idempotency_key: str | None
    created_by: str
    created_at: datetime
    updated_at: datetime
    revision: int
    verification: Verification = Verification.UNSIGNED
    parameters_digest: str | None = None
    externality: Externality | None = None


class CreatedAction(Record, frozen=True, kw_only=True):
    """`action_id` is what every later call names. `idempotent_replay` says that this creation had happened before."""

    action_id: str
    action: Action
    decision: GuardResult
    approval: Approval | None
    idempotent_replay: bool


class ActionDetail(Record, frozen=True, kw_only=True):
    """`open_loops` are those that nobody has closed; the trace has them all."""

    action: Action
    approval: Approval | None
    assumptions: list[Assumption]
    open_loops: list[OpenLoop]


class UpdatedAction(Record, frozen=True, kw_only=True):
    action: Action


class ActionsQuery(Query, frozen=True, kw_only=True):
    """Filters of the list. `decision_id` leaves the action that came of that decision, one at most. `cursor` comes
    from the page before; `offset` is for published clients."""

    agent_id: ShortText | None = None
    swarm_id: ShortText | None = None
    status: ActionStatus | None = None
    exclude_status: ActionStatus | None = None
    action_type: ShortText | None = None
    decision: Decision | None = None
    decision_id: Id | None = None
    session_id: ShortText | None = None
    source: Source | None = None
    risk_min: Score | None = None
    days: Annotated[int, Meta(ge=1, le=3650)] | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Annotated[str, Meta(max_length=400)] | None = None


class ActionStats(Record, frozen=True, kw_only=True):
    """Over every action that fits the filters; `high_risk` counts risk 70 and more; `avg_risk` is 0 without rows."""

    total: int
    completed: int
    failed: int
    running: int
    high_risk: int
    avg_risk: float
    total_cost: float


class Actions(Record, frozen=True, kw_only=True):
    """A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time."""

    actions: list[Action]
    total: int
    stats: ActionStats
    lastUpdated: datetime  # noqa: N815 - the published name
    next_cursor: str | None


class ApprovedAction(Record, frozen=True, kw_only=True):
    success: bool
    action: Action
    approval: Approval


CREATE_ACTION = Endpoint(
    operation="create_action",
    method="POST",
    path="/api/actions",
    summary="Say what the agent is doing; guard is applied, and a blocked attempt is kept as evidence.",
    roles=ACTING,
    request=CreateAction,
    response=CreatedAction,
    statuses=(201, 202, 200),
    open_body=True,
    problems=(
        Code.ACTION_BLOCKED,
        Code.AGENT_MISMATCH,
        Code.ACTION_EXISTS,
        Code.DECISION_UNUSABLE,
        Code.IDEMPOTENCY_MISMATCH,
        Code.SIGNATURE_REQUIRED,
        Code.SIGNATURE_INVALID,
        Code.SIGNATURE_REPLAYED,
        Code.PROJECTION_BEHIND,
    ),
)
GET_ACTIONS = Endpoint(
    operation="get_actions",
    method="GET",
    path="/api/actions",
    summary="Actions, newest first, with counts over everything that fits the filters.",
    roles=ANYONE,
    query=ActionsQuery,
    response=Actions,
)
GET_ACTION = Endpoint(
    operation="get_action",
    method="GET",
    path="/api/actions/{action_id}",
    summary="One action with its approval, assumptions and open loops.",
    roles=ANYONE,
    response=ActionDetail,
    problems=(Code.ACTION_NOT_FOUND,),
)
UPDATE_OUTCOME = Endpoint(
    operation="update_outcome",
    method="PATCH",
    path="/api/actions/{action_id}",
    summary="Record what came of an action.",
    roles=ACTING,
    request=UpdateOutcome,
    response=UpdatedAction,
    problems=(Code.ACTION_NOT_FOUND, Code.AWAITING_APPROVAL, Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
)
APPROVE_ACTION = Endpoint(
    operation="approve_action",
    method="POST",
    path="/api/actions/{action_id}/approve",
    also=("/api/approvals/{action_id}",),
    summary="Allow or deny an action that waits; exactly one operator decides.",
    roles=OPERATING,
    request=ApproveAction,
    response=ApprovedAction,
    problems=(
        Code.ACTION_NOT_FOUND,
        Code.NOT_AWAITING_APPROVAL,
        Code.ALREADY_DECIDED,
        Code.APPROVAL_EXPIRED,
        Code.PROJECTION_BEHIND,
    ),
)
