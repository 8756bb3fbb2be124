"""Loops from the tables: those of an action, and pages by filter, newest first."""

from __future__ import annotations

from assent.contract.loops import Loops, LoopsQuery, LoopStats, OpenLoop
from assent_service.core.clock import moment
from assent_service.core.page import read_page
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, record, select
from assent_service.loops.tables import LOOPS
from assent_service.store.ledger import Ledger


async def of_action(ledger: Ledger, org_id: str, action_id: str) -> list[OpenLoop]:
    """All of an action's, closed ones too, oldest first."""
    rows = await ledger.read(
        f"SELECT {select(LOOPS)} FROM loops WHERE org_id = ? AND action_id = ? ORDER BY created_at, loop_id",
        [org_id, action_id],
    )
    return [record(LOOPS, row, OpenLoop) for row in rows]


async def list_loops(ledger: Ledger, principal: Principal, query: LoopsQuery, now: int) -> Loops:
    """A page of the loops that the caller may see, with counts over all that fit."""
    chosen = _filter(principal, query)
    stats = await _stats(ledger, chosen)
    page = await read_page(ledger, LOOPS, OpenLoop, chosen, cursor=query.cursor, limit=query.limit, offset=query.offset)
    return Loops(
        loops=page.rows,
        total=stats.open_count + stats.resolved_count + stats.cancelled_count,
        stats=stats,
        lastUpdated=moment(now),
        next_cursor=page.next_cursor,
    )


async def _stats(ledger: Ledger, chosen: Filter) -> LoopStats:
    (row,) = await ledger.read(
        "SELECT count(*) FILTER (WHERE status = 'open'), count(*) FILTER (WHERE status = 'resolved'), "
        "count(*) FILTER (WHERE status = 'cancelled'), "
        "count(*) FILTER (WHERE status = 'open' AND priority = 'critical'), "
        f"count(*) FILTER (WHERE status = 'open' AND priority = 'high') FROM loops WHERE {chosen.where}",
        chosen.parameters,
    )
    opened, resolved, cancelled, critical, high = (int(str(count)) for count in row)
    return LoopStats(
        open_count=opened,
        resolved_count=resolved,
        cancelled_count=cancelled,
        critical_open=critical,
        high_open=high,
    )


def _filter(principal: Principal, query: LoopsQuery) -> Filter:
    chosen = Filter(principal.org_id)
    if not principal.sees(None):
        chosen.add("agent_id = ?", principal.agent_id)
    chosen.add("status = ?", query.status.value if query.status else None)
    chosen.add("loop_type = ?", query.loop_type.value if query.loop_type else None)
    chosen.add("priority = ?", query.priority.value if query.priority else None)
    chosen.add("action_id = ?", query.action_id)
    chosen.add("agent_id = ?", query.agent_id)
    return chosen
