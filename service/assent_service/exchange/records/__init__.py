"""Plain records: what agents note down, kept by one slice whatever its kind."""

from __future__ import annotations

from assent_service.control.actions import Actions
from assent_service.core.foundation import Foundation
from assent_service.exchange.records.digests import Digests, digest_routes
from assent_service.exchange.records.knowledge import knowledge_routes
from assent_service.exchange.records.preferences import preference_routes
from assent_service.exchange.records.purchases import purchase_routes
from assent_service.exchange.records.records import RECORD_FENCES, RecordChange, Records, routes
from assent_service.exchange.records.rules import RECORDS, TOKEN_USAGE
from assent_service.exchange.records.workflows import workflow_routes

__all__ = [
    "RECORDS",
    "RECORD_FENCES",
    "TABLES",
    "TOKEN_USAGE",
    "Digests",
    "RecordChange",
    "Records",
    "open_records",
]

TABLES = (
    RECORDS,
    TOKEN_USAGE,
)


def open_records(on: Foundation, actions: Actions) -> Records:
    records = Records(on.ledger, on.clock, on.locks)
    on.bring(
        routes=(
            *routes(records, on.clock),
            *preference_routes(records),
            *knowledge_routes(records, on.ledger, on.clock),
            *workflow_routes(records, actions),
            *purchase_routes(records, actions, on.ledger),
            *digest_routes(records, Digests(on.ledger, on.clock), on.ledger),
        )
    )
    return records
