"""Policies: what guard is told to look at."""

from __future__ import annotations

from collections.abc import Callable

from assent.contract.people.rota import Duty
from assent_service.control.guard import Guard
from assent_service.control.policies.policies import Policies, Trial, known_types_of, knows_types, outdated, routes
from assent_service.control.policies.state import POLICIES
from assent_service.core.foundation import Foundation

__all__ = [
    "POLICIES",
    "TABLES",
    "Policies",
    "Trial",
    "known_types_of",
    "knows_types",
    "open_policies",
    "outdated",
    "serve_policies",
]

TABLES = (POLICIES,)


def open_policies(on: Foundation) -> Policies:
    """Their routes need guard, which tries policies out: `serve_policies` brings them."""
    policies = Policies(on.ledger, on.clock, on.locks)
    on.bring(memory=policies.state)
    return policies


def serve_policies(on: Foundation, policies: Policies, guard: Guard, duty: Callable[[str], Duty]) -> None:
    on.bring(routes=routes(policies, Trial(policies, guard, on.clock), duty))
