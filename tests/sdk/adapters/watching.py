"""What an operator sees of an agent in another process: actions as they come, and deciding on those that wait."""

from __future__ import annotations

import time
from typing import Any

from tests.sdk.adapters.environments import WAIT
from tests.stories.tenant import Tenant

DECIDED: set[str] = set()
"""The list follows a decision a moment later."""


def actions(tenant: Tenant, action_type: str | None = None) -> list[dict[str, Any]]:
    """The agent's actions, oldest first."""
    found: list[dict[str, Any]] = tenant.call("GET", "/api/actions")["actions"]
    return [each for each in reversed(found) if action_type in (None, each["action_type"])]


def decide(tenant: Tenant, verdict: str, reasoning: str = "seen", *, count: int = 1) -> list[dict[str, Any]]:
    """Wait until so many actions wait at the same time, decide on all of them, and give them as they waited."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        listed: list[dict[str, Any]] = tenant.call("GET", "/api/actions?status=pending_approval")["actions"]
        waiting = [each for each in listed if each["action_id"] not in DECIDED]
        if len(waiting) >= count:
            for each in waiting:
                body = {"decision": verdict, "reasoning": reasoning}
                tenant.call("POST", f"/api/actions/{each['action_id']}/approve", body, key="operator")
                DECIDED.add(each["action_id"])
            return waiting
        time.sleep(0.05)
    raise AssertionError(f"{count} action(s) were to wait; there are {actions(tenant)}")
