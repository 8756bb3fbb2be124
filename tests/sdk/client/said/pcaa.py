"""PCAA of one action, written down by hand from the contract."""

from __future__ import annotations

from typing import Any

from tests.sdk.client import samples
from tests.sdk.client.case import Case
from tests.sdk.client.said.proofs import BUNDLE, SNAPSHOT

EXTERNALITY: dict[str, Any] = {
    "destination_visibility": "partner",
    "account_provenance": "delegated",
    "data_classification": None,
    "reversal_bound_seconds": 3600,
}
REPLAY: dict[str, Any] = {
    "action": samples.action("completed", output_summary="shipped"),
    "approval": None,
    "decision": samples.decision(),
    "trace": {
        "assumptions": {"total": 0, "validated": 0, "invalidated": 0, "unvalidated": 0, "items": []},
        "loops": {"total": 0, "open": 0, "resolved": 0, "cancelled": 0, "items": []},
        "parent_chain": [],
        "sub_actions": [],
        "related_actions": [],
        "changes": [],
        "root_cause_indicators": [],
        "messages": {"total": 0, "items": []},
    },
}
CHECKPOINTS: list[dict[str, Any]] = [
    {"id": "pre_action_admissibility", "status": "complete", "value": "allow"},
    {"id": "action_open", "status": "complete", "value": "act_0192"},
    {"id": "assumption_capture", "status": "not_required", "value": None},
    {"id": "approval", "status": "not_required", "value": None},
    {"id": "outcome_closure", "status": "complete", "value": "completed"},
]
RECEIPTS: dict[str, Any] = {
    "enforceability": "enforce_before_execute",
    "expected": ["pre_action_admissibility", "action_open", "outcome_closure"],
    "observed": ["pre_action_admissibility", "outcome_closure"],
    "completeness": 2 / 3,
}
ACTION: dict[str, Any] = {
    "action_id": "act_0192",
    "replay": REPLAY,
    "proof": SNAPSHOT,
    "export": BUNDLE,
    "checkpoints": CHECKPOINTS,
    "enforceability": "enforce_before_execute",
    "receipts": RECEIPTS,
    "externality": EXTERNALITY,
}

CASES: list[Case] = [
    Case("get_pcaa_action", "GET", "/api/pcaa/actions/act_0192", answer=ACTION, args=("act_0192",)),
    Case(
        "get_pcaa_action",
        "GET",
        "/api/pcaa/actions/a%2Fb",
        answer=ACTION | {"externality": None},
        args=("a/b",),
        same=" of a strange id",
    ),
]
