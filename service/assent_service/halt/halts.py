"""Turning the kill switch.

- A halt blocks everything from the moment it is recorded; a resume lets policies decide again.
- The same key halting again for the same reason is a retry: nothing is recorded, and the answer is the first halt
  with its time. Another person's halt, or another reason, is recorded and stands: whoever resumes must see the
  newest reason there is to stay halted, not only the first.
- Resuming what runs records nothing.
- The turns of one organization have rising times even when the clock steps back, so the newest is always known.
"""

from __future__ import annotations

from assent.contract.events import EventName
from assent.contract.halt import Halt
from assent_service.core.clock import Clock, microseconds, moment, new_id
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.halt.state import UNTOUCHED, HaltState, StoredHalt
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class Halts:
    """The switches of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state = HaltState()

    def get(self, org_id: str) -> Halt:
        newest = self.state.newest(org_id)
        return UNTOUCHED if newest is None else newest.public()

    async def halt(self, principal: Principal, reason: str) -> Halt:
        async with self._locks.hold(f"halt:{principal.org_id}"):
            newest = self.state.newest(principal.org_id)
            if newest and newest.halted and (newest.reason, newest.changed_by) == (reason, principal.name):
                return newest.public()
            return await self._turn(principal, reason)

    async def resume(self, principal: Principal) -> Halt:
        async with self._locks.hold(f"halt:{principal.org_id}"):
            newest = self.state.newest(principal.org_id)
            if newest is None or not newest.halted:
                return self.get(principal.org_id)
            return await self._turn(principal, None)

    async def _turn(self, principal: Principal, reason: str | None) -> Halt:
        newest = self.state.newest(principal.org_id)
        now = self._clock()
        if newest is not None:
            now = max(now, microseconds(newest.created_at) + 1)
        turned = StoredHalt(
            org_id=principal.org_id,
            halt_id=new_id("hlt_", now),
            halted=reason is not None,
            reason=reason,
            changed_at=moment(now),
            changed_by=principal.name,
            created_at=moment(now),
        )
        await self._ledger.append(
            Draft(
                org=principal.org_id,
                type=EventName.HALT_CHANGED,
                ts=now,
                subject=turned.halt_id,
                actor=principal.key_id,
                data=encode(turned),
            )
        )
        return turned.public()
