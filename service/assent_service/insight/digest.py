"""The digest of a week, by the rules of `assent_analytics.digest`.

The database gives what is alike in everything that the digest asks of it once, with its number; never of both weeks
together, and the time of such rows is one of theirs.
"""

from __future__ import annotations

import asyncio

from assent.contract.problems import Code, FieldError
from assent.contract.week import Week, week_of
from assent.contract.weekly import WeeklyDigest, WeekQuery
from assent_analytics.digest import Tables, digest
from assent_service.core.clock import moment
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.core.rows import Filter, of_caller
from assent_service.store.ledger import Ledger

_ACTIONS = """
    SELECT timestamp_start >= ? AS recent, min(timestamp_start) AS timestamp_start, agent_id, action_type, status,
        risk_score, cost_estimate, source, count(*) AS n
    FROM actions WHERE {chosen} GROUP BY ALL
"""
_DECISIONS = """
    SELECT occurred_at >= ? AS recent, min(occurred_at) AS occurred_at, decision, source, count(*) AS n
    FROM guard_decisions WHERE {chosen} GROUP BY ALL
"""
# Whether an approval is simulated stands with the action that it is about.
_APPROVALS = """
    SELECT p.state, p.requested_at, p.decided_at, a.source
    FROM (SELECT * FROM approvals WHERE {chosen}) AS p
    LEFT JOIN (SELECT approval_id, source FROM actions WHERE org_id = ? AND approval_id IS NOT NULL) AS a
        ON a.approval_id = p.approval_id
"""
_SIGNALS = "SELECT type, severity, agent_id, created_at FROM signals WHERE {chosen}"
_ALERTS = "SELECT severity, metric, acknowledged, detected_at, deleted_at, source FROM drift_alerts WHERE {chosen}"
_FIRSTS = """
    SELECT '{kind}' AS kind, {kind} AS name, min(timestamp_start) AS first_seen
    FROM actions WHERE {chosen} AND {kind} IS NOT NULL GROUP BY {kind}
"""


async def weekly_digest(ledger: Ledger, principal: Principal, query: WeekQuery, now: int) -> WeeklyDigest:
    """Raises `invalid_query` for a week that is none or has not begun, and `projection_behind`."""
    try:
        week = week_of(query.week, moment(now))
    except ValueError as error:
        raise refuse(Code.INVALID_QUERY, f"{error}.", FieldError(place="week", message="not a week")) from None
    start = week.since.replace(tzinfo=None)

    def of(time: str) -> Filter:
        return _within_either(week, time, principal, query.agent_id)

    acted, decided, asked, detected, raised = (
        of(name) for name in ("timestamp_start", "occurred_at", "requested_at", "created_at", "detected_at")
    )
    ever = of_caller(principal)
    ever.add("agent_id = ?", query.agent_id)
    firsts = " UNION ALL ".join(_FIRSTS.format(kind=kind, chosen=ever.where) for kind in ("agent_id", "action_type"))
    tables = Tables(
        actions=await ledger.frame(_ACTIONS.format(chosen=acted.where), [start, *acted.parameters]),
        decisions=await ledger.frame(_DECISIONS.format(chosen=decided.where), [start, *decided.parameters]),
        approvals=await ledger.frame(_APPROVALS.format(chosen=asked.where), [*asked.parameters, principal.org_id]),
        signals=await ledger.frame(_SIGNALS.format(chosen=detected.where), detected.parameters),
        drift_alerts=await ledger.frame(_ALERTS.format(chosen=raised.where), raised.parameters),
        first_seen=await ledger.frame(firsts, [*ever.parameters, *ever.parameters]),
    )
    return await asyncio.to_thread(digest, week, tables, query.agent_id)


def _within_either(week: Week, time: str, principal: Principal, agent_id: str | None) -> Filter:
    chosen = of_caller(principal)
    chosen.add("agent_id = ?", agent_id)
    moments = [at.replace(tzinfo=None) for at in (week.since, week.until, *week.before)]
    chosen.add_all(f"(({time} >= ? AND {time} < ?) OR ({time} >= ? AND {time} < ?))", moments)
    return chosen
