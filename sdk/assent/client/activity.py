"""The activity log: who did what to what."""

from __future__ import annotations

from datetime import datetime

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.evidence.activity import GET_ACTIVITY_LOGS


class ActivityOperations(Caller):
    @sends(GET_ACTIVITY_LOGS)
    def get_activity_logs(
        self,
        *,
        action: str | None = None,
        actor_id: str | None = None,
        resource_type: str | None = None,
        resource_id: str | None = None,
        before: datetime | None = None,
        after: datetime | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Response:
        """Everything that was recorded, newest first, with who did it. `action` is an event name such as
        `policy.updated`, `resource_type` its first half; `limit` is 1 to 200. Raises Forbidden for an agent's key."""
