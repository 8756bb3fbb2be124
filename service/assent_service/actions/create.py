"""Creating an action: guard, then one write that holds decision, action and approval, or none of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import msgspec

from assent.contract.actions import Action, ActionStatus, CreateAction, CreatedAction
from assent.contract.approvals import Approval
from assent.contract.events import EventName
from assent.contract.guard import Source
from assent.contract.problems import Code
from assent.proof.canonical import digest
from assent_service.actions.lookup import Lookup
from assent_service.actions.opening import open_action, opening_status
from assent_service.actions.signatures import Signatures, Signed
from assent_service.actions.state import KEY_LIFE, ActionState, Creation
from assent_service.approvals import request, requested
from assent_service.core.clock import Clock, new_id
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode, extend
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal, refuse
from assent_service.erasure import gone
from assent_service.guard import Guard, Question, RecordedDecision
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

# Members that say how a creation is sent, not what it is.
NOT_COMPARED = frozenset({"idempotency_key", "timestamp_start", "_signature"})


@dataclass(frozen=True)
class Opened:
    """A creation that is about to be recorded."""

    action: Action
    approval: Approval | None
    decision: RecordedDecision
    drafts: list[Draft]


class Creator:
    """Creates actions; `approval_life` is how long an operator has."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        guard: Guard,
        state: ActionState,
        lookup: Lookup,
        approval_life: timedelta,
        signatures: Signatures,
    ) -> None:
        self._ledger, self._clock, self._locks, self._guard = ledger, clock, locks, guard
        self._state, self._lookup, self._approval_life = state, lookup, approval_life
        self._signatures = signatures

    async def create(
        self, principal: Principal, body: CreateAction, members: dict[str, Any], key: str | None, raw: bytes
    ) -> CreatedAction:
        """Record the action, or answer with the one that the same idempotency key made before. `raw` is the body as
        it came, which its signature is over.

        Raises `action_blocked` with the decision and the recorded attempt, `action_exists`, `decision_unusable`,
        `idempotency_mismatch`, what `Signatures.check` raises, and whatever guard raises.
        """
        asked = self._guard.question(principal, body, members)
        key = key or body.idempotency_key
        names = _locks(principal.org_id, key, body)
        if not names:
            return await self._signed(asked, body, None, None, raw)
        async with self._locks.hold(*names):
            request_digest = None
            if key is not None:
                request_digest = digest({k: v for k, v in members.items() if k not in NOT_COMPARED})
                before = await self._before(asked, key)
                if before is not None:
                    return await self._replay(principal, before, request_digest)
                await self._lookup.check_key(asked, key, self._clock() - KEY_LIFE)
            if body.action_id is not None:
                await self._check_free(principal, body.action_id)
            return await self._signed(asked, body, key, request_digest, raw)

    async def _signed(
        self, asked: Question, body: CreateAction, key: str | None, request_digest: str | None, raw: bytes
    ) -> CreatedAction:
        signed = await self._signatures.check(asked, body.signature, raw)
        try:
            return await self._create(asked, body, key, request_digest, signed)
        finally:
            self._signatures.done(signed)

    async def _create(
        self, asked: Question, body: CreateAction, key: str | None, request_digest: str | None, signed: Signed
    ) -> CreatedAction:
        decision = await self._guard.reuse(asked, body.decision_id) if body.decision_id else None
        first: tuple[Draft, ...] = ()
        if decision is None:
            decided = await self._guard.decide(asked)
            decision, first = decided.decision, self._guard.drafts(asked, decided)
        opened = self._open(asked, body, decision, key, request_digest, signed)
        action = opened.action
        counts = action.status is not ActionStatus.BLOCKED and asked.source is Source.LIVE
        if counts:
            self._guard.state.reserve(action.org_id, action.action_id, action.agent_id, asked.now)
        try:
            await self._ledger.append(*first, *opened.drafts)
        except BaseException:
            if counts:
                self._guard.state.release(action.org_id, action.action_id, action.agent_id, asked.now)
            raise
        if action.status is ActionStatus.BLOCKED and asked.source is Source.LIVE and body.status is not action.status:
            raise _blocked(action, decision)
        return CreatedAction(
            action_id=action.action_id,
            action=action,
            decision=decision.result(),
            approval=opened.approval,
            idempotent_replay=False,
        )

    def _open(
        self,
        asked: Question,
        body: CreateAction,
        decision: RecordedDecision,
        key: str | None,
        request_digest: str | None,
        signed: Signed,
    ) -> Opened:
        status = opening_status(body, decision.decision, asked.source)
        approval_id = new_id("apr_", asked.now) if status is ActionStatus.PENDING_APPROVAL else None
        action = open_action(
            body,
            asked,
            decision,
            action_id=body.action_id or new_id("act_", asked.now),
            approval_id=approval_id,
            status=status,
            idempotency_key=key,
            verification=signed.verification,
        )
        compared = {} if request_digest is None else {"request_digest": request_digest}
        payload = extend(encode(action), compared | signed.evidence)
        actor = asked.principal.key_id
        drafts = [
            Draft(
                org=action.org_id,
                type=EventName.ACTION_CREATED.value,
                ts=asked.now,
                subject=action.action_id,
                actor=actor,
                data=payload,
                action=action.action_id,
            )
        ]
        approval = None
        if approval_id is not None:
            approval = request(
                action,
                approval_id=approval_id,
                reasons=decision.reasons,
                matched=decision.matched_policies,
                expires_at=action.created_at + self._approval_life,
            )
            drafts.append(requested(approval, actor, asked.now))
        return Opened(action, approval, decision, drafts)

    async def _before(self, asked: Question, key: str) -> Creation | None:
        found = self._state.creation(asked.principal.org_id, key)
        if found is None and asked.source is not Source.LIVE:
            return await self._lookup.imported(asked.principal.org_id, key)
        return found

    async def _replay(self, principal: Principal, before: Creation, request_digest: str) -> CreatedAction:
        if before.request_digest != request_digest:
            raise refuse(
                Code.IDEMPOTENCY_MISMATCH,
                f"This idempotency key created action {before.action_id} with another body; use a new key.",
            )
        action = await self._lookup.visible(principal, before.action_id)
        decision = await self._lookup.decision(action)
        assert decision is not None, "a decision stays for as long as its idempotency key answers"
        if action.status is ActionStatus.BLOCKED and action.source is Source.LIVE and decision.decision == "block":
            raise _blocked(action, decision)
        return CreatedAction(
            action_id=action.action_id,
            action=action,
            decision=decision.result(),
            approval=await self._lookup.approval(action),
            idempotent_replay=True,
        )

    async def _check_free(self, principal: Principal, action_id: str) -> None:
        erasure = await self._lookup.erasure(principal.org_id, action_id)
        if erasure is not None and (told := gone(erasure, principal)) is not None:
            raise told
        if erasure is not None or await self._lookup.find(principal.org_id, action_id) is not None:
            raise refuse(
                Code.ACTION_EXISTS,
                f"Action {action_id} exists already; leave action_id out, or send an Idempotency-Key to repeat safely.",
            )


def _locks(org_id: str, key: str | None, body: CreateAction) -> list[str]:
    """What a creation can meet another one on; a repeat waits for the first one, and then sees it."""
    named = (("key", key), ("action", body.action_id), ("decision", body.decision_id))
    return [f"{kind}:{org_id}:{name}" for kind, name in named if name is not None]


def _blocked(action: Action, decision: RecordedDecision) -> Refusal:
    why = decision.reason or "no reason given"
    return refuse(
        Code.ACTION_BLOCKED,
        f"Action blocked by policy: {why}",
        decision=msgspec.to_builtins(decision.result()),
        action=msgspec.to_builtins(action),
    )
