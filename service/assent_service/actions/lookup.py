"""Finding an action: in memory when it is new, in the tables otherwise."""

from __future__ import annotations

from datetime import datetime

from assent.contract.actions import Action
from assent.contract.approvals import Approval
from assent.contract.problems import Code
from assent_service.actions.state import NEWEST, ActionState, Creation
from assent_service.actions.tables import ACTIONS
from assent_service.approvals import APPROVALS
from assent_service.core.clock import SECOND, minted, naive
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal, refuse
from assent_service.core.rows import record, select
from assent_service.guard import GUARD_DECISIONS, RecordedDecision
from assent_service.store.database import Row
from assent_service.store.ledger import Ledger


class Lookup:
    """Reads single actions; lists are in `queries`."""

    def __init__(self, ledger: Ledger, state: ActionState) -> None:
        self._ledger, self._state = ledger, state

    async def find(self, org_id: str, action_id: str) -> Action | None:
        found = self._state.get(org_id, action_id)
        if found is not None:
            return found
        row = await self._row(org_id, action_id)
        return None if row is None else record(ACTIONS, row, Action)

    async def _row(self, org_id: str, action_id: str) -> Row | None:
        found = f"SELECT {select(ACTIONS)} FROM actions WHERE org_id = ? AND action_id = ?"
        at = minted(action_id)
        if at is not None:
            # Our ids tell when they were made, so the tables need not be searched from end to end.
            near = [naive(at), naive(at + SECOND)]
            rows = await self._read(f"{found} AND created_at >= ? AND created_at < ?", [org_id, action_id, *near])
            if rows:
                return rows[0]
        rows = await self._read(found, [org_id, action_id])
        return rows[0] if rows else None

    async def _read(self, sql: str, parameters: list[object]) -> list[Row]:
        # The newest actions and creations were looked for in memory, so the tables may lag behind by as many.
        return await self._ledger.read(sql, parameters, remembered=NEWEST)

    async def visible(self, principal: Principal, action_id: str) -> Action:
        """The action if the caller may see it. Raises `action_not_found` for a foreign one as for an unknown one."""
        action = await self.find(principal.org_id, action_id)
        if action is None or not principal.sees(action.agent_id):
            raise not_found(action_id)
        return action

    async def decision(self, action: Action) -> RecordedDecision:
        """Guard's decision on an action."""
        rows = await self._ledger.read(
            f"SELECT {select(GUARD_DECISIONS)} FROM guard_decisions WHERE org_id = ? AND decision_id = ?",
            [action.org_id, action.decision_id],
        )
        return record(GUARD_DECISIONS, rows[0], RecordedDecision)

    async def approval(self, action: Action) -> Approval | None:
        """What the action waited for, whatever became of it."""
        if action.approval_id is None:
            return None
        rows = await self._ledger.read(
            f"SELECT {select(APPROVALS)} FROM approvals WHERE org_id = ? AND approval_id = ?",
            [action.org_id, action.approval_id],
        )
        return record(APPROVALS, rows[0], Approval) if rows else None

    async def imported(self, org_id: str, idempotency_key: str) -> Creation | None:
        """The creation of a piece of history, whose key counts for as long as the action exists."""
        rows = await self._read(
            "SELECT action_id, request_digest, created_at FROM actions "
            "WHERE org_id = ? AND idempotency_key = ? AND source = 'import'",
            [org_id, idempotency_key],
        )
        if not rows:
            return None
        action_id, request_digest, created_at = rows[0]
        assert isinstance(created_at, datetime)
        compared = None if request_digest is None else str(request_digest)
        return Creation(org_id, str(action_id), idempotency_key, created_at, compared)


def not_found(action_id: str) -> Refusal:
    return refuse(Code.ACTION_NOT_FOUND, f"There is no action {action_id[:128]!r} in this organization.")
