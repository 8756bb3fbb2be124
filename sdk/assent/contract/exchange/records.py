"""Every kind of plain record, and every endpoint for them."""

from __future__ import annotations

from typing import Any

from assent.contract.endpoint import AnyEndpoint, Endpoint
from assent.contract.exchange import (
    capabilities,
    digest,
    goals,
    journal,
    knowledge,
    preferences,
    purchases,
    sessions,
    snippets,
    strategies,
    tokens,
    workflows,
)
from assent.contract.exchange.kinds import Kind, OfKind, Verb
from assent.contract.record import Request

MODULES = (
    goals,
    journal,
    snippets,
    preferences,
    tokens,
    sessions,
    workflows,
    strategies,
    knowledge,
    capabilities,
    purchases,
    digest,
)

RECORD_ENDPOINTS: tuple[AnyEndpoint[Any], ...] = tuple(
    value for noun in MODULES for value in vars(noun).values() if isinstance(value, Endpoint)
)
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        *(value for noun in MODULES for value in vars(noun).values() if isinstance(value, Kind)),
        *(kind for kind, _ in preferences.PREFERENCES.values()),
    )
}
"""By name."""
REQUESTS: dict[str, type[Request]] = {
    **{
        each.kind.name: each.request
        for each in RECORD_ENDPOINTS
        if isinstance(each, OfKind) and each.verb is Verb.CREATE and each.request is not None
    },
    **{kind.name: request for kind, request in preferences.PREFERENCES.values()},
    purchases.PURCHASE.name: purchases.RecordPurchase,
}
"""What may be said of each kind, by the kind's name."""
