"""Escalations: requests that nobody had decided in time, and the group that was told."""

from __future__ import annotations

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.control.escalations import GET_ESCALATIONS


class EscalationOperations(Caller):
    @sends(GET_ESCALATIONS)
    def get_escalations(
        self,
        *,
        action_id: str | None = None,
        current: bool | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of which requests were escalated to which group, newest first; `current` are those that wait still.
        Raises Forbidden for an agent's key."""
