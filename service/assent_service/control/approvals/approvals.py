"""Deciding on approvals, letting time decide on those that nobody did, and letting agents use them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from assent.contract.control.actions import APPROVE_ACTION, WITHDRAW_ACTION, Action, ApprovedAction, WithdrawnAction
from assent.contract.control.approvals import Approval, ApprovalState, ApproveAction, WithdrawAction
from assent.contract.control.claims import CLAIM_ACTION, ClaimAction, ClaimedAction
from assent.contract.events import EventName
from assent.contract.problems import Code
from assent.contract.record import Record
from assent_service.base.clock import MINUTE, Clock, moment
from assent_service.base.problem import refuse
from assent_service.control.approvals import claim as claims
from assent_service.control.approvals.state import ApprovalStore
from assent_service.control.approvals.transition import (
    check_decider,
    check_not_halted,
    decide,
    expire,
    never_asked,
    repeats,
    withdraw,
)
from assent_service.control.grants import GRANT_FENCE, Grants
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.idempotency import idempotency_key
from assent_service.core.locks import ACTION_FENCE, EntityLocks
from assent_service.core.payload import encode, extend
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

SYSTEM = "system"
LOOK_SECONDS = 1.0

log = logging.getLogger("assent.approvals")


class Expiring(Record, frozen=True, kw_only=True):
    """What `approval.expiring` holds: ids and times, nothing of what is asked."""

    org_id: str
    approval_id: str
    action_id: str
    expires_at: datetime
    created_at: datetime


class Actions(Protocol):
    """What an approval needs of the action it is about."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...

    async def find(self, org_id: str, action_id: str) -> Action | None: ...

    async def approval(self, action: Action) -> Approval | None: ...

    def decided(self, action: Action, approval: Approval, actor: str, now: int) -> tuple[Action, Draft]: ...


class OpenQuestions(Protocol):
    """What operators have asked about an action and nobody has answered."""

    def ended(self, approval: Approval, actor: str, now: int) -> list[Draft]: ...


