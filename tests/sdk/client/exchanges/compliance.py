"""Compliance, activity and organizations on the wire, written by hand."""

from __future__ import annotations

from typing import Any

from tests.sdk.client import samples
from tests.sdk.client.case import Case

SUMMARY = {"total_controls": 1, "covered": 0, "partial": 1, "gaps": 0, "coverage_percentage": 50}
CONTROL: dict[str, Any] = {
    "control_id": "CC6.1",
    "title": "Logical access",
    "category": "Access",
    "description": "Access is restricted.",
    "agent_relevance": "Keys.",
    "status": "partial",
    "evidence": [
        {
            "evidence": "keys",
            "shows": "access is by keys",
            "status": "present",
            "n": 1,
            "record_type": "api_keys",
            "record_ids": ["key_1"],
        }
    ],
    "matched_policies": [],
    "gap_recommendations": ["Bind keys."],
}
MAP = {
    "framework": "soc2",
    "title": "SOC 2",
    "framework_version": "2017",
    "source": "AICPA",
    "project": "Default",
    "window": "7d",
    "since": samples.NOW,
    "until": samples.NOW,
    "generated_at": samples.NOW,
    "summary": SUMMARY,
    "controls": [CONTROL],
    "caveat": "People say what is enough.",
}
EVIDENCE = {
    "window": "30d",
    "window_days": 30,
    "since": samples.NOW,
    "until": samples.NOW,
    "evidence": {
        "guard_decisions_total": 2,
        "guard_decisions_blocked": 1,
        "approval_requests": 0,
        "approvals_decided": 0,
        "action_records_total": 1,
        "actions_verified": 0,
        "assumptions_total": 0,
        "simulated": 0,
        "breakdown": [{"action_type": "look", "decision": "block", "count": 1}],
        "action_breakdown": [{"status": "running", "count": 1}],
    },
    "generated_at": samples.NOW,
}
ORGANIZATION = {"org_id": "org_1", "name": "Acme", "slug": "acme", "created_at": samples.NOW, "updated_at": None}
ACTIVITY = {
    "logs": [
        {
            "id": 4,
            "org_id": "org_1",
            "action": "policy.updated",
            "actor_id": "key_1",
            "actor_name": "First admin key",
            "resource_type": "policy",
            "resource_id": "pol_1",
            "action_id": None,
            "leaf_hash": "00",
            "created_at": samples.NOW,
        }
    ],
    "stats": {"total": 1, "today": 1, "unique_actors": 1},
    "pagination": {"limit": 5, "offset": 0},
}
MAPPED = "/api/compliance"

CASES = [
    Case("list_frameworks", "GET", f"{MAPPED}/frameworks", answer={"frameworks": []}),
    Case("map_compliance", "GET", f"{MAPPED}/map?framework=soc2&window=7d", answer=MAP, args=("soc2", "7d")),
    Case(
        "analyze_gaps",
        "GET",
        f"{MAPPED}/gaps?framework=soc2&window=30d",
        answer={
            "framework": "soc2",
            "framework_version": "2017",
            "generated_at": samples.NOW,
            "total_gaps": 1,
            "gaps": [CONTROL],
            "recommendations": ["Bind keys."],
        },
        args=("soc2",),
    ),
    Case(
        "get_compliance_report",
        "GET",
        f"{MAPPED}/report?framework=eu-ai-act&format=md&window=30d",
        answer={
            "framework": "eu-ai-act",
            "report": "# Map",
            "format": "md",
            "summary": SUMMARY,
            "generated_at": samples.NOW,
        },
        args=("eu-ai-act", "md"),
    ),
    Case("get_compliance_evidence", "GET", f"{MAPPED}/evidence?window=30d", answer=EVIDENCE),
    Case(
        "get_proof_report",
        "GET",
        "/api/policies/proof?format=md&window=30d",
        answer={"report": "# Policies", "format": "md", "generated_at": samples.NOW},
        args=("md",),
    ),
    Case(
        "get_activity_logs",
        "GET",
        "/api/activity?action=policy.updated&limit=5",
        answer=ACTIVITY,
        kwargs={"action": "policy.updated", "limit": 5, "actor_id": None},
    ),
    Case("get_org_by_id", "GET", "/api/orgs/org_1", answer={"organization": ORGANIZATION}, args=("org_1",)),
    Case(
        "update_org",
        "PATCH",
        "/api/orgs/org_1",
        {"name": "Acme & Co"},
        {"organization": ORGANIZATION},
        ("org_1",),
        {"name": "Acme & Co"},
    ),
    Case("get_org_keys", "GET", "/api/orgs/org_1/keys", answer={"keys": []}, args=("org_1",)),
]
