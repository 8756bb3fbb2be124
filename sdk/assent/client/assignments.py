"""Assignments: which operator takes care of a request that waits."""

from __future__ import annotations

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.control.assignments import ASSIGN_ACTION, GET_ASSIGNMENTS


class AssignmentOperations(Caller):
    @sends(ASSIGN_ACTION, idempotent=True)
    def assign_action(self, action_id: str, key_id: str | None = None) -> Response:
        """Say which operator takes care of what waits: the id of their key, or of one's own (`get_own_key`); None for
        nobody in particular. It decides nothing, and everybody may decide as before.

        Raises NotFound for a key that is not there or was revoked, Conflict where the action waits no longer, Gone when
        the approval has expired, InvalidRequest for a key that decides nothing, Forbidden for an agent's key.
        """

    @sends(GET_ASSIGNMENTS)
    def get_assignments(
        self,
        *,
        action_id: str | None = None,
        assigned_to_key: str | None = None,
        current: bool | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of who takes care of what, newest first; `current` are those of requests that wait. Raises Forbidden
        for an agent's key."""
