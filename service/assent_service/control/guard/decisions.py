"""Guard's decisions: their table, and lists of past ones, newest first.

A decision as it is recorded says what was asked, what was answered, and under which policies.
"""

from __future__ import annotations

from typing import Any

from assent.contract.control.guard import (
    GuardDecision,
    GuardDecisions,
    GuardDecisionsQuery,
    GuardStats,
    RecordedDecision,
)
from assent_service.base.clock import DAY, naive
from assent_service.core.carry import carry
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, Filters, of_caller, read_page
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

GUARD_DECISIONS = Table.of(
    RecordedDecision,
    name="guard_decisions",
    meaning="what guard decided, on what, and why",
    key="decision_id",
    created=("guard.decision.created",),
)


# Past decisions, by filter, newest first.


FILTERS = Filters(GUARD_DECISIONS, GuardDecisionsQuery, {"days": None})


async def list_decisions(ledger: Ledger, principal: Principal, query: GuardDecisionsQuery, now: int) -> GuardDecisions:
    """A page of decisions that the caller may see, with counts over all that fit and over the last 24 hours."""
    chosen = _filter(principal, query, now)
    counts = await ledger.read(
        f"SELECT decision, count(*) FROM guard_decisions WHERE {chosen.where} GROUP BY decision", chosen.parameters
    )
    by_decision = {str(decision): int(str(count)) for decision, count in counts}
    page = await read_page(ledger, GUARD_DECISIONS, RecordedDecision, chosen, query)
    return GuardDecisions(
        decisions=[_listed(decision) for decision in page.rows],
        total=sum(by_decision.values()),
        by_decision=by_decision,
        stats=await _stats(ledger, principal, now),
        limit=query.limit,
        offset=query.offset,
        next_cursor=page.next_cursor,
    )


def _filter(principal: Principal, query: GuardDecisionsQuery, now: int) -> Filter:
    chosen = of_caller(principal)
    FILTERS.narrow(chosen, query)
    if query.days is not None:
        chosen.add("occurred_at >= ?", naive(now - query.days * DAY))
    return chosen


async def _stats(ledger: Ledger, principal: Principal, now: int) -> GuardStats:
    rows = await ledger.read(
        "SELECT decision, count(*) FROM guard_decisions WHERE org_id = ? AND created_at >= ? GROUP BY decision",
        [principal.org_id, naive(now - DAY)],
    )
    counts: dict[str, Any] = {str(decision): count for decision, count in rows}
    return GuardStats(
        total_24h=sum(counts.values()),
        blocks_24h=counts.get("block", 0),
        warns_24h=counts.get("warn", 0),
        approvals_24h=counts.get("require_approval", 0),
    )


def _listed(decision: RecordedDecision) -> GuardDecision:
    return carry(
        GuardDecision,
        decision,
        id=decision.decision_id,
        matched_policies=list(decision.matched_policies),
        observed_policies=list(decision.observed_policies),
    )
