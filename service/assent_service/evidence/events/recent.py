"""Decisions on actions that were made a short while ago, for readers that subscribe without looking first.

The published Python client creates an action, then listens, and never asks what became of it in between: a decision
that was made before its connection stood would be missed until it times out. For such readers the newest update of
each action that was approved or cancelled in the last minutes is kept here, in memory only: after a restart it is
empty, and a client that was disconnected by the restart polls instead.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from assent.contract.events import EventName
from assent.contract.prepared import prepared
from assent_service.base.clock import MINUTE
from assent_service.base.memory import Newest
from assent_service.store.event import Event

KEPT_FOR = 10 * MINUTE
KEPT_MOST = 256
"""Actions per organization; the oldest makes room."""
KEPT_BYTES = 4_000_000
"""In all, for each organization."""


class _Decided(Struct, gc=False):
    approved_by: str | None = None
    status: str | None = None


_decided = msgspec.json.Decoder(prepared(_Decided)).decode


class RecentUpdates:
    """The newest decided update of each action, by organization, oldest first."""

    def __init__(self) -> None:
        self._kept: dict[str, Newest[str, Event]] = {}

    def add(self, event: Event) -> None:
        if event.type == EventName.EVIDENCE_ERASED and event.org in self._kept:
            self._kept[event.org].pop(event.subject)
        if event.type != EventName.ACTION_UPDATED or event.data is None:
            return
        update = _decided(event.data)
        if not update.approved_by and update.status != "cancelled":
            return
        kept = self._kept.get(event.org)
        if kept is None:
            kept = self._kept[event.org] = Newest(most=KEPT_MOST, budget=KEPT_BYTES)
        kept.put(event.subject, event, event.length)

    def since(self, org_id: str, now: int) -> list[Event]:
        """Those of the last ten minutes before `now`, in microseconds; older ones are forgotten."""
        kept = self._kept.get(org_id)
        if kept is None:
            return []
        for subject, event in list(kept.items()):
            if event.ts <= now - KEPT_FOR:
                kept.pop(subject)
        if not kept:
            del self._kept[org_id]
        return [event for _, event in kept.items()]
