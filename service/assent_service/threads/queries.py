"""Threads from the tables."""

from __future__ import annotations

from assent.contract.threads import Thread, ThreadDetail, ThreadEntry, ThreadQuery, Threads, ThreadsQuery
from assent_service.core.clock import moment
from assent_service.core.page import read_page
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, record, select
from assent_service.store.ledger import Ledger
from assent_service.threads.tables import THREAD_ENTRIES, THREADS


async def named(ledger: Ledger, org_id: str, agent_id: str | None, name: str) -> Thread | None:
    """The agent's thread of this name, or that of nobody in particular."""
    rows = await ledger.read(
        f"SELECT {select(THREADS)} FROM threads "
        "WHERE org_id = ? AND agent_id IS NOT DISTINCT FROM ? AND name = ? ORDER BY created_at, thread_id LIMIT 1",
        [org_id, agent_id, name],
    )
    return record(THREADS, rows[0], Thread) if rows else None


async def list_threads(ledger: Ledger, principal: Principal, query: ThreadsQuery, now: int) -> Threads:
    """A page of those that the caller may see, newest first."""
    chosen = Filter(principal.org_id)
    if not principal.sees(None):
        chosen.add("agent_id = ?", principal.agent_id)
    chosen.add("agent_id = ?", query.agent_id)
    chosen.add("status = ?", query.status)
    chosen.add("name = ?", query.name)
    ((total,),) = await ledger.read(f"SELECT count(*) FROM threads WHERE {chosen.where}", chosen.parameters)
    page = await read_page(ledger, THREADS, Thread, chosen, cursor=query.cursor, limit=query.limit, offset=query.offset)
    return Threads(threads=page.rows, total=int(str(total)), lastUpdated=moment(now), next_cursor=page.next_cursor)


async def with_entries(ledger: Ledger, thread: Thread, query: ThreadQuery) -> ThreadDetail:
    """The thread with its newest entries, in the order in which they were written."""
    chosen = [thread.org_id, thread.thread_id]
    where = "org_id = ? AND thread_id = ?"
    ((total,),) = await ledger.read(f"SELECT count(*) FROM thread_entries WHERE {where}", chosen)
    rows = await ledger.read(
        f"SELECT {select(THREAD_ENTRIES)} FROM thread_entries WHERE {where} "
        "ORDER BY created_at DESC, entry_id DESC LIMIT ? OFFSET ?",
        [*chosen, query.limit, query.offset],
    )
    entries = [record(THREAD_ENTRIES, row, ThreadEntry) for row in reversed(rows)]
    return ThreadDetail(thread=thread, entries=entries, total=int(str(total)))
