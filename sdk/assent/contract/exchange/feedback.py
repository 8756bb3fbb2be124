"""Feedback: what people and agents thought of what an agent did."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.events import EventName
from assent.contract.noun import Noun
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
from assent.contract.roles import ACTING, ANYONE, OPERATING

Rating = Annotated[float, Meta(ge=1, le=5)]
Comment = Annotated[str, Meta(max_length=5000)]
Tag = Annotated[str, Meta(min_length=1, max_length=64)]


class Sentiment(StrEnum):
    """Told by the rating: 4 and more is positive, 2 and less negative. In between, and without one, by the comment's
    words."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    NEUTRAL = "neutral"


class SubmitFeedback(Request, frozen=True, kw_only=True):
    """A rating from 1 to 5, a comment, or both. `agent_id` is whom it is about; feedback on an action is about the
    action's agent. `source` says through what it was given, such as `sdk` or `user`."""

    example: ClassVar[Example] = {"rating": 5, "comment": "Quick and right"}

    rating: Rating | None = None
    comment: Comment | None = None
    action_id: Id | None = None
    agent_id: ShortText | None = None
    category: ShortText | None = None
    tags: Annotated[list[Tag], Meta(max_length=20, description="topics")] | None = None
    metadata: dict[str, Any] | None = None
    source: Annotated[str, Meta(max_length=64)] | None = None


class ResolveFeedback(Request, frozen=True, kw_only=True):
    """`resolved` false takes it up again. `resolved_by` is a name of the caller's choice; the key's own without it."""

    example: ClassVar[Example] = {"resolved": True}

    resolved_by: ShortText | None = None
    resolved: bool = True


class FeedbackRow(Record, frozen=True, kw_only=True):
    """Feedback as it is recorded. `tags` are those that were given and then those that the comment brings along.
    `action_type` is the action's."""

    org_id: OrganizationId
    feedback_id: Annotated[str, meaning("id of the feedback", frozen=True)]
    action_id: Annotated[str | None, meaning("the action it is about, if any", frozen=True)]
    agent_id: Annotated[str | None, meaning("the agent it is about", frozen=True)]
    action_type: Annotated[str | None, meaning("what kind of action it is about", frozen=True)]
    rating: Annotated[float | None, meaning("how good it was; empty when only a comment was given", unit="1-5")]
    comment: Annotated[str, meaning("what was said")]
    sentiment: Annotated[
        Sentiment, meaning("positive, negative or neutral, by the rating or else by the comment's words")
    ]
    category: Annotated[str, meaning("what it belongs to, as its giver says")]
    tags: Annotated[list[str], meaning("topics, given and found in the comment")]
    metadata: Annotated[dict[str, Any], meaning("whatever came with it")]
    source: Annotated[str, meaning("through what it was given, such as sdk or user")]
    resolved: Annotated[bool, meaning("whether somebody has seen to it")]
    resolved_at: Annotated[datetime | None, meaning("when")]
    resolved_by: Annotated[str | None, meaning("who, as they call themselves")]
    resolved_by_key: Annotated[str | None, meaning("id of the key that said so")]
    created_by: Annotated[str, meaning("id of the key that gave it", frozen=True)]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it last changed")]
    deleted_at: Annotated[datetime | None, meaning("when it was taken out of lists and counts")]


FEEDBACK = Noun(
    FeedbackRow,
    "feedback",
    created=EventName.FEEDBACK_CREATED,
    updated=EventName.FEEDBACK_UPDATED,
    missing=Code.FEEDBACK_NOT_FOUND,
)


class Feedback(FeedbackRow, frozen=True, kw_only=True):
    """`id` and `feedback_id` are the same."""

    id: str


class FeedbackQuery(Query, frozen=True, kw_only=True):
    """Filters of the list; each that is given must fit."""

    action_id: Id | None = None
    agent_id: ShortText | None = None
    category: ShortText | None = None
    sentiment: Sentiment | None = None
    resolved: bool | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class FeedbackList(Record, frozen=True, kw_only=True):
    """Newest first; `total` counts all that fit."""

    feedback: list[Feedback]
    total: int
    next_cursor: str | None


class DeletedFeedback(Record, frozen=True, kw_only=True):
    deleted: bool
    feedback_id: str


class FeedbackStatsQuery(Query, frozen=True, kw_only=True):
    agent_id: ShortText | None = None


class FeedbackTotals(Record, frozen=True, kw_only=True):
    """`avg_rating` is over the `rated_count` entries that have a rating, None without any; `today_count` is of the
    last 24 hours."""

    total_feedback: int
    rated_count: int
    avg_rating: float | None
    positive_count: int
    negative_count: int
    neutral_count: int
    unresolved_count: int
    today_count: int


class FeedbackOfCategory(Record, frozen=True, kw_only=True):
    category: str
    count: int
    avg_rating: float | None


class FeedbackOfAgent(Record, frozen=True, kw_only=True):
    agent_id: str
    count: int
    avg_rating: float | None
    positive: int
    negative: int


class RatingCount(Record, frozen=True, kw_only=True):
    """`rating` is a whole one, to which others are rounded, halves up."""

    rating: int
    count: int


class TagCount(Record, frozen=True, kw_only=True):
    tag: str
    count: int


class FeedbackStats(Record, frozen=True, kw_only=True):
    """Categories and agents are the 50 with the most feedback, tags the 50 most used. `rating_distribution` has all
    five ratings."""

    overall: FeedbackTotals
    by_category: list[FeedbackOfCategory]
    by_agent: list[FeedbackOfAgent]
    rating_distribution: list[RatingCount]
    top_tags: list[TagCount]


SUBMIT_FEEDBACK = Endpoint(
    operation="submit_feedback",
    method="POST",
    path="/api/feedback",
    summary="Say what was good or bad, about an action or an agent.",
    roles=ACTING,
    request=SubmitFeedback,
    response=Feedback,
    statuses=(201,),
    problems=(Code.ACTION_NOT_FOUND, Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
)
LIST_FEEDBACK = Endpoint(
    operation="list_feedback",
    method="GET",
    path="/api/feedback",
    summary="Feedback, newest first.",
    roles=ANYONE,
    query=FeedbackQuery,
    response=FeedbackList,
)
GET_FEEDBACK_STATS = Endpoint(
    operation="get_feedback_stats",
    method="GET",
    path="/api/feedback/stats",
    summary="How much feedback there is, how good it is, and about what.",
    roles=ANYONE,
    query=FeedbackStatsQuery,
    response=FeedbackStats,
)
GET_FEEDBACK = Endpoint(
    operation="get_feedback",
    method="GET",
    path="/api/feedback/{feedback_id}",
    summary="One piece of feedback.",
    roles=ANYONE,
    response=Feedback,
    problems=(Code.FEEDBACK_NOT_FOUND,),
)
RESOLVE_FEEDBACK = Endpoint(
    operation="resolve_feedback",
    method="PATCH",
    path="/api/feedback/{feedback_id}",
    summary="Say that somebody has seen to it.",
    roles=ACTING,
    request=ResolveFeedback,
    response=Feedback,
    problems=(Code.FEEDBACK_NOT_FOUND, Code.PROJECTION_BEHIND),
)
DELETE_FEEDBACK = Endpoint(
    operation="delete_feedback",
    method="DELETE",
    path="/api/feedback/{feedback_id}",
    summary="Take feedback out of every list and count.",
    roles=OPERATING,
    response=DeletedFeedback,
    problems=(Code.FEEDBACK_NOT_FOUND, Code.PROJECTION_BEHIND),
)
