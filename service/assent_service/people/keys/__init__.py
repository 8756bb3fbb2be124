"""API keys: who may call, made and revoked."""

from __future__ import annotations

from assent_service.core.failed_keys import FailedKeys
from assent_service.core.foundation import Foundation
from assent_service.people.keys.auth_failures import AUTH_FAILURES, AuthFailures, FailureCounts
from assent_service.people.keys.keys import KEYS, Keys, new_secret, routes

__all__ = [
    "AUTH_FAILURES",
    "KEYS",
    "TABLES",
    "AuthFailures",
    "FailureCounts",
    "Keys",
    "new_secret",
    "open_auth_failures",
    "open_keys",
]

TABLES = (
    KEYS,
    AUTH_FAILURES,
)


def open_keys(on: Foundation) -> Keys:
    keys = Keys(on.ledger, on.clock, on.locks)
    on.bring(routes=routes(keys), memory=keys.state)
    return keys


def open_auth_failures(on: Foundation, failed: FailedKeys) -> AuthFailures:
    failures = AuthFailures(on.ledger, on.clock, failed, on.first_organization)
    on.bring(start=failures.start, stop=failures.stop)
    return failures
