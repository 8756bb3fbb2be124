"""Message threads: messages that belong together, until somebody says what came of them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.exchange.messages import AgentName
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Id,
    Limit,
    Name,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    meaning,
)
from assent.contract.roles import ACTING, ANYONE


class MessageThreadStatus(StrEnum):
    """A resolved thread takes no more messages."""

    OPEN = "open"
    RESOLVED = "resolved"


class CreateMessageThread(Request, frozen=True, kw_only=True):
    """`participants` are the agents that it is for; without any it is for all. `agent_id` (also `created_by`) is who
    opens it; a key that is bound to an agent may leave it out."""

    example: ClassVar[Example] = {"name": "The full disk"}

    name: Name
    participants: Annotated[tuple[AgentName, ...], Meta(max_length=100)] | None = None
    agent_id: AgentName | None = None


class ResolveMessageThread(Request, frozen=True, kw_only=True):
    """`summary` says what came of it. A resolved thread stays resolved; resolving it again may change the summary."""

    example: ClassVar[Example] = {"thread_id": "mt_1"}

    thread_id: Id
    status: Literal["resolved"] = "resolved"
    summary: Annotated[str, Meta(max_length=2000)] | None = None


class ThreadRow(Record, frozen=True, kw_only=True):
    """The payload of `message_thread.created` and `.updated`, which also have the published `id`."""

    org_id: OrganizationId
    thread_id: Annotated[str, meaning("id of the thread", frozen=True)]
    name: Annotated[str, meaning("what it is called")]
    participants: Annotated[list[str], meaning("ids of the agents that it is for; none means all")]
    status: Annotated[MessageThreadStatus, meaning("open, or resolved: it takes no more messages")]
    summary: Annotated[str | None, meaning("what came of it")]
    created_by: Annotated[str | None, meaning("the agent that opened it", frozen=True)]
    resolved_at: Annotated[datetime | None, meaning("when it was resolved; empty while it is open")]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it last changed")]


class MessageThread(Record, frozen=True, kw_only=True):
    """`id` and `thread_id` are the same. `message_count` and `last_message_at` are of the messages that the caller may
    see."""

    org_id: str
    id: str
    thread_id: str
    name: str
    participants: list[str]
    status: MessageThreadStatus
    summary: str | None
    created_by: str | None
    created_at: datetime
    updated_at: datetime
    resolved_at: datetime | None
    message_count: int
    last_message_at: datetime | None


class CreatedMessageThread(Record, frozen=True, kw_only=True):
    thread: MessageThread
    thread_id: str


class ResolvedMessageThread(Record, frozen=True, kw_only=True):
    thread: MessageThread


class MessageThreadsQuery(Query, frozen=True, kw_only=True):
    """`agent_id` keeps the threads that the agent takes part in: those for all, those that name it, and its own."""

    agent_id: AgentName | None = None
    status: MessageThreadStatus | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class MessageThreads(Record, frozen=True, kw_only=True):
    """Newest first. `total` is how many fit the filters, on all pages."""

    threads: list[MessageThread]
    total: int
    next_cursor: str | None


CREATE_MESSAGE_THREAD = Endpoint(
    operation="create_message_thread",
    method="POST",
    path="/api/messages/threads",
    summary="Open a thread that messages can be sent into.",
    roles=ACTING,
    request=CreateMessageThread,
    spelled={"created_by": "agent_id", "createdBy": "agent_id"},
    response=CreatedMessageThread,
    statuses=(201,),
    problems=(Code.AGENT_MISMATCH,),
)
GET_MESSAGE_THREADS = Endpoint(
    operation="get_message_threads",
    method="GET",
    path="/api/messages/threads",
    summary="Message threads, newest first, with how many messages they hold.",
    roles=ANYONE,
    query=MessageThreadsQuery,
    response=MessageThreads,
    problems=(Code.AGENT_MISMATCH,),
)
RESOLVE_MESSAGE_THREAD = Endpoint(
    operation="resolve_message_thread",
    method="PATCH",
    path="/api/messages/threads",
    summary="Close a message thread, and say what came of it.",
    roles=ACTING,
    request=ResolveMessageThread,
    response=ResolvedMessageThread,
    problems=(Code.THREAD_NOT_FOUND, Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
)
