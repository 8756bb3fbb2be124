"""The kill switch in memory: guard asks for each decision, so asking is one look in a dictionary."""

from __future__ import annotations

from datetime import datetime

from assent.contract.events import EventName
from assent.contract.halt import Halt
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.halt.tables import HALTS
from assent_service.store.event import Event
from assent_service.store.ledger import Read

# Turns of one organization have rising times (`halts`), so the newest is the one that no other is later than.
_NEWEST = f"""
    SELECT {select(HALTS, "halt")} FROM halts AS halt
    WHERE NOT EXISTS (
        SELECT 1 FROM halts AS later WHERE later.org_id = halt.org_id AND later.created_at > halt.created_at
    )
"""

UNTOUCHED = Halt(halted=False, reason=None, changed_at=None, changed_by=None)


class StoredHalt(Halt, frozen=True, kw_only=True):
    """One turn of the switch as it is recorded."""

    org_id: str
    halt_id: str
    created_at: datetime

    def public(self) -> Halt:
        return Halt(halted=self.halted, reason=self.reason, changed_at=self.changed_at, changed_by=self.changed_by)


class HaltState:
    """How the switch of each organization stands."""

    types = frozenset({EventName.HALT_CHANGED.value})

    def __init__(self) -> None:
        self._newest: dict[str, StoredHalt] = {}
        self._reasons: dict[str, str] = {}

    def load(self, read: Read) -> None:
        for row in read(_NEWEST, []):
            self._keep(record(HALTS, row, StoredHalt))

    def fold(self, event: Event) -> None:
        self._keep(decode(event, StoredHalt))

    def reason(self, org_id: str) -> str | None:
        """Why everything is blocked, None when it is not."""
        return self._reasons.get(org_id)

    def newest(self, org_id: str) -> StoredHalt | None:
        return self._newest.get(org_id)

    def _keep(self, halt: StoredHalt) -> None:
        self._newest[halt.org_id] = halt
        if halt.halted:
            self._reasons[halt.org_id] = halt.reason or ""
        else:
            self._reasons.pop(halt.org_id, None)
