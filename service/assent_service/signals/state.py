"""Signals in memory: one workspace for each organization, and what has been told of already."""

from __future__ import annotations

from collections import OrderedDict

import msgspec

from assent.contract.events import EventName
from assent.contract.prepared import prepared
from assent_service.core.clock import Clock, microseconds
from assent_service.core.thresholds import Thresholds
from assent_service.signals import loading
from assent_service.signals.seen import SeenAction, SeenAssumption, SeenErasure, SeenLoop, SeenSignal
from assent_service.signals.workspace import Workspace
from assent_service.store.event import Event
from assent_service.store.ledger import Read

TOLD = 100_000
"""How many detections are remembered, the newest."""

_action = msgspec.json.Decoder(prepared(SeenAction)).decode
_loop = msgspec.json.Decoder(prepared(SeenLoop)).decode
_assumption = msgspec.json.Decoder(prepared(SeenAssumption)).decode
_signal = msgspec.json.Decoder(prepared(SeenSignal)).decode
_erased = msgspec.json.Decoder(prepared(SeenErasure)).decode

ACTION_CREATED, ACTION_UPDATED = EventName.ACTION_CREATED.value, EventName.ACTION_UPDATED.value
LOOPS = frozenset({EventName.LOOP_CREATED.value, EventName.LOOP_UPDATED.value})
ASSUMPTIONS = frozenset({EventName.ASSUMPTION_CREATED.value, EventName.ASSUMPTION_UPDATED.value})
DETECTED, ERASED = EventName.SIGNAL_DETECTED.value, EventName.EVIDENCE_ERASED.value


class SignalState:
    """Fold of actions, loops, assumptions, and of the signals that were recorded."""

    types = frozenset({ACTION_CREATED, ACTION_UPDATED, DETECTED, ERASED}) | LOOPS | ASSUMPTIONS

    def __init__(self, clock: Clock, thresholds: Thresholds) -> None:
        self._clock, self.thresholds = clock, thresholds
        self.workspaces: dict[str, Workspace] = {}
        self._told: OrderedDict[tuple[str, str, str], int] = OrderedDict()

    def of(self, org_id: str) -> Workspace:
        found = self.workspaces.get(org_id)
        if found is None:
            found = self.workspaces[org_id] = Workspace(self.thresholds)
        return found

    def told(self, org_id: str, kind: str, subject: str) -> int | None:
        """The `since` (microseconds) of the newest detection of this signal that was recorded."""
        return self._told.get((org_id, kind, subject))

    def load(self, read: Read) -> None:
        now = self._clock()
        loading.load(read, now, self.of, self.thresholds)
        for org_id, kind, subject, since in loading.told(read, now, TOLD):
            self._tell(org_id, kind, subject, since)
        for workspace in self.workspaces.values():
            workspace.fresh.clear()

    def fold(self, event: Event) -> None:
        data = event.data
        if data is None:
            return
        kind = event.type
        if kind == ACTION_CREATED:
            self.of(event.org).created(event.subject, _action(data), event.ts)
        elif kind == ACTION_UPDATED:
            self.of(event.org).updated(event.subject, _action(data), event.ts)
        elif kind in ASSUMPTIONS:
            self.of(event.org).believe(_assumption(data))
        elif kind in LOOPS:
            self.of(event.org).loop(_loop(data))
        elif kind == ERASED:
            self.of(event.org).erase(event.subject, _erased(data).agent_id)
        else:
            signal = _signal(data)
            self._tell(event.org, signal.type, signal.subject, microseconds(signal.since))

    def _tell(self, org_id: str, kind: str, subject: str, since: int) -> None:
        key = (org_id, kind, subject)
        self._told[key] = max(since, self._told.get(key, 0))
        self._told.move_to_end(key)
        if len(self._told) > TOLD:
            self._told.popitem(last=False)
