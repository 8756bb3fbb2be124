"""Actions: what an agent does, from its declaration to its outcome."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, UnsetType, field

from assent.contract.control.approvals import Approval, ApproveAction, WithdrawAction
from assent.contract.control.assumptions import Assumption
from assent.contract.control.externality import Externality
from assent.contract.control.guard import (
    ActionType,
    Decision,
    Goal,
    GuardResult,
    ParametersDigest,
    Runtime,
    Source,
    Systems,
)
from assent.contract.control.loops import OpenLoop
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    AgentRisk,
    Cursor,
    Example,
    Id,
    Limit,
    Moment,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    Score,
    ShortText,
    meaning,
)
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


class CreateAction(Request, frozen=True, kw_only=True):
    """What the agent is doing. Only `action_type` is required; `agent_id` is otherwise the key's.

    With a `decision_id` (under five minutes old, unused, same agent, policies and context) guard is not asked again.
    `idempotency_key` (or the header `Idempotency-Key`) makes a repeated creation answer with the first action.
    Of `parameters` only the digest is kept with the action; whoever wants to keep them to themselves sends
    `parameters_digest` instead (`assent.proof.act`). An approval is for exactly these.
    `occurred_at` and `source` belong to history and need an admin key; history keeps the status it comes with.
    `replaces` is a waiting action of the same agent that this one takes the place of, such as after an operator's
    question: unless this one is blocked, that one is withdrawn with the same write, and its open questions are answered
    by this one.
    `_signature` is base64, over the canonical JSON of the whole body without it (see `assent.proof.signing`).
    """

    example: ClassVar[Example] = {
        "action_type": "deploy",
        "declared_goal": "Release 4.2 to production",
        "systems_touched": ["production"],
        "reversible": True,
        "risk_score": 40,
    }

    action_type: ActionType
    declared_goal: Goal | None = None
    agent_id: ShortText | None = None
    agent_name: Annotated[str, Meta(max_length=256)] | None = None
    swarm_id: ShortText | None = None
    action_id: Id | None = None
    parent_action_id: Id | None = None
    replaces: Id | None = None
    decision_id: Id | None = None
    session_id: ShortText | None = None
    parent_session_id: Annotated[ShortText | None, meaning("the session in which that one was begun")] = None
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
    risk_score: AgentRisk | None = None
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

    example: ClassVar[Example] = {"status": "completed", "output_summary": "4.2 runs", "duration_ms": 41000}

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
    its parameters, None where none were given; `externality` what the agent said of its reach. `action_type` is the
    type as it is compared; `action_type_as_sent` how the agent spelled it, None where that is the type.
    `outcome_marks` tell its newest reports sent again under the same idempotency key; absent without such reports.
    `replaces` is the waiting action whose place it took; absent where it took none's.
    """

    org_id: OrganizationId
    action_id: Annotated[str, meaning("id of the action", frozen=True)]
    agent_id: Annotated[str | None, meaning("who acts", frozen=True)]
    agent_name: Annotated[str | None, meaning("what people call the agent")]
    swarm_id: Annotated[str | None, meaning("the swarm it belongs to")]
    parent_action_id: Annotated[str | None, meaning("the action that caused it", frozen=True)]
    session_id: Annotated[str | None, meaning("the session it belongs to", frozen=True)]
    action_type: Annotated[str, meaning("what kind of action", frozen=True)]
    declared_goal: Annotated[str | None, meaning("what the agent wanted")]
    reasoning: Annotated[str | None, meaning("why the agent wanted it")]
    authorization_scope: Annotated[str | None, meaning("what allows the agent to do it")]
    trigger: Annotated[str | None, meaning("what made the agent act")]
    systems_touched: Annotated[list[str], meaning("names of the systems it touches")]
    input_summary: Annotated[str | None, meaning("what went in")]
    status: Annotated[
        ActionStatus, meaning("running, pending, pending_approval, completed, failed, cancelled or blocked")
    ]
    reversible: Annotated[bool, meaning("whether it can be taken back")]
    risk_score: Annotated[float, meaning("the service's risk, never below the agent's", unit="0-100")]
    agent_risk_score: Annotated[float | None, meaning("the agent's own estimate", unit="0-100")]
    confidence: Annotated[int, meaning("the agent's confidence", unit="0-100")]
    decision: Annotated[Decision, meaning("what guard decided")]
    decision_id: Annotated[str, meaning("id of guard's decision")]
    would_decide: Annotated[
        Decision | None, meaning("the decision with every observed policy enforced; empty when none matched")
    ]
    approval_id: Annotated[str | None, meaning("the approval it waited for")]
    output_summary: Annotated[str | None, meaning("what came out")]
    side_effects: Annotated[list[str], meaning("what else it changed")]
    artifacts_created: Annotated[list[str], meaning("what it made")]
    error_message: Annotated[str | None, meaning("why it failed, or why it was denied")]
    timestamp_start: Annotated[datetime, meaning("when it happened")]
    timestamp_end: Annotated[datetime | None, meaning("when it ended")]
    duration_ms: Annotated[int | None, meaning("how long it took", unit="ms")]
    cost_estimate: Annotated[float | None, meaning("what it cost", unit="USD")]
    tokens_in: Annotated[int | None, meaning("tokens read by the model", unit="tokens")]
    tokens_out: Annotated[int | None, meaning("tokens written by the model", unit="tokens")]
    model: Annotated[str | None, meaning("the model behind the agent")]
    verified: Annotated[bool, meaning("whether the agent's own key signed the creation")]
    approved_by: Annotated[str | None, meaning("the operator who allowed it")]
    approved_at: Annotated[datetime | None, meaning("when it was allowed")]
    metadata: Annotated[dict[str, Any], meaning("whatever the agent added")]
    runtime: Annotated[Runtime, meaning("where the agent runs")]
    source: Annotated[Source, meaning("live, import, or simulated: a simulator made it up")]
    idempotency_key: Annotated[str | None, meaning("the key that makes its creation repeatable")]
    created_by: Annotated[str, meaning("id of the key that recorded it")]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it last changed")]
    revision: Annotated[int, meaning("how often it changed")]
    verification: Annotated[Verification, meaning("unsigned, verified, unknown_key, replayed or revoked")] = (
        Verification.UNSIGNED
    )
    parameters_digest: Annotated[
        str | None, meaning("SHA-256 of its parameters in their canonical form; empty without parameters")
    ] = None
    externality: Annotated[
        Externality | None,
        meaning("how far it reaches: destination, account, data, and within how long it can be undone"),
    ] = None
    outcome_marks: Annotated[
        list[str] | UnsetType, meaning("digests that tell its newest reports sent again under the same idempotency key")
    ] = UNSET
    action_type_as_sent: Annotated[
        str | None, meaning("its type as the agent spelled it; empty when that is the type", frozen=True)
    ] = None
    replaces: Annotated[
        str | UnsetType, meaning("the waiting action whose place it took; empty where it took none's", frozen=True)
    ] = UNSET


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
    cursor: Cursor | None = None


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


