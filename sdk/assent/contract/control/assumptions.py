"""Assumptions: what an agent believed while it acted, and whether that held."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar

from msgspec import Meta, field

from assent.contract.control.guard import Source
from assent.contract.endpoint import Endpoint
from assent.contract.events import EventName
from assent.contract.noun import Noun
from assent.contract.problems import Code
from assent.contract.record import (
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
    ShortText,
    meaning,
)
from assent.contract.roles import ACTING, ANYONE

Belief = Annotated[str, Meta(min_length=1, max_length=2000)]


class RecordAssumption(Request, frozen=True, kw_only=True):
    """`basis` is what the belief rests on. `validated` and `invalidated` may be known already when it is recorded."""

    example: ClassVar[Example] = {"action_id": "act_1", "assumption": "The disk is large enough."}

    action_id: Id
    assumption: Belief
    basis: Annotated[str, Meta(max_length=2000)] | None = None
    assumption_id: Id | None = None
    validated: bool | None = None
    invalidated: bool | None = None
    invalidated_reason: Annotated[str, Meta(max_length=2000)] | None = None
    agent_id: ShortText | None = None
    occurred_at: Moment | None = None
    source: Source | None = None


class ValidateAssumption(Request, frozen=True, kw_only=True):
    """`validated` false means that the assumption turned out wrong; then `invalidated_reason` is required."""

    example: ClassVar[Example] = {"validated": True}

    validated: bool
    invalidated_reason: Annotated[str, Meta(min_length=1, max_length=2000)] | None = None


class Assumption(Record, frozen=True, kw_only=True):
    """`validated` and `invalidated` are both false until somebody has looked."""

    org_id: OrganizationId
    assumption_id: Annotated[str, meaning("id of the assumption", frozen=True)]
    action_id: Annotated[str, meaning("the action that rests on it", frozen=True)]
    agent_id: Annotated[str | None, meaning("who believed it", frozen=True)]
    action_type: Annotated[str, meaning("what kind of action", frozen=True)]
    assumption: Annotated[str, meaning("the belief")]
    basis: Annotated[str | None, meaning("what the belief rested on")]
    validated: Annotated[bool, meaning("whether somebody looked and it held")]
    invalidated: Annotated[bool, meaning("whether somebody looked and it was wrong")]
    invalidated_reason: Annotated[str | None, meaning("why it was wrong")]
    validated_at: Annotated[datetime | None, meaning("when it was last judged; empty until somebody has looked")]
    source: Annotated[Source, meaning("live, import, or simulated: a simulator made it up")]
    occurred_at: Annotated[datetime, meaning("when it was believed; earlier than created_at for imported history")]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it last changed")]


ASSUMPTION = Noun(
    Assumption,
    "assumption",
    created=EventName.ASSUMPTION_CREATED,
    updated=EventName.ASSUMPTION_UPDATED,
    missing=Code.ASSUMPTION_NOT_FOUND,
)


class RecordedAssumption(Record, frozen=True, kw_only=True):
    """`warnings` say where the assumption reads like a prompt injection; it is kept all the same."""

    assumption: Assumption
    assumption_id: str
    warnings: list[str] = field(default_factory=list[str])


class AssumptionDetail(Record, frozen=True, kw_only=True):
    assumption: Assumption


class AssumptionsQuery(Query, frozen=True, kw_only=True):
    """`drift` is accepted for published clients; the summary is always there."""

    action_id: Id | None = None
    agent_id: ShortText | None = None
    validated: bool | None = None
    invalidated: bool | None = None
    drift: bool | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class DriftSummary(Record, frozen=True, kw_only=True):
    """`at_risk` counts assumptions that nobody has looked at for more than 14 days."""

    total: int
    at_risk: int
    validated: int
    invalidated: int
    unvalidated: int


class Assumptions(Record, frozen=True, kw_only=True):
    assumptions: list[Assumption]
    total: int
    drift_summary: DriftSummary
    lastUpdated: datetime  # noqa: N815 - the published name
    next_cursor: str | None


RECORD_ASSUMPTION = Endpoint(
    operation="record_assumption",
    method="POST",
    path="/api/assumptions",
    also=("/api/actions/assumptions",),
    summary="Record what the agent believes while it acts.",
    roles=ACTING,
    request=RecordAssumption,
    response=RecordedAssumption,
    statuses=(201,),
    problems=(Code.ACTION_NOT_FOUND, Code.ASSUMPTION_EXISTS, Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
)
GET_ASSUMPTIONS = Endpoint(
    operation="get_assumptions",
    method="GET",
    path="/api/assumptions",
    also=("/api/actions/assumptions",),
    summary="Assumptions, newest first, with how many held.",
    roles=ANYONE,
    query=AssumptionsQuery,
    response=Assumptions,
)
GET_ASSUMPTION = Endpoint(
    operation="get_assumption",
    method="GET",
    path="/api/assumptions/{assumption_id}",
    also=("/api/actions/assumptions/{assumption_id}",),
    summary="One assumption.",
    roles=ANYONE,
    response=AssumptionDetail,
    problems=(Code.ASSUMPTION_NOT_FOUND,),
)
VALIDATE_ASSUMPTION = Endpoint(
    operation="validate_assumption",
    method="PATCH",
    path="/api/assumptions/{assumption_id}",
    also=("/api/actions/assumptions/{assumption_id}",),
    summary="Say whether an assumption held.",
    roles=ACTING,
    request=ValidateAssumption,
    response=AssumptionDetail,
    problems=(Code.ASSUMPTION_NOT_FOUND, Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
)
