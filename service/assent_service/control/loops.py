"""Open loops: what an action has left open, until somebody closes it.

1. A loop is open, resolved or cancelled. What is closed stays closed: whoever still misses something registers another
   loop, so that both are told.
2. A resolved loop says how. A cancelled one may say why.
3. It belongs to its action: agent, name, goal and type are the action's, whatever the request says.
4. It is registered now and therefore live, unless its action was made up by a simulator.
"""

from __future__ import annotations

import msgspec

from assent.contract.control.actions import Action
from assent.contract.control.guard import Source
from assent.contract.control.loops import (
    GET_OPEN_LOOP,
    GET_OPEN_LOOPS,
    LOOP,
    REGISTER_OPEN_LOOP,
    RESOLVE_OPEN_LOOP,
    LoopDetail,
    LoopEnd,
    LoopPriority,
    LoopsQuery,
    LoopStats,
    LoopStatus,
    OpenLoop,
    RegisteredLoop,
    RegisterOpenLoop,
    ResolveOpenLoop,
)
from assent.contract.control.loops import Loops as LoopList
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import Clock, moment, new_id
from assent_service.base.problem import refuse
from assent_service.control.actions import Actions
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.faithful import digest_of
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.shelf import Shelf
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

__all__ = ["LOOPS", "TABLES", "Loops", "open_loops"]

LOOPS = Table.of(
    OpenLoop,
    name="loops",
    meaning="what actions have left open, one row for each loop as it is now; closed ones included",
    key="loop_id",
    created=("loop.created",),
    replaced=("loop.updated",),
)
TABLES = (LOOPS,)
LOOP_FENCE = Fence("loop", "loop_id")


def registered(action: Action, said: RegisterOpenLoop, loop_id: str, now: int) -> OpenLoop:
    """The loop as it is first recorded."""
    at = moment(now)
    return carry(
        OpenLoop,
        action,
        said,
        loop_id=loop_id,
        action_id=action.action_id,
        agent_id=action.agent_id,
        status=LoopStatus.OPEN,
        priority=said.priority or LoopPriority.MEDIUM,
        resolution=None,
        metadata=said.metadata or {},
        source=Source.SIMULATED if action.source is Source.SIMULATED else Source.LIVE,
        created_at=at,
        updated_at=at,
        resolved_at=None,
        resolved_by=None,
    )


def check_resolution(said: ResolveOpenLoop) -> None:
    """Raises `invalid_body` for a resolved loop that does not say how."""
    if said.status is LoopEnd.RESOLVED and not (said.resolution or "").strip():
        message = "is required when a loop is resolved; say in a sentence what came of it"
        raise refuse(
            Code.INVALID_BODY,
            f"resolution {message}, or close it as cancelled.",
            FieldError(place="resolution", message=message),
        )


def closed(loop: OpenLoop, said: ResolveOpenLoop, by: str, now: int) -> OpenLoop:
    """The loop after somebody closed it. Raises `loop_closed`."""
    if loop.status is not LoopStatus.OPEN:
        at = loop.resolved_at.isoformat() if loop.resolved_at else "an unknown time"
        raise refuse(
            Code.LOOP_CLOSED,
            f"Loop {loop.loop_id} is {loop.status} already, by {loop.resolved_by} at {at}; that stands. "
            "Register another loop for what is still open.",
        )
    return msgspec.structs.replace(
        loop,
        status=LoopStatus(said.status.value),
        resolution=said.resolution,
        updated_at=moment(now),
        resolved_at=moment(now),
        resolved_by=by,
    )


