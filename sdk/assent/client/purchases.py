"""Providers, purchases and artifacts."""

from __future__ import annotations

from typing import Any

from assent.client.flow import Flow, send
from assent.client.kept import changing, keeping, listing
from assent.client.operation import Caller, operation
from assent.contract.actions import UPDATE_OUTCOME, Action, UpdatedAction
from assent.contract.guard import GuardResult
from assent.contract.purchases import (
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
    ArtifactAnswer,
    Artifacts,
    ProviderAnswer,
    ProviderEndpointAnswer,
    ProviderEndpoints,
    Providers,
    Purchase,
    PurchaseAnswer,
    Purchases,
)
from assent.contract.record import Record


class SettledPurchase(Record, frozen=True, kw_only=True):
    """`action` is as it was created, `outcome` as it has ended."""

    action: Action
    purchase: Purchase
    decision: GuardResult
    outcome: Action


class PurchaseOperations(Caller):
    @operation
    def create_provider(self, /, name: str, **fields: Any) -> Flow[ProviderAnswer]:
        """Register somebody whom agents pay: `origin`, `category`, `description`."""
        return (yield from keeping(self, CREATE_PROVIDER, fields, {"name": name}))

    @operation
    def list_providers(self, status: str | None = None) -> Flow[Providers]:
        """A page, newest first; of one status, where it is given."""
        return (yield from listing(LIST_PROVIDERS, {"status": status}))

    @operation
    def get_provider(self, provider_id: str) -> Flow[ProviderAnswer]:
        """One provider, with its endpoints. Raises NotFound."""
        return (yield from send(GET_PROVIDER, path={"provider_id": provider_id}))

    @operation
    def update_provider(self, /, provider_id: str, **fields: Any) -> Flow[ProviderAnswer]:
        """Replace members. Raises NotFound."""
        return (yield from changing(UPDATE_PROVIDER, {"provider_id": provider_id}, fields))

    @operation
    def list_provider_endpoints(self, /, provider_id: str, **filters: Any) -> Flow[ProviderEndpoints]:
        """What a provider sells, newest first. Raises NotFound."""
        return (yield from listing(LIST_PROVIDER_ENDPOINTS, filters, {"provider_id": provider_id}))

    @operation
    def create_provider_endpoint(self, /, provider_id: str, name: str, **fields: Any) -> Flow[ProviderEndpointAnswer]:
        """Add what a provider sells: `path`, `method`, `price`, `currency`. Raises NotFound."""
        return (
            yield from keeping(self, CREATE_PROVIDER_ENDPOINT, fields, {"name": name}, {"provider_id": provider_id})
        )

    @operation
    def list_purchases(self, provider_id: str | None = None) -> Flow[Purchases]:
        """A page, newest first; of one provider, where it is given."""
        return (yield from listing(LIST_PURCHASES, {"provider_id": provider_id}))

    @operation
    def create_artifact(self, /, name: str, **fields: Any) -> Flow[ArtifactAnswer]:
        """Keep something that an action left behind: `content_json`, `content_url`, `source_action_id`."""
        return (yield from keeping(self, CREATE_ARTIFACT, fields, {"name": name}))

    @operation
    def get_artifacts(self, /, **filters: Any) -> Flow[Artifacts]:
        """A page, newest first; filters are `artifact_type`, `source_action_id`, `agent_id`, `limit`, `cursor`."""
        return (yield from listing(GET_ARTIFACTS, filters))

    @operation
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
    ) -> Flow[PurchaseAnswer]:
        """Ask whether something may be paid for: pay when `action.status` is running. `spend_amount` with `currency`,
        `cost_estimate` in US dollars. Raises GuardBlocked."""
        said = {
            "agent_id": agent_id,
            "provider": provider,
            "declared_goal": declared_goal,
            "purchase_reason": purchase_reason,
            "context_gap": context_gap,
            "expected_value": expected_value,
        }
        return (yield from keeping(self, RECORD_PURCHASE, fields, said))

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
        said = {
            "agent_id": agent_id,
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
        bought = yield from keeping(self, RECORD_PURCHASE, {}, said)
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
                "agent_id": agent_id,
            }
            yield from keeping(self, CREATE_ARTIFACT, {}, artifact)
        return SettledPurchase(
            action=bought.action, purchase=bought.purchase, decision=bought.decision, outcome=ended.action
        )
