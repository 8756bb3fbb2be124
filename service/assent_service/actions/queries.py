"""Lists of actions, newest first."""

from __future__ import annotations

from assent.contract.actions import Action, Actions, ActionsQuery, ActionStats
from assent_service.actions.tables import ACTIONS
from assent_service.core.clock import DAY, moment, naive
from assent_service.core.page import read_page
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter
from assent_service.store.ledger import Ledger

HIGH_RISK = 70


async def list_actions(ledger: Ledger, principal: Principal, query: ActionsQuery, now: int) -> Actions:
    """A page of the actions that the caller may see, with counts over all that fit."""
    chosen = _filter(principal, query, now)
    stats = await _stats(ledger, chosen)
    page = await read_page(ledger, ACTIONS, Action, chosen, cursor=query.cursor, limit=query.limit, offset=query.offset)
    return Actions(
        actions=page.rows,
        total=stats.total,
        stats=stats,
        lastUpdated=moment(now),
        next_cursor=page.next_cursor,
    )


async def _stats(ledger: Ledger, chosen: Filter) -> ActionStats:
    (row,) = await ledger.read(
        "SELECT count(*), count(*) FILTER (WHERE status = 'completed'), count(*) FILTER (WHERE status = 'failed'), "
        "count(*) FILTER (WHERE status = 'running'), count(*) FILTER (WHERE risk_score >= ?), "
        f"coalesce(avg(risk_score), 0), coalesce(sum(cost_estimate), 0) FROM actions WHERE {chosen.where}",
        [HIGH_RISK, *chosen.parameters],
    )
    total, completed, failed, running, high_risk = (int(str(count)) for count in row[:5])
    return ActionStats(
        total=total,
        completed=completed,
        failed=failed,
        running=running,
        high_risk=high_risk,
        avg_risk=float(str(row[5])),
        total_cost=float(str(row[6])),
    )


def _filter(principal: Principal, query: ActionsQuery, now: int) -> Filter:
    chosen = Filter(principal.org_id)
    if not principal.sees(None):
        chosen.add("agent_id = ?", principal.agent_id)
    chosen.add("agent_id = ?", query.agent_id)
    chosen.add("swarm_id = ?", query.swarm_id)
    chosen.add("status = ?", query.status.value if query.status else None)
    chosen.add("status <> ?", query.exclude_status.value if query.exclude_status else None)
    chosen.add("action_type = ?", query.action_type)
    chosen.add("decision = ?", query.decision.value if query.decision else None)
    chosen.add("decision_id = ?", query.decision_id)
    chosen.add("session_id = ?", query.session_id)
    chosen.add("source = ?", query.source.value if query.source else None)
    chosen.add("risk_score >= ?", query.risk_min)
    if query.days is not None:
        chosen.add("timestamp_start >= ?", naive(now - query.days * DAY))
    return chosen
