"""Context threads: what an agent wants to remember about one matter, entry by entry, until it is closed."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta
from msgspec.structs import force_setattr

from assent.contract.endpoint import Endpoint
from assent.contract.events import EventName
from assent.contract.noun import Noun
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
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

ThreadName = Annotated[str, Meta(min_length=1, max_length=500)]
ThreadSummary = Annotated[str, Meta(max_length=5000)]


class ThreadStatus(StrEnum):
    """Only an active thread takes entries."""

    ACTIVE = "active"
    CLOSED = "closed"


class CreateThread(Request, frozen=True, kw_only=True):
    """An agent has one thread of a name; naming it again opens it again."""

    example: ClassVar[Example] = {"name": "The full disk"}

    name: ThreadName
    agent_id: ShortText | None = None
    summary: ThreadSummary | None = None


class ChangeThread(Request, frozen=True, kw_only=True):
    """What is left out stays as it is; one of them has to be there."""

    example: ClassVar[Example] = {"summary": "The disk has room again."}

    status: ThreadStatus | None = None
    summary: ThreadSummary | None = None


class AddThreadEntry(Request, frozen=True, kw_only=True):
    """`entry_type` is a word of the agent's own: note, milestone, ...; `agent_id` who writes, where it is not the
    key's own agent."""

    example: ClassVar[Example] = {"content": "Logs were taken away."}

    content: Annotated[str, Meta(min_length=1, max_length=5000)]
    entry_type: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    agent_id: ShortText | None = None


class Thread(Record, frozen=True, kw_only=True):
    """`id` is `thread_id` once more, as published clients know it."""

    org_id: OrganizationId
    id: str = ""
    thread_id: Annotated[str, meaning("id of the thread", frozen=True)]
    agent_id: Annotated[str | None, meaning("whose thread it is", frozen=True)]
    name: Annotated[str, meaning("what it is about", frozen=True)]
    summary: Annotated[str | None, meaning("what came of it")]
    status: Annotated[ThreadStatus, meaning("active, or closed: it takes no more entries")]
    created_by: Annotated[str, meaning("id of the key that began it", frozen=True)]
    closed_at: Annotated[datetime | None, meaning("when it was closed, none while it is active")]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it was last opened, closed or summed up")]

    def __post_init__(self) -> None:
        force_setattr(self, "id", self.thread_id)


THREAD = Noun(
    Thread,
    "thread",
    created=EventName.THREAD_CREATED,
    updated=EventName.THREAD_UPDATED,
    missing=Code.THREAD_NOT_FOUND,
)


class ThreadEntry(Record, frozen=True, kw_only=True):
    """`id` is `entry_id` once more."""

    org_id: OrganizationId
    id: str = ""
    entry_id: Annotated[str, meaning("id of the entry", frozen=True)]
    thread_id: Annotated[str, meaning("the thread it belongs to", frozen=True)]
    agent_id: Annotated[str | None, meaning("who wrote it", frozen=True)]
    content: Annotated[str, meaning("what it says")]
    entry_type: Annotated[str, meaning("note, milestone, or another word of the agent's own")]
    created_by: Annotated[str, meaning("id of the key that wrote it", frozen=True)]
    created_at: RecordedAt

    def __post_init__(self) -> None:
        force_setattr(self, "id", self.entry_id)


class CreatedThread(Record, frozen=True, kw_only=True):
    thread: Thread
    thread_id: str


class ChangedThread(Record, frozen=True, kw_only=True):
    thread: Thread


class AddedThreadEntry(Record, frozen=True, kw_only=True):
    entry: ThreadEntry
    entry_id: str


class ThreadsQuery(Query, frozen=True, kw_only=True):
    agent_id: ShortText | None = None
    status: ThreadStatus | None = None
    name: ThreadName | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class Threads(Record, frozen=True, kw_only=True):
    threads: list[Thread]
    total: int
    lastUpdated: datetime  # noqa: N815 - the published name
    next_cursor: str | None


class ThreadQuery(Query, frozen=True, kw_only=True):
    """The newest `limit` entries; `offset` goes back from there."""

    limit: Limit = 200
    offset: Offset = 0


class ThreadDetail(Record, frozen=True, kw_only=True):
    """`entries` are in the order in which they were written; `total` counts all of the thread's."""

    thread: Thread
    entries: list[ThreadEntry]
    total: int


CREATE_THREAD = Endpoint(
    operation="create_thread",
    method="POST",
    path="/api/context/threads",
    summary="Begin a thread, or open the agent's thread of this name again (then 200).",
    roles=ACTING,
    request=CreateThread,
    response=CreatedThread,
    statuses=(201, 200),
    problems=(Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
)
GET_THREADS = Endpoint(
    operation="get_threads",
    method="GET",
    path="/api/context/threads",
    summary="Threads, newest first.",
    roles=ANYONE,
    query=ThreadsQuery,
    response=Threads,
)
GET_THREAD = Endpoint(
    operation="get_thread",
    method="GET",
    path="/api/context/threads/{thread_id}",
    summary="One thread with its entries.",
    roles=ANYONE,
    query=ThreadQuery,
    response=ThreadDetail,
    problems=(Code.THREAD_NOT_FOUND,),
)
ADD_THREAD_ENTRY = Endpoint(
    operation="add_thread_entry",
    method="POST",
    path="/api/context/threads/{thread_id}/entries",
    summary="Write into a thread that is open.",
    roles=ACTING,
    request=AddThreadEntry,
    response=AddedThreadEntry,
    statuses=(201,),
    problems=(Code.THREAD_NOT_FOUND, Code.THREAD_CLOSED, Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
)
CLOSE_THREAD = Endpoint(
    operation="close_thread",
    method="PATCH",
    path="/api/context/threads/{thread_id}",
    summary="Close a thread, with a summary or without; or change either.",
    roles=ACTING,
    request=ChangeThread,
    response=ChangedThread,
    problems=(Code.THREAD_NOT_FOUND, Code.PROJECTION_BEHIND),
)
