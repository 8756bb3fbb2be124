"""Open loops: what an action has left open, until somebody resolves it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.guard import Source
from assent.contract.problems import Code
from assent.contract.record import Id, Limit, Offset, Query, Record, Request, ShortText
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

    status: LoopEnd
    resolution: Words | None = None


class OpenLoop(Record, frozen=True, kw_only=True):
    """Something an action left open, with what its action said of itself; closed ones are kept.

    `source` is simulated for a loop of a made-up action, else live: whoever registers it does so now.
    `resolved_by` names the key that closed it.
    """

    org_id: str
    loop_id: str
    action_id: str
    agent_id: str | None
    agent_name: str | None
    declared_goal: str | None
    action_type: str
    loop_type: LoopType
    description: str
    status: LoopStatus
    priority: LoopPriority
    owner: str | None
    resolution: str | None
    metadata: dict[str, Any]
    source: Source
    created_at: datetime
    updated_at: datetime
    resolved_at: datetime | None
    resolved_by: str | None


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
    cursor: Annotated[str, Meta(max_length=400)] | None = None


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
