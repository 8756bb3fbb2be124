"""Snoozes: an operator puts a request off until a time, for themselves alone.

Nothing of the request changes: it waits, runs out of time and is decided by whoever does, as before. It comes back to
the operator at that time, and before it expires (`returns_at`).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, ClassVar

from assent.contract.control.approvals import Approval
from assent.contract.endpoint import Endpoint
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
    meaning,
)
from assent.contract.roles import OPERATING, READING

BACK_BEFORE_END = timedelta(minutes=15)
"""So long before it expires a request is back, and at least for the last quarter of the time that it has, if that is
less."""


def last_return(approval: Approval) -> datetime:
    """The moment at which a request is back, whatever was asked for."""
    return approval.expires_at - min(BACK_BEFORE_END, (approval.expires_at - approval.requested_at) / 4)


class SnoozeAction(Request, frozen=True, kw_only=True):
    """`until` lies ahead; None brings the request back at once."""

    example: ClassVar[Example] = {"until": "2126-11-27T09:00:00Z"}

    until: Moment | None = None


class Snooze(Record, frozen=True, kw_only=True):
    """What one key has put off: a row for each key and action, as it is now."""

    org_id: OrganizationId
    snooze_id: Annotated[str, meaning("id of the row", frozen=True)]
    action_id: Annotated[str, meaning("the action that waits", frozen=True)]
    approval_id: Annotated[str, meaning("the approval that it waits for", frozen=True)]
    agent_id: Annotated[str | None, meaning("who wants to act", frozen=True)]
    action_type: Annotated[str, meaning("what kind of action", frozen=True)]
    snoozed_by: Annotated[str, meaning("the operator by name", frozen=True)]
    snoozed_by_key: Annotated[str, meaning("id of that key; to every other one nothing is put off", frozen=True)]
    until: Annotated[datetime | None, meaning("until when it was put off; empty once it was brought back")]
    returns_at: Annotated[datetime, meaning("when it is back: then, or before it expires, or when it was brought back")]
    updated_at: Annotated[datetime, meaning("when the operator said so last")]
    created_at: RecordedAt


class SnoozeDetail(Record, frozen=True, kw_only=True):
    snooze: Snooze


class SnoozesQuery(Query, frozen=True, kw_only=True):
    """`current` are those that are not back yet. `cursor` comes from the page before."""

    action_id: Id | None = None
    snoozed_by_key: Id | None = None
    current: bool | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class Snoozes(Record, frozen=True, kw_only=True):
    """A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time."""

    snoozes: list[Snooze]
    total: int
    lastUpdated: datetime  # noqa: N815 - as the other lists have it
    next_cursor: str | None


SNOOZE_ACTION = Endpoint(
    operation="snooze_action",
    method="POST",
    path="/api/actions/{action_id}/snooze",
    summary="Put off what waits, for this key alone and until a time; nothing of the request changes.",
    roles=OPERATING,
    request=SnoozeAction,
    response=SnoozeDetail,
    problems=(
        Code.ACTION_NOT_FOUND,
        Code.NOT_AWAITING_APPROVAL,
        Code.ALREADY_DECIDED,
        Code.APPROVAL_WITHDRAWN,
        Code.APPROVAL_EXPIRED,
        Code.EXPIRES_SOON,
        Code.PROJECTION_BEHIND,
    ),
)
GET_SNOOZES = Endpoint(
    operation="get_snoozes",
    method="GET",
    path="/api/snoozes",
    summary="What operators have put off, newest first.",
    roles=READING,
    query=SnoozesQuery,
    response=Snoozes,
)
