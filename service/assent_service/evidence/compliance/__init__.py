"""Compliance: which records would show what a framework's controls ask for, now and over time."""

from __future__ import annotations

from assent_service.core.foundation import Foundation
from assent_service.evidence.compliance import exports, schedules
from assent_service.evidence.compliance.exports import COMPLIANCE_EXPORTS, ComplianceReports
from assent_service.evidence.compliance.mapper import Mapper, routes
from assent_service.evidence.compliance.schedules import COMPLIANCE_SCHEDULES, Schedules
from assent_service.evidence.wallet import Wallet

__all__ = ["TABLES", "Schedules", "open_compliance"]

TABLES = (COMPLIANCE_EXPORTS, COMPLIANCE_SCHEDULES)


def open_compliance(on: Foundation, wallet: Wallet) -> Schedules:
    """`wallet` has the keys that bundles are signed with."""
    kept = ComplianceReports(on.ledger, on.clock, on.locks, Mapper(on.ledger, on.clock), wallet)
    all_schedules = Schedules(on.ledger, on.clock, on.locks, kept)
    on.bring(
        routes=[*routes(on.ledger, on.clock), *exports.routes(kept), *schedules.routes(all_schedules)],
        start=all_schedules.start,
        stop=all_schedules.stop,
    )
    return all_schedules
