"""Sync: an agent's whole state in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.contract.sync import SYNC_STATE, SyncResult


class SyncOperations(Caller):
    @operation
    def sync_state(self, state: Mapping[str, Any]) -> Flow[SyncResult]:
        """Push a full snapshot: `actions`, `decisions`, `goals`, and the further sections of
        `assent.contract.sync.SyncState`. `results` says for each section how many items are kept and which are not;
        repeating the call changes nothing.
        """
        return (yield from send(SYNC_STATE, body={"agent_id": self.agent_id, **state}, idempotent=True))
