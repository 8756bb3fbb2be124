"""Beginning threads, writing into them and closing them.

Everything that looks at a thread's state before it writes holds the thread's own lock, so that no entry gets in behind
a close. Beginning holds a lock of the name first, and the thread's after it.
"""

from __future__ import annotations

from assent.contract.events import EventName
from assent.contract.problems import Code
from assent.contract.threads import (
    AddThreadEntry,
    ChangeThread,
    CreateThread,
    Thread,
    ThreadDetail,
    ThreadEntry,
    ThreadQuery,
    ThreadsQuery,
    ThreadStatus,
)
from assent.contract.threads import Threads as ThreadList
from assent_service.core.clock import Clock, new_id
from assent_service.core.find import find_row
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.threads import queries
from assent_service.threads.change import begun, changed, check_change, check_open, entry
from assent_service.threads.tables import THREADS


class Threads:
    """The threads of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks

    async def create(
        self, principal: Principal, said: CreateThread, status: ThreadStatus = ThreadStatus.ACTIVE
    ) -> tuple[Thread, bool]:
        """The thread, with this status, and whether it is new. Raises `agent_mismatch`."""
        agent_id = principal.speaks_for(said.agent_id)
        async with self._locks.hold(f"thread name:{principal.org_id}:{agent_id}:{said.name}"):
            known = await queries.named(self._ledger, principal.org_id, agent_id, said.name)
            if known is None:
                now = self._clock()
                thread = begun(principal, said, agent_id, new_id("ct_", now), now)
                await self._ledger.append(_event(EventName.THREAD_CREATED, thread, principal, now))
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
        async with self._locks.hold(_lock(principal.org_id, thread_id)):
            thread = await self.visible(principal, thread_id)
            check_open(thread)
            now = self._clock()
            written = entry(principal, thread, said, new_id("ce_", now), now)
            await self._ledger.append(_event(EventName.THREAD_ENTRY_CREATED, written, principal, now))
            return written

    async def visible(self, principal: Principal, thread_id: str) -> Thread:
        """Raises `thread_not_found` for a foreign thread as for an unknown one."""
        found = await find_row(self._ledger, THREADS, Thread, principal.org_id, thread_id)
        if found is None or not principal.sees(found.agent_id):
            raise refuse(Code.THREAD_NOT_FOUND, f"There is no thread {thread_id[:128]!r} in this organization.")
        return found

    async def detail(self, principal: Principal, thread_id: str, query: ThreadQuery) -> ThreadDetail:
        return await queries.with_entries(self._ledger, await self.visible(principal, thread_id), query)

    async def page(self, principal: Principal, query: ThreadsQuery) -> ThreadList:
        return await queries.list_threads(self._ledger, principal, query, self._clock())

    async def _change(
        self, principal: Principal, thread_id: str, status: ThreadStatus | None, summary: str | None
    ) -> Thread:
        async with self._locks.hold(_lock(principal.org_id, thread_id)):
            before = await self.visible(principal, thread_id)
            now = self._clock()
            after = changed(before, status, summary, now)
            if after is not before:
                await self._ledger.append(_event(EventName.THREAD_UPDATED, after, principal, now))
            return after


def _lock(org_id: str, thread_id: str) -> str:
    return f"thread:{org_id}:{thread_id}"


def _event(name: EventName, about: Thread | ThreadEntry, principal: Principal, now: int) -> Draft:
    return Draft(
        org=about.org_id,
        type=name.value,
        ts=now,
        subject=about.id,
        actor=principal.key_id,
        data=encode(about),
    )
