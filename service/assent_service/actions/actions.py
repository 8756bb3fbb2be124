"""Actions once they exist: reading one, reporting what came of it, and moving it when its approval is decided."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from assent.contract.actions import Action, ActionStatus, CreateAction, CreatedAction, UpdateOutcome
from assent.contract.approvals import Approval, ApprovalState
from assent_service.actions import change
from assent_service.actions.create import Creator
from assent_service.actions.lookup import Lookup
from assent_service.actions.signatures import Signatures
from assent_service.actions.state import ActionState
from assent_service.approvals import DENIED_WITHOUT_WORDS
from assent_service.core.clock import Clock
from assent_service.core.faithful import digest_of
from assent_service.core.locks import EntityLocks
from assent_service.core.principal import Principal
from assent_service.erasure import ErasureState
from assent_service.guard import Guard, RecordedDecision
from assent_service.identities import IdentityState
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
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state, self.erasures = ActionState(clock), ErasureState()
        self._lookup = Lookup(ledger, self.state, self.erasures)
        signatures = Signatures(known, self.state.seen, self._lookup.signed, required=require_signatures)
        self._creator = Creator(ledger, clock, locks, guard, self.state, self._lookup, approval_life, signatures)

    async def create(
        self, principal: Principal, body: CreateAction, members: dict[str, Any], key: str | None, raw: bytes = b""
    ) -> CreatedAction:
        """See `Creator.create`."""
        return await self._creator.create(principal, body, members, key, raw)

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

    async def report(self, principal: Principal, action_id: str, report: UpdateOutcome) -> Action:
        """Record an outcome, or correct one. With `close_if_running` nothing happens to an action that has ended.

        Raises `action_not_found`, `awaiting_approval` and `invalid_body`.
        """
        principal.check_history(report)
        if report.metadata is not None:
            digest_of(report.metadata, "metadata")
        async with self.holding(principal, action_id) as action:
            if report.close_if_running and action.status is not ActionStatus.RUNNING:
                return action
            after, event = self.reported(principal, action, report, self._clock())
            if event is not None:
                await self._ledger.append(event)
            return after

    @asynccontextmanager
    async def holding(self, principal: Principal, action_id: str) -> AsyncIterator[Action]:
        """The action, which nobody else changes meanwhile. Raises `action_not_found`."""
        async with self._locks.hold(f"action:{principal.org_id}:{action_id}"):
            yield await self._lookup.visible(principal, action_id)

    def reported(
        self, principal: Principal, action: Action, report: UpdateOutcome, now: int
    ) -> tuple[Action, Draft | None]:
        """The action after a report and the event that says so, None where it says nothing new; for whoever holds the
        action. Raises `awaiting_approval` and `invalid_body`."""
        members, kind = change.outcome(action, report, now)
        after = change.changed(action, members, now)
        if after.status == action.status and _same(action, members):
            return action, None
        return after, change.draft(action, after, kind, actor=principal.key_id, by=principal.name, now=now)

    def decided(self, action: Action, approval: Approval, actor: str, now: int) -> tuple[Action, Draft]:
        """The action after its approval was decided or expired, and the event that says so."""
        members: dict[str, Any]
        if approval.state is ApprovalState.APPROVED:
            kind = change.APPROVAL
            members = {
                "status": ActionStatus.RUNNING,
                "approved_by": approval.decided_by,
                "approved_at": approval.decided_at,
            }
        else:
            denied = approval.state is ApprovalState.DENIED
            kind = change.DENIAL if denied else change.EXPIRY
            members = {
                "status": ActionStatus.CANCELLED,
                "error_message": (approval.reasoning or DENIED_WITHOUT_WORDS) if denied else _expired(approval),
                "timestamp_end": approval.decided_at,
            }
        after = change.changed(action, members, now)
        return after, change.draft(action, after, kind, actor=actor, by=approval.decided_by or actor, now=now)


def _expired(approval: Approval) -> str:
    return f"The approval expired at {approval.expires_at.isoformat()}; nobody decided in time."


def _same(action: Action, members: dict[str, Any]) -> bool:
    return all(getattr(action, name) == value for name, value in members.items())
