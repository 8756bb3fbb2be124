"""Handoffs: what one session of an agent leaves for the next."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, field
from msgspec.structs import force_setattr

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Limit, Offset, Query, Record, Request, ShortText
from assent.contract.roles import ACTING, ANYONE

Notes = Annotated[str, Meta(max_length=10_000)] | Annotated[list[Any], Meta(max_length=500)]
"""A text, or a list: published clients send both, and get back what they sent."""
Day = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?!\n)$")]
Tag = Annotated[str, Meta(min_length=1, max_length=128)]


class CreateHandoff(Request, frozen=True, kw_only=True):
    """`session_date` is a day such as 2026-11-20, in UTC today where it is left out."""

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

    org_id: str
    id: str = ""
    handoff_id: str
    agent_id: str | None
    summary: str
    context: dict[str, Any]
    tags: list[str]
    session_date: str
    key_decisions: str | list[Any] | None
    open_tasks: str | list[Any] | None
    mood_notes: str | list[Any] | None
    next_priorities: str | list[Any] | None
    created_by: str
    created_at: datetime

    def __post_init__(self) -> None:
        force_setattr(self, "id", self.handoff_id)


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
    cursor: Annotated[str, Meta(max_length=400)] | None = None


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
