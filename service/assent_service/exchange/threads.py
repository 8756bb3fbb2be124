"""Context threads: what an agent wants to remember about one matter, entry by entry.

1. An agent has one thread of a name. Naming it again opens it again when it was closed; a summary that comes with it
   takes the place of the one it has.
2. A closed thread takes no entries. Closing it again changes nothing but its summary, if another one is given.
3. A change that says nothing new changes nothing, `updated_at` included.

Everything that looks at a thread's state before it writes holds the thread's own fence, so that no entry gets in behind
a close. Beginning holds one of the name first, and the thread's after it.
"""

from __future__ import annotations

from msgspec.structs import replace

from assent.contract.events import EventName
from assent.contract.exchange.threads import (
    ADD_THREAD_ENTRY,
    CLOSE_THREAD,
    CREATE_THREAD,
    GET_THREAD,
    GET_THREADS,
    THREAD,
    AddedThreadEntry,
    AddThreadEntry,
    ChangedThread,
    ChangeThread,
    CreatedThread,
    CreateThread,
    Thread,
    ThreadDetail,
    ThreadEntry,
    ThreadQuery,
    ThreadsQuery,
    ThreadStatus,
)
from assent.contract.exchange.threads import Threads as ThreadList
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import Clock, moment, new_id
from assent_service.base.problem import refuse
from assent_service.core.call import Answer, Call
from assent_service.core.carry import carry
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import record, select
from assent_service.core.shelf import Shelf
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

__all__ = ["TABLES", "THREADS", "THREAD_ENTRIES", "THREAD_FENCES", "ContextThreads", "open_threads"]

THREADS = Table.of(
    Thread,
    name="threads",
    meaning="what agents keep their context on, one row for each agent and name as it is now",
    key="thread_id",
    created=("thread.created",),
    replaced=("thread.updated",),
    without=("id",),
)
THREAD_ENTRIES = Table.of(
    ThreadEntry,
    name="thread_entries",
    meaning="what agents wrote into their context threads",
    key="entry_id",
    created=("thread_entry.created",),
    without=("id",),
)
TABLES = (THREADS, THREAD_ENTRIES)
THREAD_FENCE = Fence("thread", "thread_id")
THREAD_NAME_FENCE = Fence("thread_name", "agent_id", "name")
THREAD_FENCES = (THREAD_NAME_FENCE, THREAD_FENCE)
"""In the order in which a beginning holds them."""
NOTE = "note"


