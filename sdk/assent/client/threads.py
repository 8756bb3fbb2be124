"""Context threads: what the agent wants to remember about one matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.threads import (
    ADD_THREAD_ENTRY,
    CLOSE_THREAD,
    CREATE_THREAD,
    GET_THREAD,
    GET_THREADS,
    AddedThreadEntry,
    AddThreadEntry,
    ChangedThread,
    ChangeThread,
    CreatedThread,
    CreateThread,
    ThreadDetail,
    ThreadQuery,
    Threads,
    ThreadsQuery,
    ThreadStatus,
)


class ThreadFields(TypedDict, total=False):
    """What may be said about a thread besides its name."""

    agent_id: str | None
    summary: str | None


class ThreadFilters(TypedDict, total=False):
    """Filters of the list; `limit` is 1 to 200."""

    agent_id: str | None
    status: ThreadStatus | str | None
    name: str | None
    limit: int | None
    offset: int | None
    cursor: str | None


class ThreadOperations(Caller):
    @operation
    def create_thread(
        self, thread: Mapping[str, Any] | str | None = None, **fields: Unpack[ThreadFields]
    ) -> Flow[CreatedThread]:
        """Begin a thread: its name, or a mapping that holds `name`. The agent's thread of this name is opened again
        if there is one. It is of the client's agent unless another is named."""
        said = {"name": thread} if isinstance(thread, str) else dict(thread or {})
        body = {**said, **members(CreateThread, fields, "create_thread")}
        if self.agent_id is not None and not {"agent_id", "agentId"} & set(body):
            body["agent_id"] = self.agent_id
        return (yield from send(CREATE_THREAD, body=body, idempotent=True))

    @operation
    def add_thread_entry(
        self, thread_id: str, content: str, entry_type: str = "note", *, agent_id: str | None = None
    ) -> Flow[AddedThreadEntry]:
        """Write into a thread; `entry_type` is note, milestone, or a word of one's own. Raises InvalidRequest
        (thread_closed) where it is closed, NotFound."""
        given = {"content": content, "entry_type": entry_type, "agent_id": agent_id or self.agent_id}
        body = members(AddThreadEntry, given, "add_thread_entry")
        return (yield from send(ADD_THREAD_ENTRY, path={"thread_id": thread_id}, body=body))

    @operation
    def close_thread(self, thread_id: str, summary: str | None = None) -> Flow[ChangedThread]:
        """Close a thread; it takes no more entries until `create_thread` opens it again. Raises NotFound."""
        body = ChangeThread(status=ThreadStatus.CLOSED, summary=summary)
        return (yield from send(CLOSE_THREAD, path={"thread_id": thread_id}, body=body, idempotent=True))

    @operation
    def get_threads(self, **filters: Unpack[ThreadFilters]) -> Flow[Threads]:
        """A page of threads, newest first, of every agent that the key may see unless one is named."""
        return (yield from send(GET_THREADS, query=members(ThreadsQuery, filters, "get_threads")))

    @operation
    def get_thread(self, thread_id: str, limit: int | None = None, offset: int | None = None) -> Flow[ThreadDetail]:
        """One thread with its newest entries, 200 unless `limit` says less; `offset` goes back from there."""
        query = members(ThreadQuery, {"limit": limit, "offset": offset}, "get_thread")
        return (yield from send(GET_THREAD, path={"thread_id": thread_id}, query=query))
