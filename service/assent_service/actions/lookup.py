"""Finding an action: in memory when it is new, in the tables otherwise."""

from __future__ import annotations

from datetime import datetime

from assent.contract.actions import Action
from assent.contract.approvals import Approval
from assent.contract.guard import Source
from assent.contract.problems import Code
from assent_service.actions.seen import SIGNED
from assent_service.actions.state import NEWEST, ActionState, Creation
from assent_service.actions.tables import ACTIONS
from assent_service.approvals import APPROVALS
from assent_service.core.clock import microseconds, naive
from assent_service.core.find import find_row
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal, refuse
from assent_service.erasure import ErasureState, StoredErasure, gone
from assent_service.guard import GUARD_DECISIONS, Question, RecordedDecision
from assent_service.store.ledger import Ledger


class Lookup:
    """Reads single actions; lists are in `queries`."""

    def __init__(self, ledger: Ledger, state: ActionState, erasures: ErasureState) -> None:
        self._ledger, self._state, self._erasures = ledger, state, erasures

    async def find(self, org_id: str, action_id: str) -> Action | None:
        found = self._state.get(org_id, action_id)
        if found is not None:
            return found
        if self._erasures.get(org_id, action_id) is not None:
            return None  # the tables may still have it
        # The newest actions were looked for in memory, so the tables may lag behind by as many.
        return await find_row(self._ledger, ACTIONS, Action, org_id, action_id, remembered=NEWEST)

    async def visible(self, principal: Principal, action_id: str) -> Action:
        """The action if the caller may see it. Raises `action_not_found` for a foreign one as for an unknown one, and
        `action_erased` for one that was there."""
        action = await self.find(principal.org_id, action_id)
        if action is None:
            erasure = await self.erasure(principal.org_id, action_id)
            if erasure is not None and (told := gone(erasure, principal)) is not None:
                raise told
        if action is None or not principal.sees(action.agent_id):
            raise not_found(action_id)
        return action

    async def erasure(self, org_id: str, action_id: str) -> StoredErasure | None:
        """What is left of an action whose content was erased."""
        return await self._erasures.find(self._ledger, org_id, action_id)

    async def check_key(self, asked: Question, idempotency_key: str, since: int) -> None:
        """Raises `action_erased` when this key made an action that was erased: for history whenever that was, otherwise
        when it was recorded after `since` (microseconds)."""
        org_id = asked.principal.org_id
        if asked.source is not Source.LIVE:
            found = await self._erasures.of_key_ever(self._ledger, org_id, idempotency_key)
        else:
            found = self._erasures.of_key(org_id, idempotency_key)
            if found is not None and microseconds(found.action_created_at) <= since:
                return
        if found is not None:
            raise gone(found, asked.principal) or not_found(found.action_id)

    async def decision(self, action: Action) -> RecordedDecision | None:
        """Guard's decision on an action, None when it was erased."""
        return await find_row(self._ledger, GUARD_DECISIONS, RecordedDecision, action.org_id, action.decision_id)

    async def approval(self, action: Action) -> Approval | None:
        """What the action waited for, whatever became of it."""
        if action.approval_id is None:
            return None
        return await find_row(self._ledger, APPROVALS, Approval, action.org_id, action.approval_id)

    async def imported(self, org_id: str, idempotency_key: str) -> Creation | None:
        """The creation of a piece of history, whose key counts for as long as the action exists."""
        # The newest creations were looked for in memory, so the tables may lag behind by as many.
        rows = await self._ledger.read(
            "SELECT action_id, request_digest, created_at FROM actions "
            "WHERE org_id = ? AND idempotency_key = ? AND source = 'import'",
            [org_id, idempotency_key],
            remembered=NEWEST,
        )
        if not rows:
            return None
        action_id, request_digest, created_at = rows[0]
        assert isinstance(created_at, datetime)
        compared = None if request_digest is None else str(request_digest)
        return Creation(org_id, str(action_id), idempotency_key, created_at, compared)

    async def signed(self, org_id: str, signature_digest: str, since: int, remembered: int) -> bool:
        """Whether a creation after `since` (microseconds) came with it; `remembered` as in `Ledger.read`."""
        rows = await self._ledger.read(
            f"SELECT 1 FROM {SIGNED} WHERE created_at > ? AND org_id = ? AND signature_digest = ? LIMIT 1",
            [naive(since), org_id, signature_digest],
            remembered=remembered,
        )
        return bool(rows)


def not_found(action_id: str) -> Refusal:
    return refuse(Code.ACTION_NOT_FOUND, f"There is no action {action_id[:128]!r} in this organization.")
