"""Assumptions: what an agent believed while it acted, and whether that held."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta, field

from assent.contract.endpoint import Endpoint
from assent.contract.guard import Source
from assent.contract.problems import Code
from assent.contract.record import Id, Limit, Offset, Query, Record, Request, ShortText
from assent.contract.roles import ACTING, ANYONE

Belief = Annotated[str, Meta(min_length=1, max_length=2000)]


class RecordAssumption(Request, frozen=True, kw_only=True):
    """`basis` is what the belief rests on. `validated` and `invalidated` may be known already when it is recorded."""

    action_id: Id
    assumption: Belief
    basis: Annotated[str, Meta(max_length=2000)] | None = None
    assumption_id: Id | None = None
    validated: bool | None = None
    invalidated: bool | None = None
    invalidated_reason: Annotated[str, Meta(max_length=2000)] | None = None
    agent_id: ShortText | None = None
    occurred_at: Annotated[datetime, Meta(tz=True)] | None = None
    source: Source | None = None


class ValidateAssumption(Request, frozen=True, kw_only=True):
    """`validated` false means that the assumption turned out wrong; then `invalidated_reason` is required."""

    validated: bool
    invalidated_reason: Annotated[str, Meta(min_length=1, max_length=2000)] | None = None


class Assumption(Record, frozen=True, kw_only=True):
    """`validated` and `invalidated` are both false until somebody has looked."""

    org_id: str
    assumption_id: str
    action_id: str
    agent_id: str | None
    action_type: str
    assumption: str
    basis: str | None
    validated: bool
    invalidated: bool
    invalidated_reason: str | None
    validated_at: datetime | None
    source: Source
    occurred_at: datetime
    created_at: datetime
    updated_at: datetime


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
    cursor: Annotated[str, Meta(max_length=400)] | None = None


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
