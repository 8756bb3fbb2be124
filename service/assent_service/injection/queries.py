"""Recorded scans from the tables, newest first."""

from __future__ import annotations

from assent.contract.injection import InjectionScans, InjectionScansQuery, RecordedScan, ScanRecommendation
from assent_service.core.clock import DAY, naive
from assent_service.core.page import read_page
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, of_caller
from assent_service.injection.tables import INJECTION_SCANS
from assent_service.store.ledger import Ledger


async def list_scans(ledger: Ledger, principal: Principal, query: InjectionScansQuery, now: int) -> InjectionScans:
    """An agent's key sees its own agent's. Raises `invalid_query` for a cursor that is not one of ours."""
    chosen = _filter(principal, query, now)
    rows = await ledger.read(
        f"SELECT recommendation, count(*) FROM injection_scans WHERE {chosen.where} GROUP BY recommendation",
        chosen.parameters,
    )
    counts = {str(name): int(str(number)) for name, number in rows}
    page = await read_page(
        ledger,
        INJECTION_SCANS,
        RecordedScan,
        chosen,
        cursor=query.cursor,
        limit=query.limit,
        offset=query.offset,
    )
    return InjectionScans(
        scans=page.rows,
        total=sum(counts.values()),
        by_recommendation={each.value: counts.get(each.value, 0) for each in ScanRecommendation},
        next_cursor=page.next_cursor,
    )


def _filter(principal: Principal, query: InjectionScansQuery, now: int) -> Filter:
    chosen = of_caller(principal)
    for name in ("agent_id", "subject_kind", "subject_id", "action_id", "recommendation"):
        chosen.add(f"{name} = ?", getattr(query, name))
    if query.days is not None:
        chosen.add("created_at >= ?", naive(now - query.days * DAY))
    return chosen