class Approvals:
    """The approvals of every organization. `halted(org)` is the kill switch's reason, None when it is off. With
    `refuses_own` a key never decides on what it opened. What ends the waiting ends the open `questions` about it. Who
    expires within `warning_minutes` is told of; 0 tells of nobody."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        actions: Actions,
        store: ApprovalStore,
        halted: Callable[[str], str | None],
        questions: OpenQuestions,
        grants: Grants,
        *,
        refuses_own: bool = False,
        warning_minutes: float = 0.0,
    ) -> None:
        self._warning = round(warning_minutes * MINUTE)
        self._grants = grants
        self._ledger, self._clock, self._locks, self._actions = ledger, clock, locks, actions
        self._store, self._halted, self._refuses_own = store, halted, refuses_own
        self._questions = questions
        self._watch: asyncio.Task[None] | None = None

    async def decide(
        self, principal: Principal, action_id: str, said: ApproveAction, idempotency_key: str | None
    ) -> ApprovedAction:
        """Exactly one operator decides; the next one is told who it was.

        Raises `action_not_found`, `not_awaiting_approval`, `invalid_body`, `self_approval`, `already_decided`,
        `approval_withdrawn`, `approval_expired`, and `halted` for what would be allowed.
        """
        async with self._locks.hold(ACTION_FENCE.of(principal.org_id, action_id)):
            action = await self._actions.visible(principal, action_id)
            approval = await self.of(action)
            if approval is None:
                raise never_asked(action)
            if repeats(approval, said, idempotency_key):
                return ApprovedAction(success=True, action=action, approval=approval)
            own = check_decider(action, principal, refuses_own=self._refuses_own)
            now = self._clock()
            after = decide(approval, said, principal, now, idempotency_key, self_decided=own)
            if after.state is ApprovalState.APPROVED:
                check_not_halted(self._halted(principal.org_id))
            changed, event = self._actions.decided(action, after, principal.key_id, now)
            await self._append(EventName.APPROVAL_DECIDED, after, event, principal.key_id, now)
            return ApprovedAction(success=True, action=changed, approval=after)

    async def withdraw(self, principal: Principal, action_id: str, said: WithdrawAction) -> WithdrawnAction:
        """Take back what waits; once it is withdrawn, a repetition gets the same answer.

        Raises `action_not_found`, `agent_mismatch`, `not_awaiting_approval`, `already_decided` and `approval_expired`.
        """
        async with self._locks.hold(ACTION_FENCE.of(principal.org_id, action_id)):
            action = await self._of_own(principal, action_id)
            approval = await self.of(action)
            if approval is None:
                raise never_asked(action)
            if approval.state is ApprovalState.WITHDRAWN:
                return WithdrawnAction(action=action, approval=approval)
            now = self._clock()
            after = withdraw(approval, said.reason, principal, now)
            changed, event = self._actions.decided(action, after, principal.key_id, now)
            await self._append(EventName.APPROVAL_WITHDRAWN, after, event, principal.key_id, now)
            return WithdrawnAction(action=changed, approval=after)

    async def claim(
        self, principal: Principal, action_id: str, claim: ClaimAction, idempotency_key: str | None
    ) -> ClaimedAction:
        """Exactly one claim uses an approval, see `claim`; the next one is told who it was.

        Raises `action_not_found`, `agent_mismatch`, `invalid_body`, `halted`, `not_approved`, `receipt_used`,
        `receipt_expired`, `grant_revoked`, `receipt_mismatch` and `idempotency_mismatch`.
        """
        claimed = claims.claimed_act(claim)
        async with self._locks.hold(ACTION_FENCE.of(principal.org_id, action_id)):
            action = await self._of_own(principal, action_id)
            claims.check_running(self._halted(principal.org_id))
            now = self._clock()
            approval = claims.check_usable(action, await self.of(action), now)
            approved = claims.approved_act(action, approval)
            if claims.repeats(approval, approved, claimed, principal, idempotency_key):
                return ClaimedAction(action=action, approval=approval, act_digest=approved.digest)
            claims.check_claim(action, approval, now)
            async with self._granting(approval):
                differing = claims.differing(approved, claimed)
                if differing:
                    after = claims.refused(approval)
                    refusal = claims.refusal_of(claimed, differing, principal, now)
                    refused = approval_event(
                        EventName.APPROVAL_CLAIM_REFUSED, after, principal.key_id, now, {"refusal": refusal}
                    )
                    await self._ledger.append(refused)
                    raise claims.mismatch(after, approved, claimed, differing)
                used = claims.used(approval, principal, now, idempotency_key)
                await self._ledger.append(approval_event(EventName.APPROVAL_CLAIMED, used, principal.key_id, now))
                return ClaimedAction(action=action, approval=used, act_digest=approved.digest)

    @asynccontextmanager
    async def _granting(self, approval: Approval) -> AsyncIterator[None]:
        """Nobody revokes meanwhile what gave the approval. Raises `grant_revoked` where somebody has."""
        if approval.grant_id is None:
            yield
            return
        async with self._locks.hold(GRANT_FENCE.of(approval.org_id, approval.grant_id)):
            await self._grants.check_not_revoked(approval.org_id, approval.grant_id)
            yield

    async def _append(self, name: EventName, after: Approval, event: Draft, actor: str, now: int) -> None:
        """The end of the waiting, the action's change right behind it, and the end of what is asked about it."""
        ended = self._questions.ended(after, actor, now)
        await self._ledger.append(approval_event(name, after, actor, now), event, *ended)

    async def _of_own(self, principal: Principal, action_id: str) -> Action:
        """The action, if the key's agent may act on it. Raises `action_not_found` and `agent_mismatch`."""
        action = await self._actions.visible(principal, action_id)
        if principal.agent_id is not None and principal.agent_id != action.agent_id:
            raise refuse(
                Code.AGENT_MISMATCH,
                f"This key is bound to agent {principal.agent_id!r}; action {action_id} is not that agent's.",
            )
        return action

    async def of(self, action: Action) -> Approval | None:
        """The approval of an action, whatever its state; one that still waits is in memory."""
        waiting = self._store.awaiting.get((action.org_id, action.action_id))
        return waiting or await self._actions.approval(action)

    def start(self) -> None:
        """Begin to look for approvals whose time has passed."""
        self._watch = asyncio.create_task(self._look())

    async def stop(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch

    async def expire_overdue(self) -> int:
        """Record overdue approvals as expired, and say how many were."""
        recorded = 0
        for approval in self._store.overdue(self._clock()):
            try:
                recorded += await self._ledger.run(partial(self._expire, approval))
            except Exception as error:  # noqa: BLE001 - whatever it is, the others must not be forgotten for it
                # Nothing can be recorded now; nobody can approve it any more either, and the next look tries again.
                log.warning("approval %s is overdue but not recorded: %s", approval.approval_id, error)
                self._store.put_back(approval)
        return recorded

    async def warn(self) -> int:
        """Record which approvals are near their expiry, each once, and say how many were."""
        recorded = 0
        for approval in self._store.expiring(self._clock(), self._warning):
            try:
                recorded += await self._ledger.run(partial(self._warn, approval))
            except Exception as error:  # noqa: BLE001 - as above
                log.warning("approval %s is near its expiry but that is not recorded: %s", approval.approval_id, error)
                self._store.warn_again(approval)
        return recorded

    async def _warn(self, approval: Approval) -> bool:
        async with self._locks.hold(ACTION_FENCE.of(approval.org_id, approval.action_id)):
            waiting = self._store.awaiting.get((approval.org_id, approval.action_id))
            if waiting is None or waiting.approval_id != approval.approval_id or self._store.is_warned(waiting):
                return False
            now = self._clock()
            said = carry(Expiring, waiting, created_at=moment(now))
            # It belongs to no action: it says nothing of one that evidence would have to show, or an erasure blank.
            await self._ledger.append(
                Draft(
                    org=waiting.org_id,
                    type=EventName.APPROVAL_EXPIRING.value,
                    ts=now,
                    subject=waiting.approval_id,
                    actor=SYSTEM,
                    data=encode(said),
                )
            )
            return True

    async def _expire(self, approval: Approval) -> bool:
        async with self._locks.hold(ACTION_FENCE.of(approval.org_id, approval.action_id)):
            action = await self._actions.find(approval.org_id, approval.action_id)
            waiting = self._store.awaiting.get((approval.org_id, approval.action_id))
            if action is None or waiting is None or waiting.state is not ApprovalState.AWAITING:
                return False
            now = self._clock()
            after = expire(waiting, now)
            _, event = self._actions.decided(action, after, SYSTEM, now)
            await self._append(EventName.APPROVAL_EXPIRED, after, event, SYSTEM, now)
            return True

    async def _look(self) -> None:
        turn = self._ledger.turn("approvals")
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                if await turn.is_ours():
                    await self.expire_overdue()
                    await self.warn()
            except Exception:
                log.exception("looking for overdue approvals failed; the next look tries again")


def requested(approval: Approval, actor: str, now: int) -> Draft:
    """The event that asks for an approval."""
    return approval_event(EventName.APPROVAL_REQUESTED, approval, actor, now)


def approved_in_advance(approval: Approval, actor: str, now: int) -> Draft:
    """The event of an approval that a standing grant gave."""
    return approval_event(EventName.APPROVAL_GRANTED, approval, actor, now)


def approval_event(
    name: EventName, approval: Approval, actor: str, now: int, beside: dict[str, Any] | None = None
) -> Draft:
    return Draft(
        org=approval.org_id,
        type=name.value,
        ts=now,
        subject=approval.approval_id,
        actor=actor,
        data=extend(encode(approval), beside or {}),
        action=approval.action_id,
    )


def routes(approvals: Approvals) -> tuple[Route, ...]:
    @serves(APPROVE_ACTION, holds=(ACTION_FENCE,))
    async def approve(call: Call[ApproveAction, None], action_id: str) -> ApprovedAction:
        key = idempotency_key(call)
        return await approvals.decide(call.principal, action_id, call.body, key)

    @serves(WITHDRAW_ACTION, holds=(ACTION_FENCE,))
    async def withdraw(call: Call[WithdrawAction, None], action_id: str) -> WithdrawnAction:
        return await approvals.withdraw(call.principal, action_id, call.body)

    @serves(CLAIM_ACTION, holds=(ACTION_FENCE, GRANT_FENCE))
    async def claim(call: Call[ClaimAction, None], action_id: str) -> ClaimedAction:
        key = idempotency_key(call)
        return await approvals.claim(call.principal, action_id, call.body, key)

    return approve, withdraw, claim
