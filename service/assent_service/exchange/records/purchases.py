"""Recording a purchase: an action that guard decides on, and what it is for beside it.

The provider is looked up by id, name or origin and registered when nobody has named it before. The action is created
first, so a purchase that guard blocks leaves the blocked attempt as evidence and no purchase.
"""

from __future__ import annotations

from typing import Any

import msgspec

from assent.contract.control.actions import CreateAction, CreatedAction
from assent.contract.exchange.purchases import PROVIDER, PURCHASE, RECORD_PURCHASE, RecordPurchase
from assent.contract.prepared import prepared
from assent_service.control.actions import Actions
from assent_service.core.call import Answer, Call
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.exchange.records import rules
from assent_service.exchange.records.records import (
    RECORD_FENCES,
    Records,
    creation_status,
    named,
)
from assent_service.exchange.records.rules import RecordRow
from assent_service.store.conditions import once
from assent_service.store.ledger import Ledger

ACTION_TYPE = "purchase"


async def buy(
    records: Records,
    actions: Actions,
    ledger: Ledger,
    principal: Principal,
    said: RecordPurchase,
    members: dict[str, Any],
) -> tuple[RecordRow, CreatedAction]:
    """Raises what creating an action raises, `action_blocked` for one."""
    rules.members_of(PURCHASE, said, members)  # what cannot be kept is refused before anything is recorded
    agent_id = principal.speaks_for(said.agent_id)
    provider = await _provider(records, ledger, principal, said.provider)
    action = _action(said, agent_id, provider)
    body = msgspec.convert(action, prepared(CreateAction))
    created = await once("action", lambda: actions.create(principal, body, action, None))
    more = {"provider_id": provider.record_id, "action_id": created.action_id}
    kept = await records.create(principal, PURCHASE, said, members, more=more)
    return kept.stored, created


async def _provider(records: Records, ledger: Ledger, principal: Principal, name: str) -> RecordRow:
    found = await named(ledger, principal.org_id, PROVIDER, name, "name", "origin")
    if found is not None:
        return found
    return (await records.keep(principal, PROVIDER, {"name": name})).stored


def _action(said: RecordPurchase, agent_id: str | None, provider: RecordRow) -> dict[str, Any]:
    spend = {
        "provider_id": provider.record_id,
        "provider": provider.name,
        "spend_amount": said.spend_amount,
        "currency": said.currency,
        "payment_method": said.payment_method,
        "expected_value": said.expected_value,
        "context_gap": said.context_gap,
    }
    members = {
        "action_type": ACTION_TYPE,
        "declared_goal": said.declared_goal,
        "reasoning": said.purchase_reason[:4000],
        "agent_id": agent_id,
        "cost_estimate": said.cost_estimate,
        "risk_score": said.risk_score,
        "session_id": said.session_id,
        "parent_session_id": said.parent_session_id,
        "metadata": {"purchase": {name: value for name, value in spend.items() if value is not None}},
    }
    return {name: value for name, value in members.items() if value is not None}


def purchase_routes(records: Records, actions: Actions, ledger: Ledger) -> tuple[Route, ...]:
    @serves(RECORD_PURCHASE, holds=RECORD_FENCES, effects="records the action before the purchase")
    async def record_purchase(call: Call[RecordPurchase, None]) -> Answer[dict[str, Any]]:
        stored, created = await buy(records, actions, ledger, call.principal, call.body, call.sent.members)
        members: dict[str, Any] = {
            "purchase": rules.public(PURCHASE, stored),
            "purchase_id": stored.record_id,
            "action": created.action,
            "action_id": created.action_id,
            "decision": created.decision,
        }
        return Answer(members, creation_status(created.action.status))

    return (record_purchase,)
