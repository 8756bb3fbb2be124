"""PCAA of one action, written down by hand from the contract."""

from __future__ import annotations

from typing import Any

from tests.sdk.client import samples
from tests.sdk.client.case import Case
from tests.sdk.client.exchanges.proofs import BUNDLE, SNAPSHOT

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
        "proof": {"size": 812, "signed_at": "2026-11-20T14:02:07Z"},
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

ESTIMATE: dict[str, Any] = {"value": 97.5, "low": 90.25, "high": 99.5}
GROUP: dict[str, Any] = {
    "name": "bot",
    "n": 20,
    "incomplete": 1,
    "coverage": ESTIMATE,
    "approval": {"value": None, "low": 0, "high": 100},
    "evidence": ESTIMATE,
    "simulated": 0,
}
GAPS: dict[str, Any] = {
    "window": "7d",
    "since": "2026-11-13T10:00:00.123456Z",
    "until": samples.NOW,
    "all": GROUP | {"name": None},
    "checkpoints": [
        {"id": "approval", "complete": 0, "pending": 0, "missing": 1, "not_required": 19, "denied": 0},
    ],
    "by_agent": [GROUP],
    "by_type": [],
    "by_runtime": [],
    "gaps": [
        {
            "id": "outcome_closure",
            "agent_id": "bot",
            "action_type": "pay",
            "expected": 4,
            "missing": 1,
            "newest_action_id": "act_0192",
        }
    ],
    "not_shown": {"by_agent": 0, "by_type": 0, "by_runtime": 0, "gaps": 0},
}

CASES: list[Case] = [
    Case(
        "get_pcaa_health",
        "GET",
        "/api/pcaa/health?window=7d&action_type=pay",
        answer=samples.PCAA_HEALTH,
        args=("7d",),
        kwargs={"action_type": "pay"},
        same=" of one type",
    ),
    Case("get_pcaa_gaps", "GET", "/api/pcaa/gaps?window=30d", answer=GAPS),
    Case(
        "get_pcaa_gaps",
        "GET",
        "/api/pcaa/gaps?window=7d&agent_id=a%26b&action_type=pay",
        answer=GAPS,
        args=("7d", "a&b"),
        kwargs={"action_type": "pay"},
        same=" of one agent and type",
    ),
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
