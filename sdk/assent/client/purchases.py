"""Providers, purchases and artifacts."""

from __future__ import annotations

from typing import Any

from assent.client.flow import Flow, send
from assent.client.method import Response, sends
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.control.actions import UPDATE_OUTCOME, Action, UpdatedAction
from assent.contract.control.guard import GuardResult
from assent.contract.exchange.purchases import (
    CREATE_ARTIFACT,
    CREATE_PROVIDER,
    CREATE_PROVIDER_ENDPOINT,
    GET_ARTIFACTS,
    GET_PROVIDER,
    LIST_PROVIDER_ENDPOINTS,
    LIST_PROVIDERS,
    LIST_PURCHASES,
    RECORD_PURCHASE,
    UPDATE_PROVIDER,
    CreateArtifact,
    Purchase,
    RecordPurchase,
)
from assent.contract.record import Record


class SettledPurchase(Record, frozen=True, kw_only=True):
    """`action` is as it was created, `outcome` as it has ended."""

    action: Action
    purchase: Purchase
    decision: GuardResult
    outcome: Action


class PurchaseOperations(Caller):
    @sends(CREATE_PROVIDER, own=("agent_id",))
    def create_provider(self, /, name: str, **fields: Any) -> Response:
        """Register somebody whom agents pay: `origin`, `category`, `description`."""

    @sends(LIST_PROVIDERS, without=("agent_id", "limit", "offset", "cursor"))
    def list_providers(self, status: str | None = None) -> Response:
        """A page, newest first; of one status, where it is given."""

    @sends(GET_PROVIDER)
    def get_provider(self, provider_id: str) -> Response:
        """One provider, with its endpoints. Raises NotFound."""

    @sends(UPDATE_PROVIDER)
    def update_provider(self, /, provider_id: str, **fields: Any) -> Response:
        """Replace members. Raises NotFound."""

    @sends(LIST_PROVIDER_ENDPOINTS)
    def list_provider_endpoints(self, /, provider_id: str, **filters: Any) -> Response:
        """What a provider sells, newest first. Raises NotFound."""

    @sends(CREATE_PROVIDER_ENDPOINT, own=("agent_id",))
    def create_provider_endpoint(self, /, provider_id: str, name: str, **fields: Any) -> Response:
        """Add what a provider sells: `path`, `method`, `price`, `currency`. Raises NotFound."""

    @sends(LIST_PURCHASES, without=("agent_id", "limit", "offset", "cursor", "action_id"))
    def list_purchases(self, provider_id: str | None = None) -> Response:
        """A page, newest first; of one provider, where it is given."""

    @sends(CREATE_ARTIFACT, own=("agent_id",))
    def create_artifact(self, /, name: str, **fields: Any) -> Response:
        """Keep something that an action left behind: `content_json`, `content_url`, `source_action_id`."""

    @sends(GET_ARTIFACTS)
    def get_artifacts(self, /, **filters: Any) -> Response:
        """A page, newest first; filters are `artifact_type`, `source_action_id`, `agent_id`, `limit`, `cursor`."""

    @sends(RECORD_PURCHASE, own=("agent_id",))
    def record_purchase(
        self,
        /,
        agent_id: str | None,
        provider: str,
        declared_goal: str,
        purchase_reason: str,
        context_gap: str,
        expected_value: str,
        **fields: Any,
    ) -> Response:
        """Ask whether something may be paid for: pay when `action.status` is running. `spend_amount` with `currency`,
        `cost_estimate` in US dollars. Raises GuardBlocked."""

    @operation
    def record_x402_purchase(
        self,
        agent_id: str | None,
        provider: str,
        spend: float,
        declared_goal: str | None = None,
        purchase_reason: str | None = None,
        context_gap: str | None = None,
        expected_value: str | None = None,
        transaction_hash: str | None = None,
        request_id: str | None = None,
        currency: str = "USDC",
        payment_method: str = "x402",
    ) -> Flow[SettledPurchase]:
        """Record a payment that was made already: the purchase, its outcome, and the receipt when one is named.

        Raises GuardBlocked, and Conflict when the payment should have waited for an approval."""
        purchase = {
            "agent_id": agent_id or self.agent_id,
            "provider": provider,
            "declared_goal": declared_goal or f"Pay {provider} for a call",
            "purchase_reason": purchase_reason or f"A paid call of {provider}",
            "context_gap": context_gap or f"What {provider} gives only for payment",
            "expected_value": expected_value or f"The result of {provider}",
            "spend_amount": spend,
            "cost_estimate": spend,
            "currency": currency,
            "payment_method": payment_method,
        }
        body = members(RecordPurchase, purchase, "record_x402_purchase")
        bought = yield from send(RECORD_PURCHASE, body=body)
        summary = f"Paid {spend} {currency} to {provider}"
        outcome = {"status": "completed", "output_summary": summary}
        ended: UpdatedAction = yield from send(UPDATE_OUTCOME, path={"action_id": bought.action_id}, body=outcome)
        if transaction_hash or request_id:
            receipt = {"origin": provider, "transaction_hash": transaction_hash, "request_id": request_id}
            artifact = {
                "name": f"Receipt of {bought.purchase_id}",
                "artifact_type": "x402_purchase_result",
                "description": summary,
                "content_json": receipt,
                "source_action_id": bought.action_id,
                "agent_id": agent_id or self.agent_id,
            }
            yield from send(CREATE_ARTIFACT, body=members(CreateArtifact, artifact, "record_x402_purchase"))
        return SettledPurchase(
            action=bought.action, purchase=bought.purchase, decision=bought.decision, outcome=ended.action
        )
