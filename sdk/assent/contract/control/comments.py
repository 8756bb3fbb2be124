"""Approval comments: what operators tell each other about a request, while it waits and once it has ended.

A comment decides nothing, and no agent's key reads it: what is meant for the agent is a question, or the reason of a
decision.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar

from msgspec import Meta

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
    ShortText,
    meaning,
)
from assent.contract.roles import OPERATING, READING

COMMENT_BYTES = 4000
"""Bytes in UTF-8 that a comment holds."""


class AddComment(Request, frozen=True, kw_only=True):
    """`text` is for whoever decides: at most 4,000 bytes."""

    example: ClassVar[Example] = {"text": "The supplier confirmed it by phone; Ben has the number."}

    text: Annotated[str, Meta(min_length=1, max_length=COMMENT_BYTES)]


class ApprovalComment(Record, frozen=True, kw_only=True):
    """One comment of an operator on a request; it never changes."""

    org_id: OrganizationId
    comment_id: Annotated[str, meaning("id of the comment", frozen=True)]
    action_id: Annotated[str, meaning("the action that a person is asked about", frozen=True)]
    approval_id: Annotated[str, meaning("its approval", frozen=True)]
    agent_id: Annotated[str | None, meaning("who wants to act", frozen=True)]
    action_type: Annotated[str, meaning("what kind of action", frozen=True)]
    text: Annotated[str, meaning("what the operator says", frozen=True)]
    written_by: Annotated[str, meaning("the operator by name", frozen=True)]
    written_by_key: Annotated[str, meaning("id of that key", frozen=True)]
    created_at: RecordedAt


class CommentDetail(Record, frozen=True, kw_only=True):
    comment: ApprovalComment


class CommentsQuery(Query, frozen=True, kw_only=True):
    """Filters of the list. `cursor` comes from the page before."""

    action_id: Id | None = None
    agent_id: ShortText | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class Comments(Record, frozen=True, kw_only=True):
    """A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time."""

    comments: list[ApprovalComment]
    total: int
    lastUpdated: datetime  # noqa: N815 - as the other lists have it
    next_cursor: str | None


ADD_COMMENT = Endpoint(
    operation="add_comment",
    method="POST",
    path="/api/actions/{action_id}/comments",
    summary="Tell the other operators something about a request, while it waits or later; it decides nothing.",
    roles=OPERATING,
    request=AddComment,
    response=CommentDetail,
    statuses=(201,),
    problems=(Code.ACTION_NOT_FOUND, Code.NOT_AWAITING_APPROVAL, Code.PROJECTION_BEHIND),
)
GET_COMMENTS = Endpoint(
    operation="get_comments",
    method="GET",
    path="/api/comments",
    summary="What operators told each other about requests, newest first.",
    roles=READING,
    query=CommentsQuery,
    response=Comments,
)
