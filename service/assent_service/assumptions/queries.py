"""Assumptions from the tables: those of an action, and pages by filter, newest first."""

from __future__ import annotations

from assent.contract.assumptions import Assumption, Assumptions, AssumptionsQuery, DriftSummary
from assent_service.assumptions.tables import ASSUMPTIONS
from assent_service.core.clock import DAY, moment, naive
from assent_service.core.page import read_page
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, record, select
from assent_service.store.ledger import Ledger

UNSEEN = 14 * DAY
"""How long a belief may go without anybody looking before it is at risk."""


async def of_action(ledger: Ledger, org_id: str, action_id: str) -> list[Assumption]:
    """All of an action's, oldest first."""
    rows = await ledger.read(
        f"SELECT {select(ASSUMPTIONS)} FROM assumptions WHERE org_id = ? AND action_id = ? "
        "ORDER BY created_at, assumption_id",
        [org_id, action_id],
    )
    return [record(ASSUMPTIONS, row, Assumption) for row in rows]


async def list_assumptions(ledger: Ledger, principal: Principal, query: AssumptionsQuery, now: int) -> Assumptions:
    """A page of the assumptions that the caller may see, with the summary over all that fit."""
    chosen = _filter(principal, query)
    summary = await _summary(ledger, chosen, now)
    page = await read_page(
        ledger, ASSUMPTIONS, Assumption, chosen, cursor=query.cursor, limit=query.limit, offset=query.offset
    )
    return Assumptions(
        assumptions=page.rows,
        total=summary.total,
        drift_summary=summary,
        lastUpdated=moment(now),
        next_cursor=page.next_cursor,
    )


async def _summary(ledger: Ledger, chosen: Filter, now: int) -> DriftSummary:
    # The age of a belief counts, not of its row: history may be recorded long after it was believed.
    unseen_since = naive(now - UNSEEN)
    (row,) = await ledger.read(
        "SELECT count(*), count(*) FILTER (WHERE NOT validated AND NOT invalidated AND occurred_at < ?), "
        "count(*) FILTER (WHERE validated), count(*) FILTER (WHERE invalidated) "
        f"FROM assumptions WHERE {chosen.where}",
        [unseen_since, *chosen.parameters],
    )
    total, at_risk, validated, invalidated = (int(str(count)) for count in row)
    return DriftSummary(
        total=total,
        at_risk=at_risk,
        validated=validated,
        invalidated=invalidated,
        unvalidated=total - validated - invalidated,
    )


def _filter(principal: Principal, query: AssumptionsQuery) -> Filter:
    chosen = Filter(principal.org_id)
    if not principal.sees(None):
        chosen.add("agent_id = ?", principal.agent_id)
    chosen.add("action_id = ?", query.action_id)
    chosen.add("agent_id = ?", query.agent_id)
    chosen.add("validated = ?", query.validated)
    chosen.add("invalidated = ?", query.invalidated)
    return chosen
