"""Context threads: what the agent wants to remember about one matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller, each
from assent.client.request import members
from assent.contract.exchange.threads import (
    ADD_THREAD_ENTRY,
    CLOSE_THREAD,
    CREATE_THREAD,
    GET_THREAD,
    GET_THREADS,
    CreatedThread,
    CreateThread,
    Thread,
    ThreadStatus,
)


class ThreadFields(TypedDict, total=False):
    """What may be said about a thread besides its name."""

    agent_id: str | None
    summary: str | None


class ThreadOperations(Caller):
    @calls(CREATE_THREAD, named={"name": "thread"})
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

    @sends(ADD_THREAD_ENTRY, own=("agent_id",))
    def add_thread_entry(
        self, thread_id: str, content: str, entry_type: str = "note", *, agent_id: str | None = None
    ) -> Response:
        """Write into a thread; `entry_type` is note, milestone, or a word of one's own. Raises InvalidRequest
        (thread_closed) where it is closed, NotFound."""

    @sends(CLOSE_THREAD, fixed={"status": ThreadStatus.CLOSED}, idempotent=True)
    def close_thread(self, thread_id: str, summary: str | None = None) -> Response:
        """Close a thread; it takes no more entries until `create_thread` opens it again. Raises NotFound."""

    @sends(GET_THREADS)
    def get_threads(
        self,
        *,
        agent_id: str | None = None,
        status: ThreadStatus | str | None = None,
        name: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of threads, newest first, of every agent that the key may see unless one is named. `limit` is 1 to
        200."""

    iterate_threads = each(get_threads, Thread, lambda page: page.threads)

    @sends(GET_THREAD)
    def get_thread(self, thread_id: str, limit: int | None = None, offset: int | None = None) -> Response:
        """One thread with its newest entries, 200 unless `limit` says less; `offset` goes back from there."""
