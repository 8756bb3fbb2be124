"""Snoozes: an operator puts a request off until a time, for themselves alone.

1. Nothing of the request changes. It waits on, its time runs on, every other operator sees it, and whoever put it off
   may decide on it at any moment.
2. It is back at the time that was asked for, and by itself before it expires: 15 minutes before, or for the last
   quarter of its time if that is less (`last_return`). What is that near to its end already cannot be put off.
3. A key has one row for each action, which says what it said last: another time, or that it is back now. The same again
   is no news.
4. Nobody has to wake up for it: `returns_at` never moves by itself, so whoever shows a list compares it with the
   clock.
5. No key of role agent hears of it: when nobody looks is nothing for an agent to know.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.snoozes import (
    GET_SNOOZES,
    SNOOZE_ACTION,
    Snooze,
    SnoozeAction,
    SnoozeDetail,
    SnoozesQuery,
    last_return,
)
from assent.contract.control.snoozes import Snoozes as SnoozeList
from assent.contract.events import EventName
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import Clock, moment, naive, new_id
from assent_service.base.problem import refuse
from assent_service.control.approvals import check_waiting
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import Filters, list_rows, of_caller, record, select
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

__all__ = ["SNOOZES", "TABLES", "Snoozes", "open_snoozes"]

SNOOZES = Table.of(
    Snooze,
    name="snoozes",
    meaning="what operators have put off for themselves, one row for each key and action as it is now",
    key="snooze_id",
    created=("snooze.created",),
    replaced=("snooze.updated",),
)
TABLES = (SNOOZES,)
FILTERS = Filters(SNOOZES, SnoozesQuery, {"current": None})
SNOOZES_FENCE = Fence("snoozes", "action_id", "key_id")
_OF_KEY = f"SELECT {select(SNOOZES)} FROM snoozes WHERE org_id = ? AND action_id = ? AND snoozed_by_key = ?"


def put_off(
    approval: Approval, said: SnoozeAction, by: Principal, before: Snooze | None, agent_id: str | None, now: int
) -> Snooze:
    """The row after the key said so; the same object where it says nothing new. Raises `invalid_body` for a time that
    does not lie ahead, and `expires_soon`."""
    at, latest = moment(now), last_return(approval)
    if said.until is None:
        if before is not None and before.until is None:
            return before
        returns_at = at
    else:
        if said.until <= at:
            message = f"has to be later than now ({at.isoformat()})"
            raise refuse(
                Code.INVALID_BODY,
                f"until {message}, it is {said.until.isoformat()}.",
                FieldError(place="until", message=message),
            )
        if latest <= at:
            raise refuse(
                Code.EXPIRES_SOON,
                f"Action {approval.action_id} expires at {approval.expires_at.isoformat()}; it is too late to put it "
                "off. Decide on it now, or leave it to another operator.",
                approval=approval,
            )
        if before is not None and before.until == said.until:
            return before
        returns_at = min(said.until, latest)
    if before is not None:
        return msgspec.structs.replace(
            before, until=said.until, returns_at=returns_at, updated_at=at, snoozed_by=by.name
        )
    return Snooze(
        org_id=approval.org_id,
        snooze_id=new_id("snz_", now),
        action_id=approval.action_id,
        approval_id=approval.approval_id,
        agent_id=agent_id,
        action_type=approval.action_type,
        snoozed_by=by.name,
        snoozed_by_key=by.key_id,
        until=said.until,
        returns_at=returns_at,
        updated_at=at,
        created_at=at,
    )


class Actions(Protocol):
    """What a snooze needs of the action it is about."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...


class Approvals(Protocol):
    """What a snooze needs of the approval it is about."""

    async def of(self, action: Action) -> Approval | None: ...


class Snoozes:
    """What every operator has put off."""

    def __init__(
        self, ledger: Ledger, clock: Clock, locks: EntityLocks, actions: Actions, approvals: Approvals
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._actions, self._approvals = actions, approvals

    async def put_off(self, principal: Principal, action_id: str, said: SnoozeAction) -> Snooze:
        """Raises `action_not_found`, `not_awaiting_approval`, `already_decided`, `approval_withdrawn`,
        `approval_expired`, `invalid_body` and `expires_soon`."""
        async with self._locks.hold(SNOOZES_FENCE.of(principal.org_id, action_id, principal.key_id)):
            action = await self._actions.visible(principal, action_id)
            now = self._clock()
            approval = check_waiting(action, await self._approvals.of(action), now)
            before = await self._of_key(principal, action_id)
            after = put_off(approval, said, principal, before, action.agent_id, now)
            if after is not before:
                name = EventName.SNOOZE_CREATED if before is None else EventName.SNOOZE_UPDATED
                await self._ledger.append(_event(name, after, principal, now))
            return after

    async def page(self, principal: Principal, query: SnoozesQuery) -> SnoozeList:
        now = self._clock()
        chosen = of_caller(principal)
        FILTERS.narrow(chosen, query)
        if query.current is not None:
            chosen.add(f"returns_at {'>' if query.current else '<='} ?", naive(now))
        page = await list_rows(self._ledger, SNOOZES, Snooze, chosen, query)
        return SnoozeList(snoozes=page.rows, total=page.total, lastUpdated=moment(now), next_cursor=page.next_cursor)

    async def _of_key(self, principal: Principal, action_id: str) -> Snooze | None:
        rows = await self._ledger.read(_OF_KEY, [principal.org_id, action_id, principal.key_id])
        return record(SNOOZES, rows[0], Snooze) if rows else None


def _event(name: EventName, snooze: Snooze, principal: Principal, now: int) -> Draft:
    return Draft(
        org=snooze.org_id,
        type=name.value,
        ts=now,
        subject=snooze.snooze_id,
        actor=principal.key_id,
        data=encode(snooze),
        action=snooze.action_id,
    )


def routes(snoozes: Snoozes) -> tuple[Route, ...]:
    @serves(SNOOZE_ACTION, holds=(SNOOZES_FENCE,))
    async def put(call: Call[SnoozeAction, None], action_id: str) -> SnoozeDetail:
        return SnoozeDetail(snooze=await snoozes.put_off(call.principal, action_id, call.body))

    @serves(GET_SNOOZES)
    async def list_all(call: Call[None, SnoozesQuery]) -> SnoozeList:
        return await snoozes.page(call.principal, call.query)

    return put, list_all


def open_snoozes(on: Foundation, actions: Actions, approvals: Approvals) -> Snoozes:
    snoozes = Snoozes(on.ledger, on.clock, on.locks, actions, approvals)
    on.bring(routes=routes(snoozes))
    return snoozes
