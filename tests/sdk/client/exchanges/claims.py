"""Claims, conditions of approvals, and what else an action says of itself, on the wire, written by hand."""

from __future__ import annotations

import hashlib
from typing import Any

from tests.sdk.client import samples
from tests.sdk.client.case import Case

PATH = f"/api/actions/{samples.ID}/claim"
OF_PARAMETERS = "sha256:" + hashlib.sha256('{"amount":12.5,"to":"Zoë","when":"2026-11-21"}'.encode()).hexdigest()
RECEIPT: dict[str, Any] = {
    "systems_touched": ["db"],
    "parameters_digest": OF_PARAMETERS,
    "act_digest": "sha256:" + 64 * "a",
    "conditions": ["Before noon"],
    "valid_until": samples.NOW,
    "claimed_at": samples.NOW,
    "claimed_by": "key_1",
    "claim_idempotency_key": "key-1",
    "refused_claims": 2,
}
CLAIMED = {
    "action": samples.action(),
    "approval": samples.approval("approved", **RECEIPT),
    "act_digest": RECEIPT["act_digest"],
}
REACH = {"destination_visibility": "public", "reversal_bound_seconds": 0}

CASES = [
    Case(
        "claim_action",
        "POST",
        PATH,
        {
            "action_type": "deploy",
            "declared_goal": "ship it",
            "systems_touched": ["db"],
            "parameters_digest": OF_PARAMETERS,
        },
        CLAIMED,
        (samples.ID, "deploy", "ship it", ("db",), {"when": "2026-11-21", "to": "Zoë", "amount": 12.50}),
        key="key-1",
    ),
    Case(
        "claim_action",
        "POST",
        PATH,
        {"action_type": "deploy", "parameters_digest": OF_PARAMETERS},
        CLAIMED,
        (samples.ID, "deploy"),
        {"parameters_digest": OF_PARAMETERS, "idempotency_key": "mine"},
        key="mine",
        same=" with a digest",
    ),
    Case(
        "approve_action",
        "POST",
        f"/api/actions/{samples.ID}/approve",
        {"decision": "allow", "conditions": ["Before noon"], "valid_minutes": 30},
        {"success": True, "action": samples.action(), "approval": CLAIMED["approval"]},
        (samples.ID, "allow"),
        {"conditions": ("Before noon",), "valid_minutes": 30},
        key="key-1",
        same=" on conditions",
    ),
]
