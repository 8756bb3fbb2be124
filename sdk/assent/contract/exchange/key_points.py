"""Key points: single things that an agent wants to have at hand later, by the day of the session."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar

from msgspec import Meta
from msgspec.structs import force_setattr

from assent.contract.endpoint import Endpoint
from assent.contract.events import EventName
from assent.contract.exchange.threads import Thread
from assent.contract.noun import Noun
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Day,
    Example,
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
from assent.contract.roles import ACTING, ANYONE

Category = Annotated[str, Meta(min_length=1, max_length=100)]
Importance = Annotated[int, Meta(ge=1, le=10)]


class CaptureKeyPoint(Request, frozen=True, kw_only=True):
    """`category` is a word of the agent's own, `general` without one; `importance` is 5 without one. `session_date`
    is a day such as 2026-11-20, in UTC today where it is left out."""

    example: ClassVar[Example] = {"content": "Logs fill the disk in a week."}

    content: Annotated[str, Meta(min_length=1, max_length=5000)]
    agent_id: ShortText | None = None
    category: Category | None = None
    importance: Importance | None = None
    session_date: Day | None = None


class KeyPoint(Record, frozen=True, kw_only=True):
    """`id` is `point_id` once more, as published clients know it."""

    org_id: OrganizationId
    id: str = ""
    point_id: Annotated[str, meaning("id of the key point", frozen=True)]
    agent_id: Annotated[str | None, meaning("whose it is", frozen=True)]
    content: Annotated[str, meaning("what it says")]
    category: Annotated[str, meaning("a word of the agent's own, general without one")]
    importance: Annotated[int, meaning("from 1 to 10, as the agent sees it")]
    session_date: Annotated[str, meaning("the day of the session")]
    created_by: Annotated[str, meaning("id of the key that captured it", frozen=True)]
    created_at: RecordedAt

    def __post_init__(self) -> None:
        force_setattr(self, "id", self.point_id)


KEY_POINT = Noun(KeyPoint, "key point", created=EventName.KEY_POINT_CREATED, id="point_id")


class CapturedKeyPoint(Record, frozen=True, kw_only=True):
    point: KeyPoint
    point_id: str


class KeyPointsQuery(Query, frozen=True, kw_only=True):
    """`session_date` may be spelled `date`; `importance_min` keeps those that are at least as important."""

    agent_id: ShortText | None = None
    category: Category | None = None
    session_date: Day | None = None
    importance_min: Importance | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class KeyPoints(Record, frozen=True, kw_only=True):
    points: list[KeyPoint]
    total: int
    lastUpdated: datetime  # noqa: N815 - the published name
    next_cursor: str | None


class ContextSummary(Record, frozen=True, kw_only=True):
    """What an agent should know when it takes up its work: today's key points and the threads that are open."""

    points: list[KeyPoint]
    threads: list[Thread]


CAPTURE_KEY_POINT = Endpoint(
    operation="capture_key_point",
    method="POST",
    path="/api/context/points",
    summary="Keep something that the agent will want to have at hand.",
    roles=ACTING,
    request=CaptureKeyPoint,
    response=CapturedKeyPoint,
    statuses=(201,),
    problems=(Code.AGENT_MISMATCH,),
)
GET_KEY_POINTS = Endpoint(
    operation="get_key_points",
    method="GET",
    path="/api/context/points",
    summary="Key points, newest first.",
    roles=ANYONE,
    query=KeyPointsQuery,
    response=KeyPoints,
    spelled={"date": "session_date"},
)
