"""Opening, listing and resolving the threads that messages are in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from assent.contract.events import EventName
from assent.contract.exchange.message_threads import (
    CreateMessageThread,
    MessageThread,
    MessageThreads,
    MessageThreadsQuery,
    ResolveMessageThread,
    ThreadRow,
)
from assent.contract.names import is_among
from assent_service.base.clock import Clock, new_id
from assent_service.core.carry import carry
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode, extend
from assent_service.core.principal import Principal
from assent_service.core.rows import find_row, list_rows
from assent_service.exchange.messages.compose import (
    among_private,
    check_thread_id,
    no_thread,
    opened,
    resolved,
    takes_part,
)
from assent_service.exchange.messages.queries import chosen_threads, looker, visible
from assent_service.exchange.messages.rows import MESSAGE_THREADS
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

MESSAGE_THREAD_FENCE = Fence("message_thread", "thread_id")


class Threads:
    """The message threads of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks

    async def open(self, principal: Principal, said: CreateMessageThread) -> MessageThread:
        """Raises `agent_mismatch`."""
        by = principal.speaks_for(said.agent_id)
        now = self._clock()
        thread = opened(said, by, org_id=principal.org_id, thread_id=new_id("mt_", now), now=now)
        await self._ledger.append(_event(EventName.MESSAGE_THREAD_CREATED, thread, principal, now))
        return _answer(thread, 0, None)

    async def resolve(self, principal: Principal, said: ResolveMessageThread) -> MessageThread:
        """Raises `thread_not_found`, `agent_mismatch` for a key that is bound to an agent which takes no part in it,
        and `invalid_body` for a context thread."""
        check_thread_id(said.thread_id)
        async with self._locks.hold(MESSAGE_THREAD_FENCE.of(principal.org_id, said.thread_id)):
            before = await self.visible(principal, said.thread_id)
            self._check_part(principal, before)
            now = self._clock()
            after = resolved(before, said, now)
            if after is not before:
                await self._ledger.append(_event(EventName.MESSAGE_THREAD_UPDATED, after, principal, now))
        (thread,) = await self._counted(principal, [after])
        return thread

    async def page(self, principal: Principal, query: MessageThreadsQuery) -> MessageThreads:
        """Raises `agent_mismatch`, `invalid_query`."""
        chosen = chosen_threads(principal, query, looker(principal, query.agent_id))
        page = await list_rows(self._ledger, MESSAGE_THREADS, ThreadRow, chosen, query)
        return MessageThreads(
            threads=await self._counted(principal, page.rows),
            total=page.total,
            next_cursor=page.next_cursor,
        )

    async def visible(self, principal: Principal, thread_id: str) -> ThreadRow:
        """Raises `thread_not_found`, for a thread of other participants and a foreign one as for an unknown one."""
        found = await find_row(self._ledger, MESSAGE_THREADS, ThreadRow, principal.org_id, thread_id)
        own = None if principal.sees(None) else principal.agent_id
        if found is None or (own is not None and not takes_part(found, own)) or among_private(principal, found):
            raise no_thread(thread_id)
        return found

    def _check_part(self, principal: Principal, thread: ThreadRow) -> None:
        """A thread is its opener's and its participants'. To write in one that is open to all makes nobody one of
        them: anybody can."""
        if not is_among(principal.agent_id, thread.participants):
            principal.check_owner(thread.created_by, f"Message thread {thread.thread_id}, to which it does not belong,")

    async def _counted(self, principal: Principal, threads: Sequence[ThreadRow]) -> list[MessageThread]:
        """With the number of messages in each that the caller may see, and when the last one came."""
        if not threads:
            return []
        chosen = visible(principal)
        marks = ", ".join("?" * len(threads))
        chosen.add_all(f"thread_id IN ({marks})", [each.thread_id for each in threads])
        rows = await self._ledger.read(
            f"SELECT thread_id, count(*), max(created_at) FROM messages WHERE {chosen.where} GROUP BY thread_id",
            chosen.parameters,
        )
        found = {str(thread_id): (int(str(number)), last) for thread_id, number, last in rows}
        return [_answer(each, *found.get(each.thread_id, (0, None))) for each in threads]


def _answer(thread: ThreadRow, messages: int, last: object) -> MessageThread:
    return carry(
        MessageThread,
        thread,
        id=thread.thread_id,
        message_count=messages,
        last_message_at=last.replace(tzinfo=UTC) if isinstance(last, datetime) else None,
    )


def _event(name: EventName, thread: ThreadRow, principal: Principal, now: int) -> Draft:
    return Draft(
        org=thread.org_id,
        type=name.value,
        ts=now,
        subject=thread.thread_id,
        actor=principal.key_id,
        data=extend(encode(thread), {"id": thread.thread_id}),
    )
