"""Handoffs: what one session of an agent leaves for the next."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import Meta, field
from msgspec.structs import force_setattr

from assent.contract.endpoint import Endpoint
from assent.contract.events import EventName
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

Notes = Annotated[str, Meta(max_length=10_000)] | Annotated[list[Any], Meta(max_length=500)]
"""A text, or a list: published clients send both, and get back what they sent."""
Tag = Annotated[str, Meta(min_length=1, max_length=128)]


class CreateHandoff(Request, frozen=True, kw_only=True):
    """`session_date` is a day such as 2026-11-20, in UTC today where it is left out."""

    example: ClassVar[Example] = {"summary": "The disk is full, the alert is set."}

    summary: Annotated[str, Meta(min_length=1, max_length=5000)]
    agent_id: ShortText | None = None
    context: dict[str, Any] | None = None
    tags: Annotated[list[Tag], Meta(max_length=100)] | None = None
    session_date: Day | None = None
    key_decisions: Notes | None = None
    open_tasks: Notes | None = None
    mood_notes: Notes | None = None
    next_priorities: Notes | None = None


class Handoff(Record, frozen=True, kw_only=True):
    """`id` is `handoff_id` once more, as published clients know it."""

    org_id: OrganizationId
    id: str = ""
    handoff_id: Annotated[str, meaning("id of the handoff", frozen=True)]
    agent_id: Annotated[str | None, meaning("whose session it was", frozen=True)]
    summary: Annotated[str, meaning("what happened")]
    context: Annotated[dict[str, Any], meaning("whatever else the next session should know")]
    tags: Annotated[list[str], meaning("words to find it by")]
    session_date: Annotated[str, meaning("the day of the session")]
    key_decisions: Annotated[str | list[Any] | None, meaning("what was decided, a text or a list")]
    open_tasks: Annotated[str | list[Any] | None, meaning("what is left to do, a text or a list")]
    mood_notes: Annotated[str | list[Any] | None, meaning("how people were, a text or a list")]
    next_priorities: Annotated[str | list[Any] | None, meaning("what comes first, a text or a list")]
    created_by: Annotated[str, meaning("id of the key that left it", frozen=True)]
    created_at: RecordedAt

    def __post_init__(self) -> None:
        force_setattr(self, "id", self.handoff_id)


HANDOFF = Noun(Handoff, "handoff", created=EventName.HANDOFF_CREATED)


class CreatedHandoff(Record, frozen=True, kw_only=True):
    """`warnings` say where the handoff reads like a prompt injection; it is kept all the same."""

    handoff: Handoff
    handoff_id: str
    warnings: list[str] = field(default_factory=list[str])


class HandoffsQuery(Query, frozen=True, kw_only=True):
    """`latest` keeps the newest one alone. `session_date` may be spelled `date`; `since` and `until` are days, both
    included."""

    agent_id: ShortText | None = None
    latest: bool | None = None
    session_date: Day | None = None
    since: Day | None = None
    until: Day | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class Handoffs(Record, frozen=True, kw_only=True):
    """`handoff` is the first of `handoffs`, the newest that fits, and None when there is none."""

    handoffs: list[Handoff]
    handoff: Handoff | None
    total: int
    lastUpdated: datetime  # noqa: N815 - the published name
    next_cursor: str | None


CREATE_HANDOFF = Endpoint(
    operation="create_handoff",
    method="POST",
    path="/api/handoffs",
    summary="Leave a handoff for the agent's next session.",
    roles=ACTING,
    request=CreateHandoff,
    response=CreatedHandoff,
    statuses=(201,),
    problems=(Code.AGENT_MISMATCH,),
)
GET_HANDOFFS = Endpoint(
    operation="get_handoffs",
    method="GET",
    path="/api/handoffs",
    summary="Handoffs, newest first; with latest=true the newest alone.",
    roles=ANYONE,
    query=HandoffsQuery,
    response=Handoffs,
    spelled={"date": "session_date"},
)
