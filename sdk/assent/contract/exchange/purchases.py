"""Purchases: what agents pay for while they work, governed as actions, with the providers and the receipts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from assent.contract.control.actions import Action
from assent.contract.control.guard import GuardResult
from assent.contract.endpoint import Endpoint
from assent.contract.exchange.kinds import (
    BODY_LIMIT,
    Amount,
    Kind,
    KindQuery,
    Listing,
    Prose,
    Title,
    Word,
    Words,
    creates,
    gets,
    lists,
    updates,
)
from assent.contract.problems import Code
from assent.contract.record import AgentRisk, Example, Record, Request, ShortText, meaning
from assent.contract.roles import ACTING

Address = Annotated[str, Meta(max_length=2000)]


class CreateProvider(Request, frozen=True, kw_only=True):
    """`origin` is the address that agents pay at."""

    example: ClassVar[Example] = {"name": "Acme Disks"}

    name: Title
    origin: Address | None = None
    description: Prose | None = None
    category: Word | None = None
    status: Word = "active"
    tags: Words | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class UpdateProvider(Request, frozen=True, kw_only=True):
    """What is left out stays as it is."""

    example: ClassVar[Example] = {"category": "storage"}

    name: Title | None = None
    origin: Address | None = None
    description: Prose | None = None
    category: Word | None = None
    status: Word | None = None
    tags: Words | None = None
    metadata: dict[str, Any] | None = None


class CreateProviderEndpoint(Request, frozen=True, kw_only=True):
    """`price` is for one call, in `currency`."""

    example: ClassVar[Example] = {"name": "order"}

    name: Title
    path: Address | None = None
    method: Word | None = None
    price: Amount | None = None
    currency: Word | None = None
    description: Prose | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class ProviderEndpoint(CreateProviderEndpoint, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    endpoint_id: str
    provider_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class Provider(CreateProvider, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    provider_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class ProviderAnswer(Record, frozen=True, kw_only=True):
    """`endpoints` are the newest 200."""

    provider: Provider
    provider_id: str
    endpoints: list[ProviderEndpoint]


class Providers(Listing, frozen=True, kw_only=True):
    providers: list[Provider]


class ProvidersQuery(KindQuery, frozen=True, kw_only=True):
    status: Word | None = None


class ProviderEndpointAnswer(Record, frozen=True, kw_only=True):
    endpoint: ProviderEndpoint
    endpoint_id: str


class ProviderEndpoints(Listing, frozen=True, kw_only=True):
    endpoints: list[ProviderEndpoint]


class RecordPurchase(Request, frozen=True, kw_only=True):
    """`provider` is a provider's id, name or origin; one that is not known yet is registered. `spend_amount` is in
    `currency`, `cost_estimate` in US dollars."""

    example: ClassVar[Example] = {
        "provider": "Acme Disks",
        "declared_goal": "No full disks",
        "purchase_reason": "The disk is full.",
        "context_gap": "Nobody knows how fast it fills.",
        "expected_value": "A month of quiet.",
    }

    provider: Annotated[str, Meta(min_length=1, max_length=500)]
    declared_goal: Annotated[str, Meta(min_length=1, max_length=2000)]
    purchase_reason: Prose
    context_gap: Prose
    expected_value: Prose
    spend_amount: Amount | None = None
    cost_estimate: Annotated[float, Meta(ge=0, le=10_000)] | None = None
    currency: Word | None = None
    payment_method: Word | None = None
    risk_score: AgentRisk | None = None
    session_id: ShortText | None = None
    parent_session_id: Annotated[ShortText | None, meaning("the session in which that one was begun")] = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class Purchase(RecordPurchase, Record, frozen=True, kw_only=True, omit_defaults=False):
    """`action_id` is the action that stands for it: whether it may be paid, and what came of it, is there."""

    org_id: str
    purchase_id: str
    provider_id: str
    action_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class PurchaseAnswer(Record, frozen=True, kw_only=True):
    """Pay when `action.status` is running; when it is pending_approval, wait for the approval first."""

    purchase: Purchase
    purchase_id: str
    action: Action
    action_id: str
    decision: GuardResult


class Purchases(Listing, frozen=True, kw_only=True):
    purchases: list[Purchase]


class PurchasesQuery(KindQuery, frozen=True, kw_only=True):
    provider_id: ShortText | None = None
    action_id: ShortText | None = None


class CreateArtifact(Request, frozen=True, kw_only=True):
    """Something that an action left behind, such as a receipt."""

    example: ClassVar[Example] = {"name": "receipt"}

    name: Title
    artifact_type: Word | None = None
    description: Prose | None = None
    content_json: dict[str, Any] | list[Any] | None = None
    content_url: Address | None = None
    source_action_id: ShortText | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class Artifact(CreateArtifact, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    artifact_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class ArtifactAnswer(Record, frozen=True, kw_only=True):
    artifact: Artifact
    artifact_id: str


class Artifacts(Listing, frozen=True, kw_only=True):
    artifacts: list[Artifact]


class ArtifactsQuery(KindQuery, frozen=True, kw_only=True):
    artifact_type: Word | None = None
    source_action_id: ShortText | None = None


PROVIDER = Kind(
    name="provider",
    prefix="prv_",
    path="/api/x402/providers",
    singular="provider",
    plural="providers",
    row=Provider,
    named="name",
    key=("name",),
    shared=True,
    embeds="provider_endpoint",
)
PROVIDER_ENDPOINT = Kind(
    name="provider_endpoint",
    prefix="pep_",
    path="/api/x402/providers/{provider_id}/endpoints",
    singular="endpoint",
    plural="endpoints",
    row=ProviderEndpoint,
    named="name",
    key=("name",),
    shared=True,
    within=PROVIDER,
)
PURCHASE = Kind(
    name="purchase",
    prefix="pur_",
    path="/api/x402/purchases",
    singular="purchase",
    plural="purchases",
    row=Purchase,
    named="provider",
)
ARTIFACT = Kind(
    name="artifact",
    prefix="art_",
    path="/api/artifacts",
    singular="artifact",
    plural="artifacts",
    row=Artifact,
    named="name",
)

CREATE_PROVIDER = creates(PROVIDER, "create_provider", CreateProvider, ProviderAnswer)
LIST_PROVIDERS = lists(PROVIDER, "list_providers", ProvidersQuery, Providers)
GET_PROVIDER = gets(PROVIDER, "get_provider", ProviderAnswer)
UPDATE_PROVIDER = updates(PROVIDER, "update_provider", UpdateProvider, ProviderAnswer)
CREATE_PROVIDER_ENDPOINT = creates(
    PROVIDER_ENDPOINT, "create_provider_endpoint", CreateProviderEndpoint, ProviderEndpointAnswer
)
LIST_PROVIDER_ENDPOINTS = lists(PROVIDER_ENDPOINT, "list_provider_endpoints", KindQuery, ProviderEndpoints)
RECORD_PURCHASE = Endpoint(
    operation="record_purchase",
    method="POST",
    path=PURCHASE.path,
    summary="Ask whether something may be paid for, and keep what it is for.",
    roles=ACTING,
    request=RecordPurchase,
    response=PurchaseAnswer,
    statuses=(201, 202),
    problems=(Code.AGENT_MISMATCH, Code.ACTION_BLOCKED, Code.PROJECTION_BEHIND),
    limit=BODY_LIMIT,
    open_body=True,
)
LIST_PURCHASES = lists(PURCHASE, "list_purchases", PurchasesQuery, Purchases)
CREATE_ARTIFACT = creates(ARTIFACT, "create_artifact", CreateArtifact, ArtifactAnswer)
GET_ARTIFACTS = lists(ARTIFACT, "get_artifacts", ArtifactsQuery, Artifacts)