EXPIRED_SAYS, WITHDRAWN_SAYS = "The approval expired at ", "Withdrawn: "
"""How the service begins what it says of an action (`error_message`) whose approval expired or was withdrawn."""


def standing(action: Action) -> str:
    """How an action stands, in a word: its status, or `denied`, `expired` or `withdrawn` where it is cancelled because
    the approval that it waited for was not given."""
    waited = action.status is ActionStatus.CANCELLED and action.approval_id is not None and action.approved_by is None
    if not waited:
        return action.status.value
    said = action.error_message or ""
    if said.startswith(EXPIRED_SAYS):
        return "expired"
    return "withdrawn" if said.startswith(WITHDRAWN_SAYS) else "denied"


STANDINGS = (*(each.value for each in ActionStatus), "denied", "expired", "withdrawn")
"""Every word that `standing` may say."""


class WithdrawnAction(Record, frozen=True, kw_only=True):
    """The action is cancelled, and its approval withdrawn."""

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
        Code.ACTION_ERASED,
        Code.AGENT_MISMATCH,
        Code.ACTION_EXISTS,
        Code.TOO_MANY_WAITING,
        Code.DECISION_UNUSABLE,
        Code.IDEMPOTENCY_MISMATCH,
        Code.ACTION_NOT_FOUND,
        Code.NOT_AWAITING_APPROVAL,
        Code.ALREADY_DECIDED,
        Code.APPROVAL_WITHDRAWN,
        Code.APPROVAL_EXPIRED,
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
    problems=(
        Code.ACTION_NOT_FOUND,
        Code.AWAITING_APPROVAL,
        Code.AGENT_MISMATCH,
        Code.IDEMPOTENCY_MISMATCH,
        Code.PROJECTION_BEHIND,
    ),
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
        Code.SELF_APPROVAL,
        Code.NOT_AWAITING_APPROVAL,
        Code.ALREADY_DECIDED,
        Code.APPROVAL_WITHDRAWN,
        Code.APPROVAL_EXPIRED,
        Code.HALTED,
        Code.PROJECTION_BEHIND,
    ),
)
WITHDRAW_ACTION = Endpoint(
    operation="withdraw_action",
    method="POST",
    path="/api/actions/{action_id}/withdraw",
    summary="Take back the question of an action that waits: it is cancelled, and nobody can decide on it any more.",
    roles=ACTING,
    request=WithdrawAction,
    response=WithdrawnAction,
    problems=(
        Code.ACTION_NOT_FOUND,
        Code.AGENT_MISMATCH,
        Code.NOT_AWAITING_APPROVAL,
        Code.ALREADY_DECIDED,
        Code.APPROVAL_EXPIRED,
        Code.PROJECTION_BEHIND,
    ),
)
