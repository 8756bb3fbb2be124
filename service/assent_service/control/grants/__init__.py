"""Standing grants: approvals given in advance."""

from __future__ import annotations

from assent_service.control.grants.coverage import Conditions, Pattern, asks_anyway, facts_of
from assent_service.control.grants.grants import GRANT_FENCE, GRANTS, Actions, Grants, Policies, routes
from assent_service.control.grants.pattern import arguments_of
from assent_service.core.foundation import Foundation

__all__ = [
    "GRANTS",
    "GRANT_FENCE",
    "TABLES",
    "Conditions",
    "Grants",
    "Pattern",
    "arguments_of",
    "asks_anyway",
    "facts_of",
    "open_grants",
    "serve_grants",
]

TABLES = (GRANTS,)


def open_grants(on: Foundation, policies: Policies) -> Grants:
    """Their routes need actions, which need them: `serve_grants` brings them."""
    grants = Grants(on.ledger, on.clock, on.locks, policies, refuses_own=on.settings.self_decisions == "refuse")
    on.bring(memory=grants.memory)
    return grants


def serve_grants(on: Foundation, grants: Grants, actions: Actions) -> None:
    on.bring(routes=routes(grants, actions))
