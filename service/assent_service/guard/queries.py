"""Past decisions, by filter, newest first."""

from __future__ import annotations

from typing import Any

from assent.contract.guard import GuardDecision, GuardDecisions, GuardDecisionsQuery, GuardStats
from assent_service.core.clock import DAY, naive
from assent_service.core.page import read_page
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter
from assent_service.guard.recorded import RecordedDecision
from assent_service.guard.tables import GUARD_DECISIONS
from assent_service.store.ledger import Ledger


async def list_decisions(ledger: Ledger, principal: Principal, query: GuardDecisionsQuery, now: int) -> GuardDecisions:
    """A page of decisions that the caller may see, with counts over all that fit and over the last 24 hours."""
    chosen = _filter(principal, query, now)
    counts = await ledger.read(
        f"SELECT decision, count(*) FROM guard_decisions WHERE {chosen.where} GROUP BY decision", chosen.parameters
    )
    by_decision = {str(decision): int(str(count)) for decision, count in counts}
    page = await read_page(
        ledger,
        GUARD_DECISIONS,
        RecordedDecision,
        chosen,
        cursor=query.cursor,
        limit=query.limit,
        offset=query.offset,
    )
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
    chosen = Filter(principal.org_id)
    if not principal.sees(None):
        chosen.add("agent_id = ?", principal.agent_id)
    chosen.add("agent_id = ?", query.agent_id)
    chosen.add("action_type = ?", query.action_type)
    chosen.add("decision = ?", query.decision.value if query.decision else None)
    chosen.add("source = ?", query.source.value if query.source else None)
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
    return GuardDecision(
        id=decision.decision_id,
        decision_id=decision.decision_id,
        org_id=decision.org_id,
        agent_id=decision.agent_id,
        action_type=decision.action_type,
        declared_goal=decision.declared_goal,
        decision=decision.decision,
        would_decide=decision.would_decide,
        reason=decision.reason,
        matched_policies=list(decision.matched_policies),
        observed_policies=list(decision.observed_policies),
        risk_score=decision.risk_score,
        agent_risk_score=decision.agent_risk_score,
        policy_version=decision.policy_version,
        source=decision.source,
        occurred_at=decision.occurred_at,
        created_at=decision.created_at,
    )
