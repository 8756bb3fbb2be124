"""Creating an action: guard, then one write that holds decision, action and approval, or none of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Protocol

import msgspec

from assent.contract.control.actions import Action, ActionStatus, CreateAction, CreatedAction
from assent.contract.control.approvals import Approval
from assent.contract.control.grants import Grant
from assent.contract.control.guard import RecordedDecision, Source
from assent.contract.events import EventName
from assent.contract.names import comparable
from assent.proof.canonical import digest
from assent_service.base.clock import Clock, new_id
from assent_service.control.actions.change import decided as ended_by
from assent_service.control.actions.checks import (
    check_made,
    check_made_before,
    check_replaces,
    check_same_agent,
    check_start,
    exists,
    made_otherwise,
)
from assent_service.control.actions.lookup import Lookup
from assent_service.control.actions.opening import open_action, opening_status
from assent_service.control.actions.signatures import UNSIGNED, CheckedSignature, Signatures
from assent_service.control.actions.state import KEY_LIFE, ActionState, Creation
from assent_service.control.approvals import (
    ApprovalStore,
    approval_event,
    approved_in_advance,
    check_waiting,
    granted,
    replaced,
    request,
    requested,
)
from assent_service.control.erasure import gone
from assent_service.control.grants import GRANT_FENCE, Grants
from assent_service.control.guard import Decided, Guard, GuardQuestion, result_of
from assent_service.control.triage import TRIAGE_FENCE, Chosen, Stratum, Triages
from assent_service.core.call import Recordable
from assent_service.core.locks import ACTION_FENCE, EntityLocks, Fence, FenceName, Release
from assent_service.core.payload import encode, extend
from assent_service.core.principal import Principal
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

IDEMPOTENCY_FENCE = Fence("idempotency", "agent_id", "key")
DECISION_FENCE = Fence("decision", "decision_id")
"""A decision is used once."""
CREATION_FENCES = (IDEMPOTENCY_FENCE, ACTION_FENCE, DECISION_FENCE, GRANT_FENCE, TRIAGE_FENCE)
# Members that say how a creation is sent, not what it is.
NOT_COMPARED = frozenset({"idempotency_key", "timestamp_start", "_signature"})


class AskedBack(Protocol):
    """What operators have asked about an action and nobody has answered."""

    def replaced(self, approval: Approval, by: Principal, action_id: str, now: int) -> list[Draft]: ...


@dataclass(frozen=True)
class Opening:
    """A creation that was decided: `first` are the events of its decision, `grant` what stands in for a person, if
    something does, `triaged` what triage chose, where it takes part, `replaces` what waits and gives way to it."""

    asked: GuardQuestion
    body: CreateAction
    decision: RecordedDecision
    first: tuple[Draft, ...]
    key: str | None
    request_digest: str | None
    signed: CheckedSignature
    grant: Grant | None = None
    triaged: Chosen | None = None
    replaces: tuple[Action, Approval] | None = None


@dataclass(frozen=True)
class OpenedAction:
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
        waiting: ApprovalStore,
        questions: AskedBack,
        grants: Grants,
        triage: Triages,
    ) -> None:
        self._ledger, self._clock, self._locks, self._guard = ledger, clock, locks, guard
        self._state, self._lookup, self._approval_life = state, lookup, approval_life
        self._signatures, self._waiting, self._questions = signatures, waiting, questions
        self._grants, self._triage = grants, triage

    async def create(
        self, principal: Principal, body: CreateAction, members: dict[str, Any], key: str | None, raw: bytes
    ) -> CreatedAction:
        """Record the action, or answer with the one that the same idempotency key made before. `raw` is the body as
        it came, which its signature is over.

        An action that it replaces is withdrawn with the same write, unless this one is blocked.

        Raises `too_many_waiting`, `action_blocked` with the decision and the recorded attempt, `action_exists`,
        `decision_unusable`, `idempotency_mismatch`, what `_replaceable` and `Signatures.check` raise, and whatever
        guard raises.
        """
        asked = self._guard.question(principal, body, members)
        check_start(asked, body)
        key = key or body.idempotency_key
        names = _fences(principal.org_id, asked.agent_id, key, body)
        if not names:
            return await self._signed(asked, body, None, None, raw)
        async with self._locks.hold(*names):
            request_digest = None
            if key is not None:
                request_digest = _request_digest(members)
                before = await self._before(asked, key)
                if before is not None:
                    return await self._replay(principal, before, request_digest)
                await self._lookup.check_key(asked, key, self._clock() - KEY_LIFE)
            if body.action_id is not None:
                await self._check_free(principal, body.action_id)
            return await self._signed(asked, body, key, request_digest, raw)

    def create_at_once(
        self, principal: Principal, body: CreateAction, members: dict[str, Any], key: str | None
    ) -> Recordable | None:
        """The same for a live action that runs at once, where nothing has to be awaited but the record. None for any
        other: one that is signed, names an id or a decision that memory does not hold, replaces another one, comes
        again, waits or is blocked."""
        asked = self._guard.question(principal, body, members)
        check_start(asked, body)
        key = key or body.idempotency_key
        names = _fences(principal.org_id, asked.agent_id, key, body)
        if asked.source is not Source.LIVE or self._signatures.needed(body.signature):
            return None
        if body.action_id is not None or body.replaces is not None:
            return None
        request_digest = None if key is None else _request_digest(members)
        if key is not None and (
            self._state.creation(principal.org_id, asked.agent_id, key) or self._lookup.may_be_erased(asked, key)
        ):
            return None
        release = self._locks.hold_free(*names) if names else None
        if names and release is None:
            return None
        taken = None
        try:
            taken = self._take(asked, body, key, request_digest, release)
        finally:
            if taken is None and release is not None:
                release()
        return taken

    def _take(
        self,
        asked: GuardQuestion,
        body: CreateAction,
        key: str | None,
        request_digest: str | None,
        held: Release | None,
    ) -> Recordable | None:
        first: tuple[Draft, ...] = ()
        if body.decision_id:
            decision = self._guard.reuse_at_once(asked, body.decision_id)
        elif (decided := self._guard.decide_at_once(asked)) is not None:
            decision, first = decided.decision, self._guard.drafts(asked, decided)
        else:
            decision = None
        if decision is None or opening_status(body, decision.decision, asked.source) is not ActionStatus.RUNNING:
            return None
        opened = self._open(Opening(asked, body, decision, first, key, request_digest, UNSIGNED))
        counted = _counted(asked, opened.action)
        self._guard.state.reserve(*counted)

        def settled(recorded: bool) -> None:
            if not recorded:
                self._guard.state.release(*counted)
            if held is not None:
                held()

        conditions = self._guard.uncounted(asked)
        if held is not None:
            fences = _fences(asked.principal.org_id, asked.agent_id, key, body)
            conditions = (*map(self._locks.unmoved, fences), *conditions)
        return Recordable((*first, *opened.drafts), _created(opened), settled, conditions)

    async def _signed(
        self, asked: GuardQuestion, body: CreateAction, key: str | None, request_digest: str | None, raw: bytes
    ) -> CreatedAction:
        signed = await self._signatures.check(asked, body.signature, raw)
        try:
            return await self._create(asked, body, key, request_digest, signed)
        finally:
            self._signatures.done(signed)

    async def _create(
        self,
        asked: GuardQuestion,
        body: CreateAction,
        key: str | None,
        request_digest: str | None,
        signed: CheckedSignature,
    ) -> CreatedAction:
        """Decided and recorded; where a grant stands in for a person, while nobody else uses or revokes it, and where
        triage takes part, while nobody else takes a step in its stratum. Who has to wait for that decides anew, since
        what was decided may not hold any more."""
        wanted: list[FenceName] = []
        while True:
            async with self._locks.hold(*wanted):
                before = None if body.replaces is None else await self._replaceable(asked, body.replaces)
                decision = await self._guard.reuse(asked, body.decision_id) if body.decision_id else None
                decided = None
                if decision is None or self._may_pass(asked, body, decision):
                    decided = await self._guard.decide(asked)
                    decision = decided.decision
                grant, stratum = self._grants.covering(asked, decision), None
                if grant is None and decided is not None:
                    stratum = self._triage.stratum(asked, body, decision, flagged=bool(decided.found))
                opening = Opening(
                    asked,
                    body,
                    decision,
                    () if decided is None else self._guard.drafts(asked, decided),
                    key,
                    request_digest,
                    signed,
                    grant,
                    replaces=before,
                )
                needed = _needed(asked, grant, stratum)
                if needed == wanted:
                    return await self._record(self._chosen(opening, stratum, decided))
                if all(map(self._locks.is_free, needed)):
                    # Nothing was awaited since the decision, and this is not either.
                    async with self._locks.hold(*needed):
                        return await self._record(self._chosen(opening, stratum, decided))
            wanted = needed

    def _may_pass(self, asked: GuardQuestion, body: CreateAction, decision: RecordedDecision) -> bool:
        """Whether triage may take part in a request whose decision was brought along: then it is decided anew, since
        that one was made without a draw."""
        return (
            self._triage.stratum(asked, body, decision) is not None and self._grants.covering(asked, decision) is None
        )

    def _chosen(self, opening: Opening, stratum: Stratum | None, decided: Decided | None) -> Opening:
        """With what triage chooses, for whoever holds its stratum."""
        if stratum is None or decided is None:
            return opening
        chosen = self._triage.choose(opening.asked, stratum, opening.decision)
        first = self._guard.drafts(opening.asked, msgspec.structs.replace(decided, decision=chosen.decision))
        return replace(opening, decision=chosen.decision, first=first, triaged=chosen)

    async def _record(self, opening: Opening) -> CreatedAction:
        asked, body, decision = opening.asked, opening.body, opening.decision
        opened = self._open(opening)
        action = opened.action
        counted, conditions = None, opening.signed.conditions
        if action.status is not ActionStatus.BLOCKED and asked.source is Source.LIVE:
            conditions = (*conditions, *self._guard.uncounted(asked))
            counted = _counted(asked, action)
            self._guard.state.reserve(*counted)
        gives_way: list[Draft] = []
        if opening.replaces is not None and action.status is not ActionStatus.BLOCKED:
            gives_way = self._replaced(asked.principal, *opening.replaces, action.action_id)
        try:
            with self._waiting.room_for(opened.approval if opening.grant is None else None):
                await self._ledger.append(*opening.first, *opened.drafts, *gives_way, conditions=conditions)
        except BaseException:
            if counted is not None:
                self._guard.state.release(*counted)
            raise
        check_made(action, decision, body)
        return _created(opened)

    def _open(self, opening: Opening) -> OpenedAction:
        asked, body, decision, grant = opening.asked, opening.body, opening.decision, opening.grant
        status = opening_status(body, decision.decision, asked.source)
        approval_id = new_id("apr_", asked.now) if status is ActionStatus.PENDING_APPROVAL else None
        if grant is not None:
            status = ActionStatus.RUNNING
        action = open_action(
            body,
            asked,
            decision,
            action_id=body.action_id or new_id("act_", asked.now),
            approval_id=approval_id,
            status=status,
            idempotency_key=opening.key,
            verification=opening.signed.verification,
        )
        if grant is not None:
            action = msgspec.structs.replace(action, approved_by=grant.created_by_name, approved_at=action.created_at)
        compared = {} if opening.request_digest is None else {"request_digest": opening.request_digest}
        payload = extend(encode(action), compared | opening.signed.evidence)
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
        if opening.triaged is not None:
            drafts.append(self._triage.draft(asked, opening.triaged, action.action_id))
        approval = None
        if approval_id is not None:
            approval = request(
                action,
                approval_id=approval_id,
                reasons=decision.reasons,
                matched=decision.matched_policies,
                expires_at=action.created_at + self._approval_life,
            )
            if grant is None:
                drafts.append(requested(approval, actor, asked.now))
            else:
                approval = granted(approval, grant, asked.principal, asked.now)
                drafts.append(self._grants.draft_use(asked, grant, action.action_id, approval_id, decision.decision_id))
                drafts.append(approved_in_advance(approval, actor, asked.now))
        return OpenedAction(action, approval, decision, drafts)

    async def _replaceable(self, asked: GuardQuestion, action_id: str) -> tuple[Action, Approval]:
        """The waiting action of the same agent whose place a new one takes. Raises `invalid_body` for history,
        `action_not_found`, `agent_mismatch`, `not_awaiting_approval`, `already_decided`, `approval_withdrawn` and
        `approval_expired`."""
        check_replaces(asked)
        action = await self._lookup.visible(asked.principal, action_id)
        check_same_agent(asked, action)
        waiting = self._waiting.awaiting.get((action.org_id, action_id)) or await self._lookup.approval(action)
        return action, check_waiting(action, waiting, self._clock())

    def _replaced(self, principal: Principal, action: Action, approval: Approval, by: str) -> list[Draft]:
        """The events that withdraw the action for the sake of `by`, which answers what is asked about it."""
        now = self._clock()
        answers = self._questions.replaced(approval, principal, by, now)
        after = replaced(approval, by, principal, now)
        _, event = ended_by(action, after, principal.key_id, now)
        return [*answers, approval_event(EventName.APPROVAL_WITHDRAWN, after, principal.key_id, now), event]

    async def _before(self, asked: GuardQuestion, key: str) -> Creation | None:
        found = self._state.creation(asked.principal.org_id, asked.agent_id, key)
        if found is None and asked.source is not Source.LIVE:
            return await self._lookup.imported(asked.principal.org_id, asked.agent_id, key)
        return found

    async def _replay(self, principal: Principal, before: Creation, request_digest: str) -> CreatedAction:
        if before.request_digest != request_digest:
            raise made_otherwise(before.action_id)
        action = await self._lookup.visible(principal, before.action_id)
        decision = await self._lookup.decision(action)
        assert decision is not None, "a decision stays for as long as its idempotency key answers"
        check_made_before(action, decision)
        return CreatedAction(
            action_id=action.action_id,
            action=action,
            decision=result_of(decision),
            approval=await self._lookup.approval(action),
            idempotent_replay=True,
        )

    async def _check_free(self, principal: Principal, action_id: str) -> None:
        erasure = await self._lookup.erasure(principal.org_id, action_id)
        if erasure is not None and (told := gone(erasure, principal)) is not None:
            raise told
        if erasure is not None or await self._lookup.find(principal.org_id, action_id) is not None:
            raise exists(action_id)


def _created(opened: OpenedAction) -> CreatedAction:
    return CreatedAction(
        action_id=opened.action.action_id,
        action=opened.action,
        decision=result_of(opened.decision),
        approval=opened.approval,
        idempotent_replay=False,
    )


def _needed(asked: GuardQuestion, grant: Grant | None, stratum: Stratum | None) -> list[FenceName]:
    """What a creation has to hold to use the grant, or to take a step in the stratum."""
    org_id = asked.principal.org_id
    if grant is not None:
        return [GRANT_FENCE.of(org_id, grant.grant_id)]
    return [] if stratum is None else [TRIAGE_FENCE.of(org_id, stratum.name)]


def _counted(asked: GuardQuestion, action: Action) -> tuple[str, str, str | None, str | None, int]:
    """What rate limits count of an action that is about to be recorded: see `GuardState.reserve`."""
    key_id = asked.principal.key_id if asked.principal.unbound else None
    return action.org_id, action.action_id, action.agent_id, key_id, asked.now


def _request_digest(members: dict[str, Any]) -> str:
    return digest({name: value for name, value in members.items() if name not in NOT_COMPARED})


def _fences(org_id: str, agent_id: str | None, key: str | None, body: CreateAction) -> list[FenceName]:
    """What a creation can meet another one on; a repeat waits for the first one, and then sees it."""
    found = []
    if key is not None:
        found.append(IDEMPOTENCY_FENCE.of(org_id, str(agent_id and comparable(agent_id)), key))
    named = {each for each in (body.action_id, body.replaces) if each is not None}
    found += [ACTION_FENCE.of(org_id, each) for each in sorted(named)]
    if body.decision_id is not None:
        found.append(DECISION_FENCE.of(org_id, body.decision_id))
    return found
