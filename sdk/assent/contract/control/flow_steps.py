"""The steps of a session, in their order: what it was told, and what guard was asked in it.

It shows what guard saw: which answer put a label on, where each value of a call came from, and what was stopped.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.flows import FlowSession, FlowTrace
from assent.contract.control.guard import Decision, Source
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Cursor, Query, Record
from assent.contract.roles import ANYONE

LONGEST_CONTEXT = 4_000
"""Characters of a request that is shown with its step."""


class FlowEntry(Record, frozen=True, kw_only=True):
    """What the session was told for time `number`. `kind` is `user` (the user said something), `result` (a tool
    answered; `call` is its number among the answers) or `removal` (an operator took labels off, with a `reason`). `by`
    is the key that told it or took them off, and `agent_id` as which agent it was told; both are those of the session
    (`created_by`, `agent_id`) unless another key speaks for its agent, or a sub-agent told it. `text` says that it held
    text of somebody else, `page` that this stands at an address outside, `complete` that all of it is kept. `labels`
    are those that it put on, or took off."""

    number: int
    kind: str
    session_id: str
    agent_id: str | None
    action_id: str | None
    call: int
    tool: str
    text: bool
    page: bool
    complete: bool
    labels: list[str]
    reason: str
    by: str


class FlowAsked(Record, frozen=True, kw_only=True):
    """A question to guard. `action_id` is the action that came of it, with its `status`, and `approval` what became of
    asking a person, `decided_by` whom. `flow` is what a flow policy looked at, None where none did. `context` is the
    request as it was recorded, None where it has more than 4,000 characters."""

    decision_id: str
    session_id: str | None
    agent_id: str | None
    action_id: str | None
    action_type: str
    declared_goal: str | None
    decision: Decision
    would_decide: Decision | None
    reason: str | None
    risk_score: float
    source: Source
    status: ActionStatus | None
    approval: ApprovalState | None
    decided_by: str | None
    flow: FlowTrace | None
    context: dict[str, Any] | None


class FlowStep(Record, frozen=True, kw_only=True):
    """Either `told` or `asked`; the other one is None."""

    at: datetime
    told: FlowEntry | None
    asked: FlowAsked | None


class FlowStepsQuery(Query, frozen=True, kw_only=True):
    """`limit` is how many steps at most: the last ones, or the last ones before those of the page that `cursor` comes
    from."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 200
    cursor: Cursor | None = None


class FlowSteps(Record, frozen=True, kw_only=True):
    """The outermost session, and a page of its steps in the order of time; those of sessions inside of it are among
    them. The first page has the last steps, and `next_cursor` leads to the steps before, of which there are `before`;
    it is None where there are none. `total` counts all steps of the session, and `missing` how many times it was told
    something that is erased."""

    flow: FlowSession
    steps: list[FlowStep]
    before: int
    total: int
    missing: int
    next_cursor: str | None
    lastUpdated: datetime  # noqa: N815 - as the lists have it


GET_FLOW_STEPS = Endpoint(
    operation="get_flow_steps",
    method="GET",
    path="/api/flows/{flow_id}/steps",
    summary="What a session was told and what guard was asked in it, step by step, with where each value came from.",
    roles=ANYONE,
    query=FlowStepsQuery,
    response=FlowSteps,
    problems=(Code.FLOW_NOT_FOUND, Code.PROJECTION_BEHIND),
)
