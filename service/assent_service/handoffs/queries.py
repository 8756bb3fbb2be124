"""Handoffs from the tables, newest first."""

from __future__ import annotations

from assent.contract.handoffs import Handoff, Handoffs, HandoffsQuery
from assent_service.core.clock import moment
from assent_service.core.page import read_page
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter
from assent_service.handoffs.tables import HANDOFFS
from assent_service.store.ledger import Ledger


async def list_handoffs(ledger: Ledger, principal: Principal, query: HandoffsQuery, now: int) -> Handoffs:
    chosen = _filter(principal, query)
    ((total,),) = await ledger.read(f"SELECT count(*) FROM handoffs WHERE {chosen.where}", chosen.parameters)
    page = await read_page(
        ledger,
        HANDOFFS,
        Handoff,
        chosen,
        cursor=None if query.latest else query.cursor,
        limit=1 if query.latest else query.limit,
        offset=0 if query.latest else query.offset,
    )
    return Handoffs(
        handoffs=page.rows,
        handoff=page.rows[0] if page.rows else None,
        total=int(str(total)),
        lastUpdated=moment(now),
        next_cursor=page.next_cursor,
    )


def _filter(principal: Principal, query: HandoffsQuery) -> Filter:
    chosen = Filter(principal.org_id)
    if not principal.sees(None):
        chosen.add("agent_id = ?", principal.agent_id)
    chosen.add("agent_id = ?", query.agent_id)
    chosen.add("session_date = ?", query.session_date)
    # Days are written so that they sort as texts.
    chosen.add("session_date >= ?", query.since)
    chosen.add("session_date <= ?", query.until)
    return chosen