def begun(principal: Principal, said: CreateThread, agent_id: str | None, thread_id: str, now: int) -> Thread:
    at = moment(now)
    return carry(
        Thread,
        said,
        org_id=principal.org_id,
        thread_id=thread_id,
        agent_id=agent_id,
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
    return carry(
        ThreadEntry,
        thread,
        said,
        entry_id=entry_id,
        agent_id=principal.speaks_for(said.agent_id) or thread.agent_id,
        entry_type=said.entry_type or NOTE,
        created_by=principal.key_id,
        created_at=moment(now),
    )


class ContextThreads:
    """The threads of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._threads = Shelf(THREAD, THREADS, THREAD_FENCE, ThreadsQuery, ledger=ledger, clock=clock, locks=locks)

    async def create(
        self, principal: Principal, said: CreateThread, status: ThreadStatus = ThreadStatus.ACTIVE
    ) -> tuple[Thread, bool]:
        """The thread, with this status, and whether it is new. Raises `agent_mismatch`."""
        agent_id = principal.speaks_for(said.agent_id)
        async with self._locks.hold(THREAD_NAME_FENCE.of(principal.org_id, str(agent_id), said.name)):
            known = await self._named(principal.org_id, agent_id, said.name)
            if known is None:
                now = self._clock()
                thread = begun(principal, said, agent_id, new_id("ct_", now), now)
                await self._threads.record(principal, thread, now)
                if status is not thread.status:
                    thread = await self._change(principal, thread.thread_id, status, None)
                return thread, True
            return await self._change(principal, known.thread_id, status, said.summary), False

    async def change(self, principal: Principal, thread_id: str, said: ChangeThread) -> Thread:
        """Close it, open it, sum it up. Raises `thread_not_found`, and `invalid_body` for a change of nothing."""
        check_change(said)
        return await self._change(principal, thread_id, said.status, said.summary)

    async def add(self, principal: Principal, thread_id: str, said: AddThreadEntry) -> ThreadEntry:
        """Raises `thread_not_found`, `thread_closed` and `agent_mismatch`."""
        async with self._threads.held(principal, thread_id) as thread:
            check_open(thread)
            now = self._clock()
            written = entry(principal, thread, said, new_id("ce_", now), now)
            await self._ledger.append(
                Draft(
                    org=written.org_id,
                    type=EventName.THREAD_ENTRY_CREATED.value,
                    ts=now,
                    subject=written.entry_id,
                    actor=principal.key_id,
                    data=encode(written),
                )
            )
            return written

    async def detail(self, principal: Principal, thread_id: str, query: ThreadQuery) -> ThreadDetail:
        """The thread with its newest entries, in the order in which they were written. Raises `thread_not_found`."""
        thread = await self._threads.visible(principal, thread_id)
        chosen = [thread.org_id, thread.thread_id]
        where = "org_id = ? AND thread_id = ?"
        ((total,),) = await self._ledger.read(f"SELECT count(*) FROM thread_entries WHERE {where}", chosen)
        rows = await self._ledger.read(
            f"SELECT {select(THREAD_ENTRIES)} FROM thread_entries WHERE {where} "
            "ORDER BY created_at DESC, entry_id DESC LIMIT ? OFFSET ?",
            [*chosen, query.limit, query.offset],
        )
        entries = [record(THREAD_ENTRIES, row, ThreadEntry) for row in reversed(rows)]
        return ThreadDetail(thread=thread, entries=entries, total=int(str(total)))

    async def page(self, principal: Principal, query: ThreadsQuery) -> ThreadList:
        page = await self._threads.page(principal, query)
        return ThreadList(
            threads=page.rows,
            total=page.total,
            lastUpdated=moment(self._clock()),
            next_cursor=page.next_cursor,
        )

    async def _change(
        self, principal: Principal, thread_id: str, status: ThreadStatus | None, summary: str | None
    ) -> Thread:
        return await self._threads.change(
            principal, thread_id, lambda thread, now: changed(thread, status, summary, now)
        )

    async def _named(self, org_id: str, agent_id: str | None, name: str) -> Thread | None:
        """The agent's thread of this name, or that of nobody in particular."""
        rows = await self._ledger.read(
            f"SELECT {select(THREADS)} FROM threads "
            "WHERE org_id = ? AND agent_id IS NOT DISTINCT FROM ? AND name = ? ORDER BY created_at, thread_id LIMIT 1",
            [org_id, agent_id, name],
        )
        return record(THREADS, rows[0], Thread) if rows else None


def routes(threads: ContextThreads) -> tuple[Route, ...]:
    @serves(CREATE_THREAD, holds=THREAD_FENCES)
    async def create(call: Call[CreateThread, None]) -> Answer[CreatedThread]:
        thread, new = await threads.create(call.principal, call.body)
        return Answer(CreatedThread(thread=thread, thread_id=thread.thread_id), 201 if new else 200)

    @serves(GET_THREADS)
    async def list_all(call: Call[None, ThreadsQuery]) -> ThreadList:
        return await threads.page(call.principal, call.query)

    @serves(GET_THREAD)
    async def get(call: Call[None, ThreadQuery], thread_id: str) -> ThreadDetail:
        return await threads.detail(call.principal, thread_id, call.query)

    @serves(ADD_THREAD_ENTRY, holds=(THREAD_FENCE,))
    async def add(call: Call[AddThreadEntry, None], thread_id: str) -> AddedThreadEntry:
        written = await threads.add(call.principal, thread_id, call.body)
        return AddedThreadEntry(entry=written, entry_id=written.entry_id)

    @serves(CLOSE_THREAD, holds=(THREAD_FENCE,))
    async def change(call: Call[ChangeThread, None], thread_id: str) -> ChangedThread:
        thread = await threads.change(call.principal, thread_id, call.body)
        return ChangedThread(thread=thread)

    return create, list_all, get, add, change


def open_threads(on: Foundation) -> ContextThreads:
    threads = ContextThreads(on.ledger, on.clock, on.locks)
    on.bring(routes=routes(threads))
    return threads
