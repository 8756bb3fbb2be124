"""Assignments: which operator takes care of a request that waits.

An assignment decides nothing and keeps nobody from deciding. No agent's key reads one.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Id,
    Limit,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    meaning,
)
from assent.contract.roles import OPERATING, READING


class AssignAction(Request, frozen=True, kw_only=True):
    """`key_id` is the key of whoever takes care of it, one's own or another operator's; None: nobody in particular."""

    example: ClassVar[Example] = {"key_id": None}

    key_id: Id | None = None


class Assignment(Record, frozen=True, kw_only=True):
    """Who takes care of a request: a row for each action, as it is now."""

    org_id: OrganizationId
    assignment_id: Annotated[str, meaning("id of the row", frozen=True)]
    action_id: Annotated[str, meaning("the action that waits", frozen=True)]
    approval_id: Annotated[str, meaning("the approval that it waits for", frozen=True)]
    agent_id: Annotated[str | None, meaning("who wants to act", frozen=True)]
    action_type: Annotated[str, meaning("what kind of action", frozen=True)]
    assigned_to: Annotated[str | None, meaning("who takes care of it, by name; empty for nobody in particular")]
    assigned_to_key: Annotated[str | None, meaning("id of that key")]
    assigned_by: Annotated[str, meaning("the operator who said so last, by name")]
    assigned_by_key: Annotated[str, meaning("id of that key")]
    updated_at: Annotated[datetime, meaning("when that was said")]
    created_at: RecordedAt


class AssignmentDetail(Record, frozen=True, kw_only=True):
    assignment: Assignment


class AssignmentsQuery(Query, frozen=True, kw_only=True):
    """`current` are those of requests that wait, of which somebody takes care. `cursor` comes from the page before."""

    action_id: Id | None = None
    assigned_to_key: Id | None = None
    current: bool | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class Assignments(Record, frozen=True, kw_only=True):
    """A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time."""

    assignments: list[Assignment]
    total: int
    lastUpdated: datetime  # noqa: N815 - as the other lists have it
    next_cursor: str | None


ASSIGN_ACTION = Endpoint(
    operation="assign_action",
    method="POST",
    path="/api/actions/{action_id}/assignment",
    summary="Say which operator takes care of what waits; it decides nothing, and everybody may decide as before.",
    roles=OPERATING,
    request=AssignAction,
    response=AssignmentDetail,
    problems=(
        Code.ACTION_NOT_FOUND,
        Code.KEY_NOT_FOUND,
        Code.NOT_AWAITING_APPROVAL,
        Code.ALREADY_DECIDED,
        Code.APPROVAL_WITHDRAWN,
        Code.APPROVAL_EXPIRED,
        Code.PROJECTION_BEHIND,
    ),
)
GET_ASSIGNMENTS = Endpoint(
    operation="get_assignments",
    method="GET",
    path="/api/assignments",
    summary="Who takes care of which request, newest first.",
    roles=READING,
    query=AssignmentsQuery,
    response=Assignments,
)
