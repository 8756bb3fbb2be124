"""What enforcement points ask by AuthZEN's Authorization API 1.0, and what they are answered.

The protocol is another body's: its paths stand beside this contract, and no client of ours sends these. The shapes of
the access requests are those of a draft (Access Request and Approval Profile), as far as it is served.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from assent.contract.control.externality import Externality
from assent.contract.control.guard import Goal, ParametersDigest
from assent.contract.record import AgentRisk, Example, Id, Record, Request, ShortText

MOST = 100
"""Evaluations of one request."""

Kind = Annotated[str, Meta(min_length=1, max_length=128)]
Properties = dict[str, Any]


class Entity(Request, frozen=True, kw_only=True):
    """A subject or a resource; its id is unique within its type."""

    example: ClassVar[Example] = {"type": "record", "id": "record-1"}

    type: Kind
    id: Annotated[str, Meta(min_length=1, max_length=500)]
    properties: Properties | None = None


class AccessAction(Request, frozen=True, kw_only=True):
    example: ClassVar[Example] = {"name": "read"}

    name: Kind
    properties: Properties | None = None


class AccessEvaluation(Request, frozen=True, kw_only=True):
    """May the subject perform the action on the resource?"""

    example: ClassVar[Example] = {
        "subject": {"type": "agent", "id": "bot"},
        "action": {"name": "read"},
        "resource": {"type": "record", "id": "record-1"},
    }

    subject: Entity
    action: AccessAction
    resource: Entity
    context: Properties | None = None


class AccessEvaluations(Request, frozen=True, kw_only=True):
    """Several questions at once; what stands beside `evaluations` is the default of each. Without any it is one."""

    example: ClassVar[Example] = {**AccessEvaluation.example, "evaluations": [{"action": {"name": "write"}}]}

    subject: Properties | None = None
    action: Properties | None = None
    resource: Properties | None = None
    context: Properties | None = None
    evaluations: Annotated[list[Properties], Meta(max_length=MOST)] | None = None
    options: Properties | None = None


class Hints(Request, frozen=True, kw_only=True):
    """What guard can be told beside subject, action and resource, by guard's own names."""

    example: ClassVar[Example] = {"declared_goal": "Read the record for the weekly report"}

    declared_goal: Goal | None = None
    reversible: bool | None = None
    risk_score: AgentRisk | None = None
    externality: Externality | None = None
    session_id: ShortText | None = None
    parent_session_id: ShortText | None = None
    parameters_digest: ParametersDigest | None = None
    accept_warnings: bool = False


class AccessDecision(Record, frozen=True, kw_only=True):
    """`context` says why, and what can be done about it."""

    decision: bool
    context: dict[str, Any]


class AccessDecisions(Record, frozen=True, kw_only=True):
    """In the order of the questions; shorter where the semantic ended it."""

    evaluations: list[AccessDecision]


class DecisionPoint(Record, frozen=True, kw_only=True):
    """What is served, and where; what is not named here is not served."""

    policy_decision_point: str
    access_evaluation_endpoint: str
    access_evaluations_endpoint: str
    access_request_endpoint: str
    capabilities: list[str]


class Denial(Request, frozen=True, kw_only=True):
    example: ClassVar[Example] = {"evaluation_id": "dec_0123"}

    evaluation_id: Id


class AccessRequest(Request, frozen=True, kw_only=True):
    """Ask a person for what was denied."""

    example: ClassVar[Example] = {
        "subject": {"type": "agent", "id": "bot"},
        "action": {"name": "pay"},
        "resource": {"type": "account", "id": "a-1"},
        "denial": {"evaluation_id": "dec_0123"},
    }

    subject: Entity
    action: AccessAction
    resource: Entity
    denial: Denial
    context: Properties | None = None
    items: list[Any] | None = None
    callback: Properties | None = None


class AccessTask(Record, frozen=True, kw_only=True):
    id: str
    status: str
    status_endpoint: str
    expires_at: datetime | None
    links: dict[str, str]


class RequestedAccess(Record, frozen=True, kw_only=True):
    """`result` is there once it is approved, for the evaluation that follows."""

    task: AccessTask
    result: dict[str, Any] | None
