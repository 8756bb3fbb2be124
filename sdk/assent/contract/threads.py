"""Context threads: what an agent wants to remember about one matter, entry by entry, until it is closed."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta
from msgspec.structs import force_setattr

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Limit, Offset, Query, Record, Request, ShortText
from assent.contract.roles import ACTING, ANYONE

ThreadName = Annotated[str, Meta(min_length=1, max_length=500)]
ThreadSummary = Annotated[str, Meta(max_length=5000)]


class ThreadStatus(StrEnum):
    """Only an active thread takes entries."""

    ACTIVE = "active"
    CLOSED = "closed"


class CreateThread(Request, frozen=True, kw_only=True):
    """An agent has one thread of a name; naming it again opens it again."""

    name: ThreadName
    agent_id: ShortText | None = None
    summary: ThreadSummary | None = None


class ChangeThread(Request, frozen=True, kw_only=True):
    """What is left out stays as it is; one of them has to be there."""

    status: ThreadStatus | None = None
    summary: ThreadSummary | None = None


class AddThreadEntry(Request, frozen=True, kw_only=True):
    """`entry_type` is a word of the agent's own: note, milestone, ...; `agent_id` who writes, where it is not the
    key's own agent."""

    content: Annotated[str, Meta(min_length=1, max_length=5000)]
    entry_type: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    agent_id: ShortText | None = None


class Thread(Record, frozen=True, kw_only=True):
    """`id` is `thread_id` once more, as published clients know it."""

    org_id: str
    id: str = ""
    thread_id: str
    agent_id: str | None
    name: str
    summary: str | None
    status: ThreadStatus
    created_by: str
    closed_at: datetime | None
    created_at: datetime
    updated_at: datetime

    def __post_init__(self) -> None:
        force_setattr(self, "id", self.thread_id)


class ThreadEntry(Record, frozen=True, kw_only=True):
    """`id` is `entry_id` once more."""

    org_id: str
    id: str = ""
    entry_id: str
    thread_id: str
    agent_id: str | None
    content: str
    entry_type: str
    created_by: str
    created_at: datetime

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
    cursor: Annotated[str, Meta(max_length=400)] | None = None


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
