"""Assignments: which operator takes care of a request that waits.

1. Whoever decides may say that they take care of it, that another operator does, or that nobody in particular does.
   Nothing of the request changes, and everybody who may decide on it still may.
2. It goes to a valid key of role operator or admin of the same organization (`check_assignee`).
3. An action has one row, which says what was said last, by whom and when. The same again is no news.
4. What waits no longer is assigned to nobody any more; its row stays as it was.
5. No key of role agent hears of it.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.assignments import (
    ASSIGN_ACTION,
    GET_ASSIGNMENTS,
    AssignAction,
    Assignment,
    AssignmentDetail,
    AssignmentsQuery,
)
from assent.contract.control.assignments import Assignments as AssignmentList
from assent.contract.events import EventName
from assent.contract.people.keys import Key
from assent.contract.problems import Code, FieldError
from assent.contract.roles import OPERATING
from assent_service.base.clock import Clock, moment, new_id
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

__all__ = ["ASSIGNMENTS", "TABLES", "Assignments", "open_assignments"]

ASSIGNMENTS = Table.of(
    Assignment,
    name="assignments",
    meaning="which operator takes care of which request, one row for each action as it is now",
    key="assignment_id",
    created=("assignment.created",),
    replaced=("assignment.updated",),
)
TABLES = (ASSIGNMENTS,)
FILTERS = Filters(ASSIGNMENTS, AssignmentsQuery, {"current": None})
ASSIGNMENTS_FENCE = Fence("assignments", "action_id")
_OF_ACTION = f"SELECT {select(ASSIGNMENTS)} FROM assignments WHERE org_id = ? AND action_id = ?"
_CURRENT = (
    "assigned_to_key IS NOT NULL AND action_id IN "
    "(SELECT action_id FROM approvals WHERE org_id = ? AND state = 'awaiting')"
)


def check_assignee(key: Key | None, key_id: str) -> Key:
    """Raises `key_not_found` for a key that is not there or was revoked, `invalid_body` for one that decides
    nothing."""
    if key is None or key.revoked_at is not None:
        why = "There is no key" if key is None else "A revoked key is"
        raise refuse(
            Code.KEY_NOT_FOUND, f"{why} {key_id[:128]!r} in this organization; get_operators lists who can take it."
        )
    if key.role not in OPERATING:
        message = f"is a key of role {key.role}, which decides nothing; get_operators lists who can take it"
        raise refuse(Code.INVALID_BODY, f"key_id {message}.", FieldError(place="key_id", message=message))
    return key


def assigned(approval: Approval, to: Key | None, by: Principal, before: Assignment | None, now: int) -> Assignment:
    """The row after that was said; the same object where it says nothing new."""
    name, key_id = (None, None) if to is None else (to.name, to.key_id)
    if before is not None:
        if before.assigned_to_key == key_id:
            return before
        return msgspec.structs.replace(
            before,
            assigned_to=name,
            assigned_to_key=key_id,
            assigned_by=by.name,
            assigned_by_key=by.key_id,
            updated_at=moment(now),
        )
    return Assignment(
        org_id=approval.org_id,
        assignment_id=new_id("asg_", now),
        action_id=approval.action_id,
        approval_id=approval.approval_id,
        agent_id=approval.agent_id,
        action_type=approval.action_type,
        assigned_to=name,
        assigned_to_key=key_id,
        assigned_by=by.name,
        assigned_by_key=by.key_id,
        updated_at=moment(now),
        created_at=moment(now),
    )


class Actions(Protocol):
    """What an assignment needs of the action it is about."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...


class Approvals(Protocol):
    """What an assignment needs of the approval it is about."""

    async def of(self, action: Action) -> Approval | None: ...


class Keys(Protocol):
    """What an assignment needs of the key that it goes to."""

    def find(self, org_id: str, key_id: str) -> Key | None: ...


class Assignments:
    """The assignments of every organization."""

    def __init__(
        self, ledger: Ledger, clock: Clock, locks: EntityLocks, actions: Actions, approvals: Approvals, keys: Keys
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._actions, self._approvals, self._keys = actions, approvals, keys

    async def assign(self, principal: Principal, action_id: str, said: AssignAction) -> Assignment:
        """Raises `action_not_found`, `key_not_found`, `invalid_body`, `not_awaiting_approval`, `already_decided`,
        `approval_withdrawn` and `approval_expired`."""
        async with self._locks.hold(ASSIGNMENTS_FENCE.of(principal.org_id, action_id)):
            action = await self._actions.visible(principal, action_id)
            now = self._clock()
            approval = check_waiting(action, await self._approvals.of(action), now)
            to = None
            if said.key_id is not None:
                to = check_assignee(self._keys.find(principal.org_id, said.key_id), said.key_id)
            before = await self._of_action(principal, action_id)
            after = assigned(approval, to, principal, before, now)
            if after is not before:
                name = EventName.ASSIGNMENT_CREATED if before is None else EventName.ASSIGNMENT_UPDATED
                await self._ledger.append(_event(name, after, principal, now))
            return after

    async def page(self, principal: Principal, query: AssignmentsQuery) -> AssignmentList:
        chosen = of_caller(principal)
        FILTERS.narrow(chosen, query)
        if query.current is not None:
            chosen.add(_CURRENT if query.current else f"NOT ({_CURRENT})", principal.org_id)
        page = await list_rows(self._ledger, ASSIGNMENTS, Assignment, chosen, query)
        return AssignmentList(
            assignments=page.rows,
            total=page.total,
            lastUpdated=moment(self._clock()),
            next_cursor=page.next_cursor,
        )

    async def _of_action(self, principal: Principal, action_id: str) -> Assignment | None:
        rows = await self._ledger.read(_OF_ACTION, [principal.org_id, action_id])
        return record(ASSIGNMENTS, rows[0], Assignment) if rows else None


def _event(name: EventName, assignment: Assignment, principal: Principal, now: int) -> Draft:
    return Draft(
        org=assignment.org_id,
        type=name.value,
        ts=now,
        subject=assignment.assignment_id,
        actor=principal.key_id,
        data=encode(assignment),
        action=assignment.action_id,
    )


def routes(assignments: Assignments) -> tuple[Route, ...]:
    @serves(ASSIGN_ACTION, holds=(ASSIGNMENTS_FENCE,))
    async def assign(call: Call[AssignAction, None], action_id: str) -> AssignmentDetail:
        return AssignmentDetail(assignment=await assignments.assign(call.principal, action_id, call.body))

    @serves(GET_ASSIGNMENTS)
    async def list_all(call: Call[None, AssignmentsQuery]) -> AssignmentList:
        return await assignments.page(call.principal, call.query)

    return assign, list_all


def open_assignments(on: Foundation, actions: Actions, approvals: Approvals, keys: Keys) -> Assignments:
    assignments = Assignments(on.ledger, on.clock, on.locks, actions, approvals, keys)
    on.bring(routes=routes(assignments))
    return assignments
