"""Snoozes: what an operator has put off until a time, for themselves alone."""

from __future__ import annotations

from datetime import datetime

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.control.snoozes import GET_SNOOZES, SNOOZE_ACTION


class SnoozeOperations(Caller):
    @sends(SNOOZE_ACTION, idempotent=True)
    def snooze_action(self, action_id: str, until: datetime | None = None) -> Response:
        """Put off what waits until this time, for this key alone; None brings it back at once. `returns_at` of the
        answer is when it is back: before it expires at the latest. Nothing of the request changes.

        Raises Conflict where the action waits no longer or expires too soon, Gone when the approval has expired,
        Forbidden for an agent's key.
        """

    @sends(GET_SNOOZES)
    def get_snoozes(
        self,
        *,
        action_id: str | None = None,
        snoozed_by_key: str | None = None,
        current: bool | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of what operators have put off, newest first; `current` are those that are not back yet. Raises
        Forbidden for an agent's key."""
