"""Erasing what was said about an action."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.contract.erasure import ERASE_ACTION, EraseAction, Erasure


class ErasureOperations(Caller):
    @operation
    def erase_action(self, action_id: str, reason: str) -> Flow[Erasure]:
        """Erase for good what was said about an action that has ended; its proof stays valid and tells by whom and
        when. `reason` is recorded and cannot be erased, so it must not repeat the content. Needs an admin's key.

        Raises NotFound, Conflict while the action goes on, and Gone when it was erased before.
        """
        return (yield from send(ERASE_ACTION, path={"action_id": action_id}, body=EraseAction(reason=reason)))
