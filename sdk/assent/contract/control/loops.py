"""Open loops: what an action has left open, until somebody resolves it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import Meta

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


class LoopType(StrEnum):
    """What is missing. A `dependency` that is open explains why its action does not come to an end."""

    FOLLOWUP = "followup"
    QUESTION = "question"
    DEPENDENCY = "dependency"
    APPROVAL = "approval"
    REVIEW = "review"
    HANDOFF = "handoff"
    OTHER = "other"


class LoopPriority(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class LoopStatus(StrEnum):
    OPEN = "open"
    RESOLVED = "resolved"
    CANCELLED = "cancelled"


class LoopEnd(StrEnum):
    """How a loop closes: `resolved` says how, `cancelled` that nobody needs it any more."""

    RESOLVED = "resolved"
    CANCELLED = "cancelled"


Words = Annotated[str, Meta(max_length=2000)]


class RegisterOpenLoop(Request, frozen=True, kw_only=True):
    """`owner` is who should take care of it, in whatever words the agent has for that."""

    example: ClassVar[Example] = {"action_id": "act_1", "loop_type": "question", "description": "Who owns the disk?"}

    action_id: Id
    loop_type: LoopType
    description: Annotated[str, Meta(min_length=1, max_length=2000)]
    priority: LoopPriority | None = None
    owner: Annotated[str, Meta(max_length=256)] | None = None
    loop_id: Id | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class ResolveOpenLoop(Request, frozen=True, kw_only=True):
    """`resolution` is required when the loop is resolved."""

    example: ClassVar[Example] = {"status": "cancelled", "resolution": "Nobody needs it any more."}

    status: LoopEnd
    resolution: Words | None = None


class OpenLoop(Record, frozen=True, kw_only=True):
    """Something an action left open, with what its action said of itself; closed ones are kept.

    `source` is simulated for a loop of a made-up action, else live: whoever registers it does so now.
    `resolved_by` names the key that closed it.
    """

    org_id: OrganizationId
    loop_id: Annotated[str, meaning("id of the loop", frozen=True)]
    action_id: Annotated[str, meaning("the action that left it open", frozen=True)]
    agent_id: Annotated[str | None, meaning("who acted", frozen=True)]
    agent_name: Annotated[str | None, meaning("what people called the agent then", frozen=True)]
    declared_goal: Annotated[str | None, meaning("what the agent wanted then", frozen=True)]
    action_type: Annotated[str, meaning("what kind of action", frozen=True)]
    loop_type: Annotated[
        LoopType, meaning("followup, question, dependency, approval, review, handoff or other", frozen=True)
    ]
    description: Annotated[str, meaning("what is open", frozen=True)]
    status: Annotated[LoopStatus, meaning("open, resolved or cancelled")]
    priority: Annotated[LoopPriority, meaning("low, medium, high or critical", frozen=True)]
    owner: Annotated[str | None, meaning("who should take care of it", frozen=True)]
    resolution: Annotated[str | None, meaning("how it was resolved, or why it was cancelled")]
    metadata: Annotated[dict[str, Any], meaning("whatever the agent added")]
    source: Annotated[Source, meaning("live, or simulated: a simulator made the action up", frozen=True)]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it last changed")]
    resolved_at: Annotated[datetime | None, meaning("when it was closed; empty while it is open")]
    resolved_by: Annotated[str | None, meaning("name of the key that closed it")]


LOOP = Noun(
    OpenLoop, "loop", created=EventName.LOOP_CREATED, updated=EventName.LOOP_UPDATED, missing=Code.LOOP_NOT_FOUND
)


class RegisteredLoop(Record, frozen=True, kw_only=True):
    loop: OpenLoop
    loop_id: str


class LoopDetail(Record, frozen=True, kw_only=True):
    loop: OpenLoop


class LoopsQuery(Query, frozen=True, kw_only=True):
    """Filters of the list. `cursor` comes from the page before; `offset` is for published clients."""

    status: LoopStatus | None = None
    loop_type: LoopType | None = None
    priority: LoopPriority | None = None
    action_id: Id | None = None
    agent_id: ShortText | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class LoopStats(Record, frozen=True, kw_only=True):
    """Over every loop that fits the filters; `critical_open` and `high_open` count open ones of that priority."""

    open_count: int
    resolved_count: int
    cancelled_count: int
    critical_open: int
    high_open: int


class Loops(Record, frozen=True, kw_only=True):
    """A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time."""

    loops: list[OpenLoop]
    total: int
    stats: LoopStats
    lastUpdated: datetime  # noqa: N815 - the published name
    next_cursor: str | None


REGISTER_OPEN_LOOP = Endpoint(
    operation="register_open_loop",
    method="POST",
    path="/api/actions/loops",
    also=("/api/loops",),
    summary="Register what an action leaves open.",
    roles=ACTING,
    request=RegisterOpenLoop,
    response=RegisteredLoop,
    statuses=(201,),
    spelled={"type": "loop_type", "desc": "description"},
    problems=(Code.ACTION_NOT_FOUND, Code.LOOP_EXISTS, Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
)
RESOLVE_OPEN_LOOP = Endpoint(
    operation="resolve_open_loop",
    method="PATCH",
    path="/api/actions/loops/{loop_id}",
    also=("/api/loops/{loop_id}",),
    summary="Close an open loop: resolved, with how, or cancelled.",
    roles=ACTING,
    request=ResolveOpenLoop,
    response=LoopDetail,
    spelled={"res": "resolution"},
    problems=(Code.LOOP_NOT_FOUND, Code.LOOP_CLOSED, Code.PROJECTION_BEHIND),
)
GET_OPEN_LOOP = Endpoint(
    operation="get_open_loop",
    method="GET",
    path="/api/actions/loops/{loop_id}",
    also=("/api/loops/{loop_id}",),
    summary="One loop, open or closed.",
    roles=ANYONE,
    response=LoopDetail,
    problems=(Code.LOOP_NOT_FOUND,),
)
GET_OPEN_LOOPS = Endpoint(
    operation="get_open_loops",
    method="GET",
    path="/api/actions/loops",
    also=("/api/loops",),
    summary="Loops, newest first, open and closed, with counts over everything that fits the filters.",
    roles=ANYONE,
    query=LoopsQuery,
    response=Loops,
    spelled={"type": "loop_type"},
)
