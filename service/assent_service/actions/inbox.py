"""Approvals with their actions, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from assent.contract.actions import Action
from assent.contract.approvals import Approval
from assent.contract.inbox import ActionApproval, Approvals, ApprovalsQuery
from assent_service.actions.tables import ACTIONS
from assent_service.approvals import APPROVALS
from assent_service.core.clock import DAY, moment, naive
from assent_service.core.page import read_page
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, of_caller, record, select
from assent_service.store.ledger import Ledger


async def list_approvals(ledger: Ledger, principal: Principal, query: ApprovalsQuery, now: int) -> Approvals:
    """A page of the approvals that the caller may see. One whose action was erased in between is left out."""
    chosen = _filter(principal, query, now)
    ((total,),) = await ledger.read(f"SELECT count(*) FROM approvals WHERE {chosen.where}", chosen.parameters)
    page = await read_page(
        ledger, APPROVALS, Approval, chosen, cursor=query.cursor, limit=query.limit, offset=query.offset
    )
    actions = await _actions(ledger, principal.org_id, [approval.action_id for approval in page.rows])
    digests = await _digests(ledger, principal.org_id, [action.decision_id for action in actions.values()])
    return Approvals(
        approvals=[
            ActionApproval(action=action, approval=approval, context_digest=digests.get(action.decision_id))
            for approval in page.rows
            if (action := actions.get(approval.action_id)) is not None
        ],
        total=int(str(total)),
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


def _filter(principal: Principal, query: ApprovalsQuery, now: int) -> Filter:
    chosen = of_caller(principal)
    chosen.add("state = ?", query.state.value if query.state else None)
    chosen.add("state <> ?", query.exclude_state.value if query.exclude_state else None)
    chosen.add("agent_id = ?", query.agent_id)
    chosen.add("action_type = ?", query.action_type)
    if query.days is not None:
        chosen.add("requested_at >= ?", naive(now - query.days * DAY))
    return chosen
