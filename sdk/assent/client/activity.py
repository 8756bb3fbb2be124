"""The activity log: who did what to what."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.activity import GET_ACTIVITY_LOGS, ActivityLogs, ActivityQuery


class ActivityFilters(TypedDict, total=False):
    """`action` is an event name such as `policy.updated`, `resource_type` its first half; `limit` is 1 to 200."""

    action: str | None
    actor_id: str | None
    resource_type: str | None
    resource_id: str | None
    before: datetime | None
    after: datetime | None
    limit: int | None
    offset: int | None


class ActivityOperations(Caller):
    @operation
    def get_activity_logs(self, **filters: Unpack[ActivityFilters]) -> Flow[ActivityLogs]:
        """Everything that was recorded, newest first, with who did it. Raises Forbidden for an agent's key."""
        query = members(ActivityQuery, filters, "get_activity_logs")
        return (yield from send(GET_ACTIVITY_LOGS, query=query))
