"""Durable outcomes and graphs on the wire, written by hand."""

from __future__ import annotations

from typing import Any

from tests.sdk.client import samples
from tests.sdk.client.case import Case

OUTCOME: dict[str, Any] = {
    "org_id": "org_1",
    "action_id": samples.ID,
    "agent_id": "agent-7",
    "status": "partial",
    "outcome_at": samples.NOW,
    "summary": None,
    "error_message": None,
    "progress": {"done": 3},
    "elapsed_ms": 12,
    "reported_by": "key_1",
    "created_at": samples.NOW,
}
REPORTED = {"outcome": OUTCOME, "action": samples.detail("running")["action"], "action_id": samples.ID}
PATH = f"/api/actions/{samples.ID}/outcome"
GRAPH = {
    "action_id": samples.ID,
    "nodes": [{"id": samples.ID, "type": "action", "label": "ship it", "status": "running", "at": samples.NOW}],
    "edges": [{"source": "dec_1", "target": samples.ID, "type": "decided"}],
}

CASES = [
    Case(
        "report_action_outcome",
        "POST",
        PATH,
        {"status": "partial", "progress": {"done": 3}},
        REPORTED,
        (samples.ID, "partial"),
        {"progress": {"done": 3}},
        key="key-1",
    ),
    Case(
        "report_action_success",
        "POST",
        PATH,
        {"status": "completed", "summary": "done"},
        REPORTED,
        (samples.ID, "done"),
        of="report_action_outcome",
        key="key-1",
    ),
    Case(
        "report_action_failure",
        "POST",
        PATH,
        {"status": "failed", "error_message": "no disk"},
        REPORTED,
        (samples.ID, "no disk"),
        of="report_action_outcome",
        key="key-1",
    ),
    Case(
        "report_action_partial",
        "POST",
        PATH,
        {"status": "partial", "progress": {"done": 3}, "summary": "some"},
        REPORTED,
        (samples.ID, {"done": 3}, "some"),
        of="report_action_outcome",
        key="key-1",
    ),
    Case("get_action_outcome", "GET", PATH, answer=OUTCOME, args=(samples.ID,)),
    Case("get_action_graph", "GET", f"/api/actions/{samples.ID}/graph", answer=GRAPH, args=(samples.ID,)),
]
