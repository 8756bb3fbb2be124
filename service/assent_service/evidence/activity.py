"""The activity log: who did what to what, read from the table of events; there is no second record of it."""

from __future__ import annotations

from datetime import UTC, datetime

from assent.contract.evidence.activity import (
    GET_ACTIVITY_LOGS,
    Activity,
    ActivityLogs,
    ActivityQuery,
    ActivityStats,
    Pagination,
)
from assent_service.base.clock import Clock, moment
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import Filter, Filters
from assent_service.store.database import Row
from assent_service.store.ledger import Ledger
from assent_service.store.tables import EVENTS

__all__ = [
    "open_activity",
]


# The activity log, from the table of events: no second record of what was done, which could say something else.


FILTERS = Filters(
    EVENTS,
    ActivityQuery,
    {
        "action": "type = ?",
        "actor_id": "actor = ?",
        "resource_type": "starts_with(type, ? || '.')",
        "resource_id": "subject = ?",
        "before": "created_at < ?",
        "after": "created_at > ?",
    },
)

_LOGS = """
    SELECT e.n, e.org_id, e.type, e.actor, k.name, e.subject, e.action_id, e.leaf_hash, e.created_at
    FROM (SELECT * FROM events WHERE {chosen} ORDER BY n DESC LIMIT ? OFFSET ?) e
    LEFT JOIN api_keys k ON k.org_id = e.org_id AND k.key_id = e.actor
    ORDER BY e.n DESC
"""
_STATS = """
    SELECT count(*), count(*) FILTER (WHERE created_at >= ?), count(DISTINCT actor) FROM events WHERE {chosen}
"""


async def activity(ledger: Ledger, principal: Principal, query: ActivityQuery, now: int) -> ActivityLogs:
    """A page of what fits, newest first. Raises `projection_behind`."""
    chosen = _chosen(principal, query)
    rows = await ledger.read(_LOGS.format(chosen=chosen.where), [*chosen.parameters, query.limit, query.offset])
    midnight = moment(now).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    (counts,) = await ledger.read(_STATS.format(chosen=chosen.where), [midnight, *chosen.parameters])
    total, today, actors = (int(str(count)) for count in counts)
    return ActivityLogs(
        logs=[_activity(row) for row in rows],
        stats=ActivityStats(total=total, today=today, unique_actors=actors),
        pagination=Pagination(limit=query.limit, offset=query.offset),
    )


def _chosen(principal: Principal, query: ActivityQuery) -> Filter:
    chosen = Filter(principal.org_id)
    FILTERS.narrow(chosen, query)
    return chosen


def _activity(row: Row) -> Activity:
    n, org_id, name, actor, actor_name, subject, action_id, leaf_hash, created_at = row
    assert isinstance(created_at, datetime)
    return Activity(
        id=int(str(n)),
        org_id=str(org_id),
        action=str(name),
        actor_id=str(actor),
        actor_name=None if actor_name is None else str(actor_name),
        resource_type=str(name).rpartition(".")[0],
        resource_id=str(subject),
        action_id=None if action_id is None else str(action_id),
        leaf_hash=str(leaf_hash),
        created_at=created_at.replace(tzinfo=UTC),
    )


def routes(ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @serves(GET_ACTIVITY_LOGS)
    async def logs(call: Call[None, ActivityQuery]) -> ActivityLogs:
        return await activity(ledger, call.principal, call.query, clock())

    return (logs,)


def open_activity(on: Foundation) -> None:
    on.bring(routes=routes(on.ledger, on.clock))
