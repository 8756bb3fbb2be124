"""Triage: what guard lets pass by itself, below a risk that audits have certified."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assent_service.control.triage.request import Chosen
from assent_service.control.triage.state import TRIAGE_PLANS, TRIAGE_REQUESTS, Stratum
from assent_service.control.triage.triage import TRIAGE_FENCE, Policies, Triages, routes
from assent_service.core.foundation import Foundation

__all__ = [
    "TABLES",
    "TRIAGE_FENCE",
    "TRIAGE_PLANS",
    "TRIAGE_REQUESTS",
    "Chosen",
    "Stratum",
    "Triages",
    "open_triage",
]

TABLES = (TRIAGE_PLANS, TRIAGE_REQUESTS)


def open_triage(on: Foundation, policies: Policies, signals: Callable[[str, str | None], Sequence[str]]) -> Triages:
    triages = Triages(on.ledger, on.clock, on.locks, policies, signals)
    on.bring(routes=routes(triages), memory=triages.plans)
    on.bring(memory=triages.requests, start=triages.start, stop=triages.stop)
    return triages