class Loops:
    """The loops of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, actions: Actions) -> None:
        self._ledger, self._clock, self._actions = ledger, clock, actions
        self._loops = Shelf(LOOP, LOOPS, LOOP_FENCE, LoopsQuery, ledger=ledger, clock=clock, locks=locks)

    async def register(self, principal: Principal, said: RegisterOpenLoop) -> OpenLoop:
        """Raises `agent_mismatch`, `action_not_found`, `invalid_body` for metadata without a canonical form, and
        `loop_exists` for a `loop_id` that the organization has already."""
        principal.speaks_for(said.agent_id)
        if said.metadata is not None:
            digest_of(said.metadata, "metadata")
        action = await self._actions.visible(principal, said.action_id)
        async with self._loops.reserved(principal.org_id, said.loop_id) as taken:
            if taken is not None:
                raise refuse(
                    Code.LOOP_EXISTS,
                    f"Loop {said.loop_id} exists already; leave loop_id out, or choose another.",
                    FieldError(place="loop_id", message="is taken"),
                )
            now = self._clock()
            loop = registered(action, said, said.loop_id or new_id("loop_", now), now)
            await self._loops.record(principal, loop, now)
            return loop

    async def resolve(self, principal: Principal, loop_id: str, said: ResolveOpenLoop) -> OpenLoop:
        """Raises `loop_not_found`, `loop_closed`, and `invalid_body` for a resolved one without its resolution."""
        check_resolution(said)
        return await self._loops.change(principal, loop_id, lambda loop, now: closed(loop, said, principal.name, now))

    async def get(self, principal: Principal, loop_id: str) -> OpenLoop:
        """Raises `loop_not_found`."""
        return await self._loops.visible(principal, loop_id)

    async def page(self, principal: Principal, query: LoopsQuery) -> LoopList:
        """With counts over all that fit."""
        stats = await self._stats(principal, query)
        total = stats.open_count + stats.resolved_count + stats.cancelled_count
        page = await self._loops.page(principal, query, total=total)
        return LoopList(
            loops=page.rows,
            total=page.total,
            stats=stats,
            lastUpdated=moment(self._clock()),
            next_cursor=page.next_cursor,
        )

    async def of(self, action: Action) -> list[OpenLoop]:
        """What an action has left open and what was closed of it, in the order in which it was recorded."""
        return await self._loops.of_action(action)

    async def open_of(self, action: Action) -> list[OpenLoop]:
        """What is open still."""
        return [loop for loop in await self.of(action) if loop.status is LoopStatus.OPEN]

    async def _stats(self, principal: Principal, query: LoopsQuery) -> LoopStats:
        chosen = self._loops.choose(principal, query)
        (row,) = await self._ledger.read(
            "SELECT count(*) FILTER (WHERE status = 'open'), count(*) FILTER (WHERE status = 'resolved'), "
            "count(*) FILTER (WHERE status = 'cancelled'), "
            "count(*) FILTER (WHERE status = 'open' AND priority = 'critical'), "
            f"count(*) FILTER (WHERE status = 'open' AND priority = 'high') FROM loops WHERE {chosen.where}",
            chosen.parameters,
        )
        opened, resolved, cancelled, critical, high = (int(str(count)) for count in row)
        return LoopStats(
            open_count=opened,
            resolved_count=resolved,
            cancelled_count=cancelled,
            critical_open=critical,
            high_open=high,
        )


def routes(loops: Loops) -> tuple[Route, ...]:
    @serves(REGISTER_OPEN_LOOP, holds=(LOOP_FENCE,))
    async def register(call: Call[RegisterOpenLoop, None]) -> RegisteredLoop:
        loop = await loops.register(call.principal, call.body)
        return RegisteredLoop(loop=loop, loop_id=loop.loop_id)

    @serves(RESOLVE_OPEN_LOOP, holds=(LOOP_FENCE,))
    async def resolve(call: Call[ResolveOpenLoop, None], loop_id: str) -> LoopDetail:
        return LoopDetail(loop=await loops.resolve(call.principal, loop_id, call.body))

    @serves(GET_OPEN_LOOP)
    async def get(call: Call[None, None], loop_id: str) -> LoopDetail:
        return LoopDetail(loop=await loops.get(call.principal, loop_id))

    @serves(GET_OPEN_LOOPS)
    async def list_all(call: Call[None, LoopsQuery]) -> LoopList:
        return await loops.page(call.principal, call.query)

    return register, resolve, get, list_all


def open_loops(on: Foundation, actions: Actions) -> Loops:
    loops = Loops(on.ledger, on.clock, on.locks, actions)
    on.bring(routes=routes(loops))
    return loops
