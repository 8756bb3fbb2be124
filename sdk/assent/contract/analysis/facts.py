"""Facts: one row for each action with all that the tables of the evidence know of it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision, Runtime, Source
from assent.contract.record import Record, meaning


class Censored(StrEnum):
    """Why an action has no outcome. `not_approved`: nobody approved it, and its approval is not among the rows, so that
    nobody can say whether it was denied, expired or withdrawn. `cancelled`: it was stopped for another reason.
    `not_begun`: guard was asked and let it go on, and no action followed."""

    BLOCKED = "blocked"
    DENIED = "denied"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    NOT_APPROVED = "not_approved"
    CANCELLED = "cancelled"
    AWAITING = "awaiting"
    RUNNING = "running"
    NOT_BEGUN = "not_begun"


class Fact(Record, frozen=True, kw_only=True):
    """A row of the facts. A column that has the name of a table's column has its meaning and its type. What is long
    text of agents and people (goals, reasons, summaries) stays in the tables, found by the ids."""

    action_id: Annotated[str | None, meaning("id of the action; empty where a question was not followed by one")]
    decision_id: Annotated[str | None, meaning("id of guard's decision")]
    approval_id: Annotated[str | None, meaning("the approval it waited for; empty where nobody was asked")]
    parent_action_id: Annotated[str | None, meaning("the action that caused it")]
    agent_id: Annotated[str | None, meaning("who acts")]
    swarm_id: Annotated[str | None, meaning("the swarm it belongs to")]
    session_id: Annotated[str | None, meaning("the session it belongs to")]
    thread_id: Annotated[str | None, meaning("the thread it belongs to: `thread_id` of its metadata")]
    cluster: Annotated[str, meaning("rows with the same text are not independent of each other")]
    cluster_basis: Annotated[
        str,
        meaning("what the cluster is: session, else thread, else agent and hour, else agent; unknown where none is"),
    ]
    action_type: Annotated[str, meaning("what kind of action")]
    tool: Annotated[str | None, meaning("the tool that it calls: `tool`, else `tool_name` of its metadata")]
    systems_touched: Annotated[tuple[str, ...] | None, meaning("names of the systems it touches")]
    model: Annotated[str | None, meaning("the model behind the agent")]
    runtime: Annotated[Runtime, meaning("where the agent runs")]
    source: Annotated[Source, meaning("live, import, or simulated: a simulator made it up")]
    occurred_at: Annotated[datetime | None, meaning("when guard was asked, else when the action happened")]
    hour: Annotated[int | None, meaning("the hour of that time in UTC", unit="0-23")]
    weekday: Annotated[int | None, meaning("the day of the week of that time in UTC; 1 is Monday", unit="1-7")]
    decision: Annotated[Decision | None, meaning("what guard decided")]
    would_decide: Annotated[
        Decision | None, meaning("the decision with every observed policy enforced; empty when none matched")
    ]
    propensity: Annotated[
        float | None,
        meaning("how probable this decision was when it was made; 1 where rules alone decided", unit="0-1"),
    ]
    matched_policies: Annotated[tuple[str, ...] | None, meaning("ids of the enforced policies that matched")]
    observed_policies: Annotated[tuple[str, ...] | None, meaning("ids of the observed policies that matched")]
    policy_version: Annotated[int | None, meaning("which version of the organization's policies decided")]
    risk_score: Annotated[float | None, meaning("the service's risk, never below the agent's", unit="0-100")]
    agent_risk_score: Annotated[float | None, meaning("the agent's own estimate", unit="0-100")]
    risk_breakdown: Annotated[dict[str, float] | None, meaning("each addition to the risk by name")]
    risk_history: Annotated[float | None, meaning("what the agent's history added to the risk", unit="points")]
    risk_template_id: Annotated[str | None, meaning("the risk template that rated it; empty when none did")]
    risk_template_score: Annotated[
        float | None, meaning("the template's own risk, before it was compared with others", unit="0-100")
    ]
    reversible: Annotated[bool | None, meaning("whether it can be taken back")]
    confidence: Annotated[int | None, meaning("the agent's confidence", unit="0-100")]
    state: Annotated[ApprovalState | None, meaning("awaiting, approved, denied, expired or withdrawn")]
    requested_at: Annotated[datetime | None, meaning("when the approval was asked for")]
    decided_at: Annotated[datetime | None, meaning("when it was decided, expired or was withdrawn")]
    decided_by: Annotated[str | None, meaning("the operator by name; of a withdrawn one who withdrew it")]
    grant_id: Annotated[
        str | None,
        meaning("the standing grant that let it through; empty where a person was asked, or nobody had to be"),
    ]
    waited_seconds: Annotated[float | None, meaning("from the request to the decision; empty while it waits", unit="s")]
    approved_by: Annotated[str | None, meaning("the operator who allowed the action")]
    approved_at: Annotated[datetime | None, meaning("when it was allowed")]
    assumptions: Annotated[int, meaning("how many assumptions are noted for it")]
    assumptions_validated: Annotated[int, meaning("how many of them somebody looked at and found to hold")]
    assumptions_invalidated: Annotated[int, meaning("how many of them somebody looked at and found to be wrong")]
    status: Annotated[
        ActionStatus | None, meaning("running, pending, pending_approval, completed, failed, cancelled or blocked")
    ]
    outcome: Annotated[str | None, meaning("completed or failed; empty where what it would have been is not known")]
    censored: Annotated[Censored | None, meaning("why it has no outcome; empty where it has one")]
    timestamp_start: Annotated[datetime | None, meaning("when it happened")]
    timestamp_end: Annotated[datetime | None, meaning("when it ended")]
    duration_ms: Annotated[int | None, meaning("how long it took", unit="ms")]
    cost_estimate: Annotated[float | None, meaning("what it cost", unit="USD")]
    tokens_in: Annotated[int | None, meaning("tokens read by the model", unit="tokens")]
    tokens_out: Annotated[int | None, meaning("tokens written by the model", unit="tokens")]
