"""Finding actions, and lists of actions and of approvals.

One action is looked for in memory when it is new and in the tables otherwise; who may not see it is told that there is
none. Lists come from the tables, newest first, with counts over all that fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from assent.contract.control.actions import Action, Actions, ActionsQuery, ActionStats
from assent.contract.control.approvals import Approval
from assent.contract.control.guard import RecordedDecision, Source
from assent.contract.control.inbox import ActionApproval, Approvals, ApprovalsQuery
from assent.contract.names import comparable
from assent_service.base.clock import DAY, microseconds, moment, naive
from assent_service.control.actions.checks import not_found
from assent_service.control.actions.signature_memory import SIGNED
from assent_service.control.actions.state import NEWEST, ActionState, Creation
from assent_service.control.approvals import APPROVALS
from assent_service.control.erasure import ErasureRow, ErasureState, gone
from assent_service.control.guard import GUARD_DECISIONS, GuardQuestion
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, Filters, PageSearch, find_row, list_rows, of_caller, record, select
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_key
from assent_service.store.tables import (
    Table,
    text,
)

ACTIONS = Table.of(
    Action,
    name="actions",
    meaning="what agents did, one row for each action as it is now; blocked attempts included",
    key="action_id",
    created=("action.created",),
    replaced=("action.updated",),
    also=(
        text("request_digest", "SHA-256 of the creation's canonical form, to tell a repeat from a reuse", frozen=True),
        text("signature_digest", "SHA-256 of the creation's signature, to tell a repeat of it", frozen=True),
    ),
    after={
        "verification": "verified",
        "request_digest": "idempotency_key",
        "signature_digest": "request_digest",
        "outcome_marks": "parameters_digest",
    },
)


class Lookup:
    """Reads single actions."""

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

    async def erasure(self, org_id: str, action_id: str) -> ErasureRow | None:
        """What is left of an action whose content was erased."""
        return await self._erasures.find(self._ledger, org_id, action_id)

    def may_be_erased(self, asked: GuardQuestion, idempotency_key: str) -> bool:
        """Whether `check_key` has to be asked of a live creation."""
        return self._erasures.of_key(asked.principal.org_id, asked.agent_id, idempotency_key) is not None

    async def check_key(self, asked: GuardQuestion, idempotency_key: str, since: int) -> None:
        """Raises `action_erased` when this key made an action that was erased: for history whenever that was, otherwise
        when it was recorded after `since` (microseconds)."""
        org_id = asked.principal.org_id
        if asked.source is not Source.LIVE:
            found = await self._erasures.of_key_ever(self._ledger, org_id, asked.agent_id, idempotency_key)
        else:
            found = self._erasures.of_key(org_id, asked.agent_id, idempotency_key)
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

    async def imported(self, org_id: str, agent_id: str | None, idempotency_key: str) -> Creation | None:
        """The creation of a piece of history, whose key counts for as long as the action exists."""
        # The newest creations were looked for in memory, so the tables may lag behind by as many.
        rows = await self._ledger.read(
            "SELECT action_id, request_digest, created_at FROM actions "
            f"WHERE org_id = ? AND {name_key('agent_id')} IS NOT DISTINCT FROM ? AND idempotency_key = ? "
            "AND source = 'import'",
            [org_id, None if agent_id is None else comparable(agent_id), idempotency_key],
            remembered=NEWEST,
        )
        if not rows:
            return None
        action_id, request_digest, created_at = rows[0]
        assert isinstance(created_at, datetime)
        compared = None if request_digest is None else str(request_digest)
        return Creation(org_id, str(action_id), agent_id, idempotency_key, created_at, compared)

    async def signed(self, org_id: str, signature_digest: str, since: int, remembered: int) -> bool:
        """Whether a creation after `since` (microseconds) came with it; `remembered` as in `Ledger.read`."""
        rows = await self._ledger.read(
            f"SELECT 1 FROM {SIGNED} WHERE created_at > ? AND org_id = ? AND signature_digest = ? LIMIT 1",
            [naive(since), org_id, signature_digest],
            remembered=remembered,
        )
        return bool(rows)


# Lists of actions, newest first.


HIGH_RISK = 70
FILTERS = Filters(ACTIONS, ActionsQuery, {"exclude_status": "status <> ?", "risk_min": "risk_score >= ?", "days": None})


async def list_actions(ledger: Ledger, principal: Principal, query: ActionsQuery, now: int) -> Actions:
    """A page of the actions that the caller may see, with counts over all that fit."""
    chosen = _filter(principal, query, now)
    search = PageSearch(ACTIONS, chosen, query)
    stats, made = await _stats(ledger, chosen, search)
    page = await search.read(ledger, Action, made)
    return Actions(
        actions=page.rows,
        total=stats.total,
        stats=stats,
        lastUpdated=moment(now),
        next_cursor=page.next_cursor,
    )


async def _stats(ledger: Ledger, chosen: Filter, search: PageSearch) -> tuple[ActionStats, object]:
    """Numbers over all that fit, and what the search of the page wants to know of them."""
    (row,) = await ledger.read(
        "SELECT count(*), count(*) FILTER (WHERE status = 'completed'), count(*) FILTER (WHERE status = 'failed'), "
        "count(*) FILTER (WHERE status = 'running'), count(*) FILTER (WHERE risk_score >= ?), "
        "coalesce(avg(risk_score), 0), coalesce(sum(cost_estimate), 0), "
        f"{search.times} FROM actions WHERE {chosen.where}",
        [HIGH_RISK, *search.parameters, *chosen.parameters],
    )
    total, completed, failed, running, high_risk = (int(str(count)) for count in row[:5])
    stats = ActionStats(
        total=total,
        completed=completed,
        failed=failed,
        running=running,
        high_risk=high_risk,
        avg_risk=float(str(row[5])),
        total_cost=float(str(row[6])),
    )
    return stats, row[7]


def _filter(principal: Principal, query: ActionsQuery, now: int) -> Filter:
    chosen = of_caller(principal)
    FILTERS.narrow(chosen, query)
    if query.days is not None:
        chosen.add("timestamp_start >= ?", naive(now - query.days * DAY))
    return chosen


# Approvals with their actions, newest first.


APPROVAL_FILTERS = Filters(APPROVALS, ApprovalsQuery, {"exclude_state": "state <> ?", "days": None})


async def list_approvals(ledger: Ledger, principal: Principal, query: ApprovalsQuery, now: int) -> Approvals:
    """A page of the approvals that the caller may see. One whose action was erased in between is left out."""
    chosen = _approval_filter(principal, query, now)
    page = await list_rows(ledger, APPROVALS, Approval, chosen, query)
    actions = await _actions(ledger, principal.org_id, [approval.action_id for approval in page.rows])
    digests = await _digests(ledger, principal.org_id, [action.decision_id for action in actions.values()])
    return Approvals(
        approvals=[
            ActionApproval(action=action, approval=approval, context_digest=digests.get(action.decision_id))
            for approval in page.rows
            if (action := actions.get(approval.action_id)) is not None
        ],
        total=page.total,
        lastUpdated=moment(now),
        next_cursor=page.next_cursor,
    )


async def _actions(ledger: Ledger, org_id: str, action_ids: Sequence[str]) -> dict[str, Action]:
    chosen = _among(org_id, "action_id", action_ids)
    rows = await ledger.read(f"SELECT {select(ACTIONS)} FROM actions WHERE {chosen.where}", chosen.parameters)
    found = [record(ACTIONS, row, Action) for row in rows]
    return {action.action_id: action for action in found}


async def _digests(ledger: Ledger, org_id: str, decision_ids: Sequence[str]) -> dict[str, str]:
    chosen = _among(org_id, "decision_id", decision_ids)
    rows = await ledger.read(
        f"SELECT decision_id, context_digest FROM guard_decisions WHERE {chosen.where}", chosen.parameters
    )
    return {str(decision_id): str(digest) for decision_id, digest in rows if digest is not None}


def _among(org_id: str, name: str, ids: Sequence[str]) -> Filter:
    chosen = Filter(org_id)
    chosen.add_all(f"{name} IN ({', '.join('?' * len(ids))})" if ids else "false", ids)
    return chosen


def _approval_filter(principal: Principal, query: ApprovalsQuery, now: int) -> Filter:
    chosen = of_caller(principal)
    APPROVAL_FILTERS.narrow(chosen, query)
    if query.days is not None:
        chosen.add("requested_at >= ?", naive(now - query.days * DAY))
    return chosen
