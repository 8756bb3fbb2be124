"""Pairings in memory: all that wait, and the newest others, so that asking how one stands needs no query.

Whoever asks by id has no key, hence no organization, and could ask without end; what is not here is not there.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict

from assent.contract.events import EventName
from assent.contract.pairings import PairingState
from assent_service.core.clock import microseconds
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.pairings.tables import PAIRINGS
from assent_service.pairings.transition import StoredPairing
from assent_service.store.event import Event
from assent_service.store.ledger import Read

NEWEST = 20_000
"""How many pairings that no longer wait are remembered."""

_SELECTED = f"SELECT {select(PAIRINGS)} FROM pairings"


class PairingMemory:
    """Pairings by id, those that wait also by organization."""

    types = frozenset({EventName.PAIRING_CREATED.value, EventName.PAIRING_UPDATED.value})

    def __init__(self) -> None:
        self._waiting: dict[str, dict[str, StoredPairing]] = {}
        self._by_id: dict[str, StoredPairing] = {}
        self._past: OrderedDict[str, StoredPairing] = OrderedDict()
        self._expiries: list[tuple[int, str]] = []

    def load(self, read: Read) -> None:
        past = f"{_SELECTED} WHERE status <> 'pending' ORDER BY updated_at DESC, pairing_id DESC LIMIT {NEWEST}"
        for row in reversed(read(past, [])):
            self._keep(record(PAIRINGS, row, StoredPairing))
        for row in read(f"{_SELECTED} WHERE status = 'pending' ORDER BY created_at, pairing_id", []):
            self._keep(record(PAIRINGS, row, StoredPairing))

    def fold(self, event: Event) -> None:
        if not event.erased:
            self._keep(decode(event, StoredPairing))

    def get(self, pairing_id: str) -> StoredPairing | None:
        return self._by_id.get(pairing_id) or self._past.get(pairing_id)

    def waiting(self, org_id: str) -> list[StoredPairing]:
        """Those recorded as pending, oldest first; the time of some may have passed."""
        return list(self._waiting.get(org_id, {}).values())

    def count_waiting(self, org_id: str) -> int:
        return len(self._waiting.get(org_id, ()))

    def overdue(self, now: int) -> list[StoredPairing]:
        """Take out those whose time has passed and that are recorded as pending."""
        found = []
        while self._expiries and self._expiries[0][0] <= now:
            pairing = self._by_id.get(heapq.heappop(self._expiries)[1])
            if pairing is not None:
                found.append(pairing)
        return found

    def put_back(self, pairing: StoredPairing) -> None:
        """An overdue pairing that could not be recorded as expired yet."""
        heapq.heappush(self._expiries, (microseconds(pairing.expires_at), pairing.pairing_id))

    def _keep(self, pairing: StoredPairing) -> None:
        of_org = self._waiting.setdefault(pairing.org_id, {})
        if pairing.status is PairingState.PENDING:
            of_org[pairing.pairing_id] = self._by_id[pairing.pairing_id] = pairing
            self.put_back(pairing)
            return
        of_org.pop(pairing.pairing_id, None)
        self._by_id.pop(pairing.pairing_id, None)
        self._past[pairing.pairing_id] = pairing
        if len(self._past) > NEWEST:
            self._past.popitem(last=False)
