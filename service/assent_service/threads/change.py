"""What a thread is when it is begun, and what becomes of it. Pure.

1. An agent has one thread of a name. Naming it again opens it again when it was closed; a summary that comes with it
   takes the place of the one it has.
2. A closed thread takes no entries. Closing it again changes nothing but its summary, if another one is given.
3. A change that says nothing new changes nothing, `updated_at` included.
"""

from __future__ import annotations

from msgspec.structs import replace

from assent.contract.problems import Code, FieldError
from assent.contract.threads import AddThreadEntry, ChangeThread, CreateThread, Thread, ThreadEntry, ThreadStatus
from assent_service.core.clock import moment
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse

NOTE = "note"


def begun(principal: Principal, said: CreateThread, agent_id: str | None, thread_id: str, now: int) -> Thread:
    at = moment(now)
    return Thread(
        org_id=principal.org_id,
        thread_id=thread_id,
        agent_id=agent_id,
        name=said.name,
        summary=said.summary,
        status=ThreadStatus.ACTIVE,
        created_by=principal.key_id,
        closed_at=None,
        created_at=at,
        updated_at=at,
    )


def changed(thread: Thread, status: ThreadStatus | None, summary: str | None, now: int) -> Thread:
    """The thread after a change; the same object when that says nothing new."""
    status = status or thread.status
    summary = thread.summary if summary is None else summary
    if (status, summary) == (thread.status, thread.summary):
        return thread
    closed_at = thread.closed_at
    if status is not thread.status:
        closed_at = moment(now) if status is ThreadStatus.CLOSED else None
    return replace(thread, status=status, summary=summary, closed_at=closed_at, updated_at=moment(now))


def check_change(said: ChangeThread) -> None:
    """Raises `invalid_body` for a change of nothing."""
    if said.status is None and said.summary is None:
        raise refuse(
            Code.INVALID_BODY,
            'The body changes nothing; give status ("closed" or "active"), summary, or both.',
            FieldError(place="status", message="is missing, as is summary"),
        )


def check_open(thread: Thread) -> None:
    """Raises `thread_closed`."""
    if thread.status is ThreadStatus.CLOSED:
        raise refuse(
            Code.THREAD_CLOSED,
            f"Thread {thread.thread_id} is closed and takes no entries; "
            "create_thread with its name opens it again, or begin another one.",
        )


def entry(principal: Principal, thread: Thread, said: AddThreadEntry, entry_id: str, now: int) -> ThreadEntry:
    """Raises `agent_mismatch`. Who writes is the agent named, else the key's, else the thread's."""
    return ThreadEntry(
        org_id=thread.org_id,
        entry_id=entry_id,
        thread_id=thread.thread_id,
        agent_id=principal.speaks_for(said.agent_id) or thread.agent_id,
        content=said.content,
        entry_type=said.entry_type or NOTE,
        created_by=principal.key_id,
        created_at=moment(now),
    )
