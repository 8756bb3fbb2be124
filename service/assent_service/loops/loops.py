"""Registering what an action leaves open, and closing it."""

from __future__ import annotations

from typing import Protocol

from assent.contract.actions import Action
from assent.contract.events import EventName
from assent.contract.loops import Loops as LoopList
from assent.contract.loops import LoopsQuery, LoopStatus, OpenLoop, RegisterOpenLoop, ResolveOpenLoop
from assent.contract.problems import Code, FieldError
from assent_service.core.clock import Clock, new_id
from assent_service.core.faithful import digest_of
from assent_service.core.find import find_row
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.loops import queries
from assent_service.loops.close import check_resolution, closed, registered
from assent_service.loops.tables import LOOPS
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class Actions(Protocol):
    """What a loop needs of the action it belongs to."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...


class Loops:
    """The loops of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, actions: Actions) -> None:
        self._ledger, self._clock, self._locks, self._actions = ledger, clock, locks, actions

    async def register(self, principal: Principal, said: RegisterOpenLoop) -> OpenLoop:
        """Raises `agent_mismatch`, `action_not_found`, `invalid_body` for metadata without a canonical form, and
        `loop_exists` for a `loop_id` that the organization has already."""
        principal.speaks_for(said.agent_id)
        if said.metadata is not None:
            digest_of(said.metadata, "metadata")
        action = await self._actions.visible(principal, said.action_id)
        now = self._clock()
        if said.loop_id is None:
            # A new id meets nobody, so it needs neither lock nor look.
            return await self._register(principal, registered(action, said, new_id("loop_", now), now), now)
        async with self._locks.hold(_lock(principal.org_id, said.loop_id)):
            if await self._find(principal.org_id, said.loop_id) is not None:
                raise refuse(
                    Code.LOOP_EXISTS,
                    f"Loop {said.loop_id} exists already; leave loop_id out, or choose another.",
                    FieldError(place="loop_id", message="is taken"),
                )
            return await self._register(principal, registered(action, said, said.loop_id, now), now)

    async def resolve(self, principal: Principal, loop_id: str, said: ResolveOpenLoop) -> OpenLoop:
        """Raises `loop_not_found`, `loop_closed`, and `invalid_body` for a resolved one without its resolution."""
        check_resolution(said)
        async with self._locks.hold(_lock(principal.org_id, loop_id)):
            before = await self._visible(principal, loop_id)
            now = self._clock()
            after = closed(before, said, principal.name, now)
            await self._ledger.append(_event(EventName.LOOP_UPDATED, after, principal, now))
            return after

    async def page(self, principal: Principal, query: LoopsQuery) -> LoopList:
        return await queries.list_loops(self._ledger, principal, query, self._clock())

    async def of(self, action: Action) -> list[OpenLoop]:
        """What an action has left open and what was closed of it, in the order in which it was recorded."""
        return await queries.of_action(self._ledger, action.org_id, action.action_id)

    async def open_of(self, action: Action) -> list[OpenLoop]:
        """What is open still."""
        return [loop for loop in await self.of(action) if loop.status is LoopStatus.OPEN]

    async def _find(self, org_id: str, loop_id: str) -> OpenLoop | None:
        return await find_row(self._ledger, LOOPS, OpenLoop, org_id, loop_id)

    async def _visible(self, principal: Principal, loop_id: str) -> OpenLoop:
        """Raises `loop_not_found` for a foreign loop as for an unknown one."""
        found = await self._find(principal.org_id, loop_id)
        if found is None or not principal.sees(found.agent_id):
            raise refuse(Code.LOOP_NOT_FOUND, f"There is no loop {loop_id[:128]!r} in this organization.")
        return found

    async def _register(self, principal: Principal, loop: OpenLoop, now: int) -> OpenLoop:
        await self._ledger.append(_event(EventName.LOOP_CREATED, loop, principal, now))
        return loop


def _lock(org_id: str, loop_id: str) -> str:
    return f"loop:{org_id}:{loop_id}"


def _event(name: EventName, loop: OpenLoop, principal: Principal, now: int) -> Draft:
    return Draft(
        org=loop.org_id,
        type=name.value,
        ts=now,
        subject=loop.loop_id,
        actor=principal.key_id,
        data=encode(loop),
        action=loop.action_id,
    )
