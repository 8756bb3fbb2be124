"""Compliance: which records would show what a framework's controls ask for."""

from __future__ import annotations

from assent_service.core.foundation import Foundation
from assent_service.evidence.compliance.mapper import routes

__all__ = [
    "open_compliance",
]


def open_compliance(on: Foundation) -> None:
    on.bring(routes=routes(on.ledger, on.clock))
