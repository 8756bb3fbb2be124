"""The activity log: who did what to what, as the evidence log has it."""

from __future__ import annotations

from datetime import datetime

from assent.contract.endpoint import Endpoint
from assent.contract.record import Limit, Moment, Offset, Query, Record, ShortText
from assent.contract.roles import READING


class ActivityQuery(Query, frozen=True, kw_only=True):
    """`action` is an event name such as `policy.updated`; `resource_type` its first half. `before` and `after` are
    moments with a time zone, both outside of what is asked for."""

    action: ShortText | None = None
    actor_id: ShortText | None = None
    resource_type: ShortText | None = None
    resource_id: ShortText | None = None
    before: Moment | None = None
    after: Moment | None = None
    limit: Limit = 50
    offset: Offset = 0


class Activity(Record, frozen=True, kw_only=True):
    """`id` is the event's number within the organization; `actor_name` the name of the key that caused it."""

    id: int
    org_id: str
    action: str
    actor_id: str
    actor_name: str | None
    resource_type: str
    resource_id: str
    action_id: str | None
    leaf_hash: str
    created_at: datetime


class ActivityStats(Record, frozen=True, kw_only=True):
    """Over everything that fits the filters; `today` since midnight UTC."""

    total: int
    today: int
    unique_actors: int


class Pagination(Record, frozen=True, kw_only=True):
    limit: int
    offset: int


class ActivityLogs(Record, frozen=True, kw_only=True):
    """Newest first."""

    logs: list[Activity]
    stats: ActivityStats
    pagination: Pagination


GET_ACTIVITY_LOGS = Endpoint(
    operation="get_activity_logs",
    method="GET",
    path="/api/activity",
    summary="Everything that was recorded, newest first: which event, by whom, about what.",
    roles=READING,
    query=ActivityQuery,
    response=ActivityLogs,
)
