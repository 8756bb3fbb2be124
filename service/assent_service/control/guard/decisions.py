"""Guard's decisions: their table, what the caller is told of one, and lists of past ones, newest first.

A decision as it is recorded says what was asked, what was answered, and under which policies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from assent.contract.control.guard import (
    GuardDecision,
    GuardDecisions,
    GuardDecisionsQuery,
    GuardResult,
    GuardStats,
    RecordedDecision,
)
from assent_service.base.clock import DAY, naive
from assent_service.core.carry import carry
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, Filters, of_caller, read_page
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table


def result_of(decision: RecordedDecision) -> GuardResult:
    """What the caller is told."""
    return GuardResult(
        decision=decision.decision,
        decision_id=decision.decision_id,
        action_id=decision.decision_id,
        agent_id=decision.agent_id,
        action_type=decision.action_type,
        reason=decision.reason,
        reasons=list(decision.reasons),
        warnings=list(decision.warnings),
        signals=[*decision.warnings, *decision.reasons],
        matched_policies=list(decision.matched_policies),
        would_decide=decision.would_decide,
        observed_policies=list(decision.observed_policies),
        policy_version=decision.policy_version,
        risk_score=decision.risk_score,
        agent_risk_score=decision.agent_risk_score,
        risk_breakdown=decision.risk_breakdown,
        predictive_risk=decision.predictive_risk,
        evaluated_at=decision.evaluated_at,
        risk_template_id=decision.risk_template_id,
        risk_template_version=decision.risk_template_version,
        risk_template_score=decision.risk_template_score,
        action_type_as_sent=as_sent(decision.action_type, decision.context) or UNSET,
        destructive=decision.destructive,
        explored=decision.explored or UNSET,
    )


def as_sent(action_type: str, context: Mapping[str, Any]) -> str | None:
    """The type as the agent spelled it, where it is kept by another spelling; else None."""
    said = context.get("action_type")
    return said if isinstance(said, str) and said != action_type else None


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
