"""Actions once they exist: reading one, reporting what came of it, and moving it when its approval is decided."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from assent.contract.control.actions import (
    CREATE_ACTION,
    GET_ACTION,
    GET_ACTIONS,
    UPDATE_OUTCOME,
    Action,
    ActionDetail,
    ActionsQuery,
    ActionStatus,
    CreateAction,
    CreatedAction,
    UpdatedAction,
    UpdateOutcome,
)
from assent.contract.control.actions import Actions as ActionList
from assent.contract.control.approvals import Approval
from assent.contract.control.assumptions import Assumption
from assent.contract.control.guard import RecordedDecision
from assent.contract.control.inbox import GET_APPROVALS, Approvals, ApprovalsQuery
from assent.contract.control.loops import OpenLoop
from assent_service.base.clock import Clock
from assent_service.base.memory import DEFAULT, MemoryBudget
from assent_service.control.actions import change
from assent_service.control.actions.create import CREATION_FENCES, AskedBack, Creator
from assent_service.control.actions.lookup import Lookup, list_actions, list_approvals
from assent_service.control.actions.signatures import Signatures
from assent_service.control.actions.state import ActionState
from assent_service.control.approvals import ApprovalStore
from assent_service.control.erasure import ErasureState
from assent_service.control.grants import Grants
from assent_service.control.guard import Guard
from assent_service.control.triage import Triages
from assent_service.core.call import Answer, Call, Recordable
from assent_service.core.faithful import digest_of
from assent_service.core.idempotency import idempotency_key, is_repeat, mark
from assent_service.core.locks import ACTION_FENCE, EntityLocks
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.people.identities import IdentityState
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class Actions:
    """The actions of every organization."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        guard: Guard,
        approval_life: timedelta,
        known: IdentityState,
        *,
        require_signatures: bool,
        waiting: ApprovalStore,
        questions: AskedBack,
        grants: Grants,
        triage: Triages,
        memory: MemoryBudget = DEFAULT,
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state, self.erasures = ActionState(clock, memory), ErasureState()
        self._lookup = Lookup(ledger, self.state, self.erasures)
        signatures = Signatures(known, self.state.seen, self._lookup.signed, locks, required=require_signatures)
        self._creator = Creator(
            ledger,
            clock,
            locks,
            guard,
            self.state,
            self._lookup,
            approval_life,
            signatures,
            waiting,
            questions,
            grants,
            triage,
        )

    async def create(
        self, principal: Principal, body: CreateAction, members: dict[str, Any], key: str | None, raw: bytes = b""
    ) -> CreatedAction:
        """See `Creator.create`."""
        return await self._creator.create(principal, body, members, key, raw)

    def create_at_once(
        self, principal: Principal, body: CreateAction, members: dict[str, Any], key: str | None
    ) -> Recordable | None:
        """See `Creator.create_at_once`."""
        return self._creator.create_at_once(principal, body, members, key)

    async def visible(self, principal: Principal, action_id: str) -> Action:
        """Raises `action_not_found`, and `action_erased`."""
        return await self._lookup.visible(principal, action_id)

    async def find(self, org_id: str, action_id: str) -> Action | None:
        return await self._lookup.find(org_id, action_id)

    async def approval(self, action: Action) -> Approval | None:
        return await self._lookup.approval(action)

    async def decision(self, action: Action) -> RecordedDecision | None:
        """Guard's decision on an action, None when it was erased."""
        return await self._lookup.decision(action)

    async def report(
        self, principal: Principal, action_id: str, report: UpdateOutcome, *, sent: str | None = None
    ) -> Action:
        """Record an outcome, or correct one. With `close_if_running` nothing happens to an action that has ended.
        `sent` is the report's mark where it came with an idempotency key: one of the newest that is sent again changes
        nothing, whatever was recorded since.

        Raises `action_not_found`, `awaiting_approval`, `idempotency_mismatch` and `invalid_body`.
        """
        principal.check_history(report)
        if report.metadata is not None:
            digest_of(report.metadata, "metadata")
        async with self.holding(principal, action_id) as action:
            if report.close_if_running and action.status is not ActionStatus.RUNNING:
                return action
            if sent is not None and is_repeat(sent, action.outcome_marks or ()):
                return action
            after, event = self.reported(principal, action, report, self._clock(), sent)
            if event is not None:
                await self._ledger.append(event)
            return after

    @asynccontextmanager
    async def holding(self, principal: Principal, action_id: str) -> AsyncIterator[Action]:
        """The action, which nobody else changes meanwhile. Raises `action_not_found`."""
        async with self._locks.hold(ACTION_FENCE.of(principal.org_id, action_id)):
            yield await self._lookup.visible(principal, action_id)

    def reported(
        self, principal: Principal, action: Action, report: UpdateOutcome, now: int, sent: str | None = None
    ) -> tuple[Action, Draft | None]:
        """The action after a report and the event that says so, None where it says nothing new; for whoever holds the
        action. Raises `awaiting_approval` and `invalid_body`."""
        found = change.reported(action, report, now, sent)
        if found is None:
            return action, None
        after, kind = found
        return after, change.draft(action, after, kind, actor=principal.key_id, by=principal.name, now=now)

    def decided(self, action: Action, approval: Approval, actor: str, now: int) -> tuple[Action, Draft]:
        """The action after its approval was decided, expired or was withdrawn, and the event that says so."""
        return change.decided(action, approval, actor, now)


