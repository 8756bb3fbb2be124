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
from assent_service.core.clock import MINUTE
from assent_service.store.event import Event

KEPT_FOR = 10 * MINUTE
KEPT_MOST = 256
"""Actions per organization; the oldest makes room."""


class _Decided(Struct, gc=False):
    approved_by: str | None = None
    status: str | None = None


_decided = msgspec.json.Decoder(prepared(_Decided)).decode


class Recent:
    """The newest decided update of each action, by organization, oldest first."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, Event]] = {}

    def add(self, event: Event) -> None:
        if event.type == EventName.EVIDENCE_ERASED:
            self._kept.get(event.org, {}).pop(event.subject, None)
        if event.type != EventName.ACTION_UPDATED or event.data is None:
            return
        update = _decided(event.data)
        if not update.approved_by and update.status != "cancelled":
            return
        kept = self._kept.setdefault(event.org, {})
        kept.pop(event.subject, None)
        kept[event.subject] = event
        if len(kept) > KEPT_MOST:
            del kept[next(iter(kept))]

    def since(self, org_id: str, now: int) -> list[Event]:
        """Those of the last ten minutes before `now`, in microseconds; older ones are forgotten."""
        kept = {of: event for of, event in self._kept.get(org_id, {}).items() if event.ts > now - KEPT_FOR}
        if kept:
            self._kept[org_id] = kept
        else:
            self._kept.pop(org_id, None)
        return list(kept.values())
