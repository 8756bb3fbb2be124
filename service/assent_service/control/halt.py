"""The kill switch: a halt blocks all actions of an organization at once, until somebody resumes it.

- A halt blocks everything from the moment it is recorded; a resume lets policies decide again.
- The same key halting again for the same reason is a retry: nothing is recorded, and the answer is the first halt
  with its time. Another person's halt, or another reason, is recorded and stands: whoever resumes must see the
  newest reason there is to stay halted, not only the first.
- Resuming what runs records nothing.
- The turns of one organization have rising times even when the clock steps back, so the newest is always known.
"""

from __future__ import annotations

from typing import Annotated

from assent.contract.control.halt import GET_HALT, HALT, RESUME, Halt, HaltRequest
from assent.contract.events import EventName
from assent.contract.record import OrganizationId, RecordedAt, meaning
from assent_service.base.clock import Clock, microseconds, moment, new_id
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import decode, encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import record, select
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read
from assent_service.store.tables import Table

__all__ = [
    "HALTS",
    "TABLES",
    "Halts",
    "open_halts",
]


# The kill switch in memory: guard asks for each decision, so asking is one look in a dictionary.


class HaltRow(Halt, frozen=True, kw_only=True):
    """One turn of the switch as it is recorded."""

    org_id: OrganizationId
    halt_id: Annotated[str, meaning("id of this turn", frozen=True)]
    created_at: RecordedAt

    def public(self) -> Halt:
        return Halt(halted=self.halted, reason=self.reason, changed_at=self.changed_at, changed_by=self.changed_by)


HALTS = Table.of(
    HaltRow,
    name="halts",
    meaning="turns of the kill switch; the newest row of an organization is its present state",
    key="halt_id",
    created=("halt.changed",),
    first=("halt_id",),
)
TABLES = (HALTS,)

# Turns of one organization have rising times, so the newest is the one that no other is later than.
_NEWEST = f"""
    SELECT {select(HALTS, "halt")} FROM halts AS halt
    WHERE NOT EXISTS (
        SELECT 1 FROM halts AS later WHERE later.org_id = halt.org_id AND later.created_at > halt.created_at
    )
"""

UNTOUCHED = Halt(halted=False, reason=None, changed_at=None, changed_by=None)


class HaltState:
    """How the switch of each organization stands."""

    types = frozenset({EventName.HALT_CHANGED.value})
    rules = True

    def __init__(self) -> None:
        self._newest: dict[str, HaltRow] = {}
        self._reasons: dict[str, str] = {}

    def load(self, read: Read) -> None:
        for row in read(_NEWEST, []):
            self._keep(record(HALTS, row, HaltRow))

    def fold(self, event: Event) -> None:
        self._keep(decode(event, HaltRow))

    def reason(self, org_id: str) -> str | None:
        """Why everything is blocked, None when it is not."""
        return self._reasons.get(org_id)

    def newest(self, org_id: str) -> HaltRow | None:
        return self._newest.get(org_id)

    def _keep(self, halt: HaltRow) -> None:
        self._newest[halt.org_id] = halt
        if halt.halted:
            self._reasons[halt.org_id] = halt.reason or ""
        else:
            self._reasons.pop(halt.org_id, None)


HALT_FENCE = Fence("halt")


class Halts:
    """The switches of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state = HaltState()

    def get(self, org_id: str) -> Halt:
        newest = self.state.newest(org_id)
        return UNTOUCHED if newest is None else newest.public()

    async def halt(self, principal: Principal, reason: str) -> Halt:
        async with self._locks.hold(HALT_FENCE.of(principal.org_id)):
            newest = self.state.newest(principal.org_id)
            if newest and newest.halted and (newest.reason, newest.changed_by) == (reason, principal.name):
                return newest.public()
            return await self._turn(principal, reason)

    async def resume(self, principal: Principal) -> Halt:
        async with self._locks.hold(HALT_FENCE.of(principal.org_id)):
            newest = self.state.newest(principal.org_id)
            if newest is None or not newest.halted:
                return self.get(principal.org_id)
            return await self._turn(principal, None)

    async def _turn(self, principal: Principal, reason: str | None) -> Halt:
        newest = self.state.newest(principal.org_id)
        now = self._clock()
        if newest is not None:
            now = max(now, microseconds(newest.created_at) + 1)
        turned = HaltRow(
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


def routes(halts: Halts) -> tuple[Route, ...]:
    @serves(HALT, holds=(HALT_FENCE,))
    async def halt(call: Call[HaltRequest, None]) -> Halt:
        return await halts.halt(call.principal, call.body.reason)

    @serves(RESUME, holds=(HALT_FENCE,))
    async def resume(call: Call[None, None]) -> Halt:
        return await halts.resume(call.principal)

    @serves(GET_HALT)
    async def get(call: Call[None, None]) -> Halt:
        return halts.get(call.principal.org_id)

    return halt, resume, get


def open_halts(on: Foundation) -> Halts:
    halts = Halts(on.ledger, on.clock, on.locks)
    on.bring(routes=routes(halts), memory=halts.state)
    return halts