AssumptionsOf = Callable[[Action], Awaitable[list[Assumption]]]
ApprovalOf = Callable[[Action], Awaitable[Approval | None]]
LoopsOf = Callable[[Action], Awaitable[list[OpenLoop]]]


def routes(
    actions: Actions,
    ledger: Ledger,
    clock: Clock,
    approval_of: ApprovalOf,
    assumptions_of: AssumptionsOf,
    open_loops_of: LoopsOf,
) -> tuple[Route, ...]:
    def create_at_once(call: Call[CreateAction, None]) -> Recordable | None:
        return actions.create_at_once(call.principal, call.body, call.sent.members, idempotency_key(call))

    @serves(CREATE_ACTION, holds=CREATION_FENCES, effects="asks the webhooks of policies", at_once=create_at_once)
    async def create(call: Call[CreateAction, None]) -> Answer[CreatedAction]:
        created = await actions.create(
            call.principal, call.body, call.sent.members, idempotency_key(call), call.sent.raw
        )
        return Answer(created, _status(created))

    @serves(GET_ACTIONS)
    async def list_all(call: Call[None, ActionsQuery]) -> ActionList:
        return await list_actions(ledger, call.principal, call.query, clock())

    @serves(GET_APPROVALS)
    async def approvals(call: Call[None, ApprovalsQuery]) -> Approvals:
        return await list_approvals(ledger, call.principal, call.query, clock())

    @serves(GET_ACTION)
    async def get(call: Call[None, None], action_id: str) -> ActionDetail:
        action = await actions.visible(call.principal, action_id)
        approval = await approval_of(action)
        found = await assumptions_of(action)
        loops = await open_loops_of(action)
        return ActionDetail(action=action, approval=approval, assumptions=found, open_loops=loops)

    @serves(UPDATE_OUTCOME, holds=(ACTION_FENCE,))
    async def report(call: Call[UpdateOutcome, None], action_id: str) -> UpdatedAction:
        key = idempotency_key(call)
        sent = None if key is None else mark(key, call.sent.members)
        action = await actions.report(call.principal, action_id, call.body, sent=sent)
        return UpdatedAction(action=action)

    return create, list_all, approvals, get, report


def _status(created: CreatedAction) -> int:
    if created.idempotent_replay:
        return 200
    return 202 if created.action.status is ActionStatus.PENDING_APPROVAL else 201
