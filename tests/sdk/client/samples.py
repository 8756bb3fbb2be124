"""Answers of the service, written by hand as they stand on the wire."""

from __future__ import annotations

import json
from typing import Any

import httpx

NOW = "2026-11-20T10:00:00.123456Z"
LATER = "2026-11-21T10:00:00.123456Z"
ID = "act_0192"
OPTIONAL = [
    "agent_name",
    "swarm_id",
    "parent_action_id",
    "session_id",
    "reasoning",
    "authorization_scope",
    "trigger",
    "input_summary",
    "agent_risk_score",
    "would_decide",
    "approval_id",
    "output_summary",
    "error_message",
    "timestamp_end",
    "duration_ms",
    "cost_estimate",
    "tokens_in",
    "tokens_out",
    "model",
    "approved_by",
    "approved_at",
    "idempotency_key",
]


def decision(verdict: str = "allow", **changed: Any) -> dict[str, Any]:
    return {
        "decision": verdict,
        "decision_id": "dec_1",
        "action_id": "dec_1",
        "agent_id": "agent-7",
        "action_type": "deploy",
        "reason": None,
        "reasons": [],
        "warnings": [],
        "signals": [],
        "matched_policies": [],
        "would_decide": None,
        "observed_policies": [],
        "policy_version": 3,
        "risk_score": 40.5,
        "agent_risk_score": 30,
        "risk_breakdown": {"base": 40.5},
        "predictive_risk": {
            "statistical": {
                "adjustment": 0,
                "failure_rate": 0.25,
                "total_actions": 4,
                "avg_historical_risk": None,
                "velocity": 1,
            },
            "total_adjustment": 0,
        },
        "evaluated_at": NOW,
        "a_member_of_next_year": {"ignored": True},
        **changed,
    }


def action(status: str = "running", **changed: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(OPTIONAL)
    return {
        **nothing,
        "org_id": "org_1",
        "action_id": ID,
        "agent_id": "agent-7",
        "action_type": "deploy",
        "declared_goal": "ship it",
        "systems_touched": ["db"],
        "status": status,
        "reversible": True,
        "risk_score": 40.5,
        "confidence": 50,
        "decision": "allow",
        "decision_id": "dec_1",
        "side_effects": [],
        "artifacts_created": [],
        "timestamp_start": NOW,
        "verified": False,
        "metadata": {},
        "runtime": "sdk_service",
        "source": "live",
        "created_by": "key_1",
        "created_at": NOW,
        "updated_at": NOW,
        "revision": 1,
        **changed,
    }


def approval(state: str = "awaiting", **changed: Any) -> dict[str, Any]:
    return {
        "org_id": "org_1",
        "approval_id": "apr_1",
        "action_id": ID,
        "agent_id": "agent-7",
        "action_type": "deploy",
        "declared_goal": "ship it",
        "risk_score": 85,
        "reasons": ["risk is 85"],
        "matched_policies": ["pol_1"],
        "state": state,
        "requested_at": NOW,
        "expires_at": LATER,
        "decided_at": NOW if state in ("approved", "denied") else None,
        "decided_by": None,
        "decided_by_key": None,
        "reasoning": None,
        "idempotency_key": None,
        "created_at": NOW,
        **changed,
    }


def detail(status: str, state: str | None = None, *, key: str | None = None, **of_approval: Any) -> dict[str, Any]:
    waiting = None if state is None else approval(state, **of_approval)
    of_it = {} if state is None else {"approval_id": "apr_1"}
    return {
        "action": action(status, **of_it, idempotency_key=key),
        "approval": waiting,
        "assumptions": [],
        "open_loops": [],
    }


def created(status: str = "running") -> dict[str, Any]:
    waiting = approval() if status == "pending_approval" else None
    return {
        "action_id": ID,
        "action": action(status, **({} if waiting is None else {"approval_id": "apr_1"})),
        "decision": decision(),
        "approval": waiting,
        "idempotent_replay": False,
    }


def key_of(request: httpx.Request) -> str:
    """The idempotency key of a creation."""
    return str(json.loads(request.content).get("idempotency_key") or request.headers["idempotency-key"])


def created_to(request: httpx.Request, status: str = "running", **more: Any) -> dict[str, Any]:
    """The answer to a creation, with the key that it carries."""
    key = key_of(request)
    answer = created(status)
    return {**answer, "action": {**answer["action"], "idempotency_key": key}, **more}


def created_for(asked: dict[str, Any], request: httpx.Request) -> dict[str, Any]:
    """The answer to this very creation."""
    asked = {"idempotency_key": request.headers.get("idempotency-key"), **asked}
    members = ("action_type", "agent_id", "parameters_digest", "idempotency_key", "session_id", "action_id")
    echoed = {name: asked[name] for name in members if asked.get(name)}
    answer = created()
    decided = {name: echoed[name] for name in ("action_type", "agent_id") if name in echoed}
    named = {"action_id": echoed.get("action_id", ID)}
    return {**answer, **named, "action": {**answer["action"], **echoed}, "decision": {**answer["decision"], **decided}}


def assumption(**changed: Any) -> dict[str, Any]:
    return {
        "org_id": "org_1",
        "assumption_id": "asm_1",
        "action_id": ID,
        "agent_id": None,
        "action_type": "deploy",
        "assumption": "it is night",
        "basis": None,
        "validated": False,
        "invalidated": False,
        "invalidated_reason": None,
        "validated_at": None,
        "source": "live",
        "occurred_at": NOW,
        "created_at": NOW,
        "updated_at": NOW,
        **changed,
    }


def policy() -> dict[str, Any]:
    return {
        "org_id": "org_1",
        "policy_id": "pol_1",
        "name": "ask at 80",
        "policy_type": "risk_threshold",
        "rules": {"threshold": 80, "action": "require_approval"},
        "active": True,
        "agent_ids": [],
        "mode": "enforce",
        "version": 2,
        "created_at": NOW,
        "created_by": "key_1",
        "updated_at": NOW,
        "updated_by": "key_1",
        "deleted_at": None,
    }


def key() -> dict[str, Any]:
    return {
        "org_id": "org_1",
        "key_id": "key_1",
        "name": "ci",
        "role": "agent",
        "agent_id": None,
        "hint": "9xYz",
        "created_at": NOW,
        "created_by": "key_0",
        "revoked_at": None,
        "revoked_by": None,
    }


STATS = {
    "total": 1,
    "completed": 0,
    "failed": 0,
    "running": 1,
    "high_risk": 0,
    "avg_risk": 40.5,
    "total_cost": 0,
}
ACTIONS = {"actions": [action()], "total": 1, "stats": STATS, "lastUpdated": NOW, "next_cursor": None}
DECISIONS: dict[str, Any] = {
    "decisions": [],
    "total": 0,
    "by_decision": {"block": 0},
    "stats": {"total_24h": 0, "blocks_24h": 0, "warns_24h": 0, "approvals_24h": 0},
    "limit": 10,
    "offset": 0,
    "next_cursor": None,
}
TRACE: dict[str, Any] = {
    "action": action(),
    "approval": None,
    "trace": {
        "assumptions": {"total": 0, "validated": 0, "invalidated": 0, "unvalidated": 0, "items": []},
        "loops": {"total": 0, "open": 0, "resolved": 0, "cancelled": 0, "items": []},
        "parent_chain": [],
        "sub_actions": [],
        "related_actions": [],
        "changes": [],
        "root_cause_indicators": [],
        "messages": {"total": 0, "items": []},
        "proof": None,
    },
}
ASSUMPTIONS = {
    "assumptions": [assumption()],
    "total": 1,
    "drift_summary": {"total": 1, "at_risk": 0, "validated": 0, "invalidated": 0, "unvalidated": 1},
    "lastUpdated": NOW,
    "next_cursor": None,
}
HALT = {"halted": True, "reason": "fire", "changed_at": NOW, "changed_by": "ops"}
ORGANIZATION = {"org_id": "org_2", "name": "Acme", "slug": "acme", "created_at": NOW}
DICTIONARY = {
    "tables": [
        {
            "name": "events",
            "meaning": "every recorded event",
            "key": "n",
            "time": "created_at",
            "filters": [],
            "columns": [{"name": "n", "type": "integer", "unit": None, "meaning": "its number"}],
        }
    ],
    "formats": {"csv": "text/csv"},
}
TABLE = {"a file": "whatever is in it"}
READINESS = {
    "state": "ready_unverified",
    "title": "Ready but not fully verified",
    "meaning": "Core checks pass.",
    "next_step": "Run the connection test.",
    "checked_at": NOW,
    "checks": [{"name": "log", "core": True, "status": "pass", "detail": "Writes are taken."}],
    "shares": [
        {"name": "governed", "available": True, "percent": 87.5, "count": 7, "n": 8, "meaning": "7 of 8"},
        {"name": "proof", "available": False, "percent": None, "count": 0, "n": 0, "meaning": "not yet"},
    ],
    "last_test": {"action_id": ID, "at": NOW, "passed": False},
    "profiles": [
        {
            "runtime": "coding_agent",
            "name": "Governed coding-agent runtime",
            "governance_range": "l2 -> l3",
            "surface_path": "runtime-adapter + control-plane",
            "approval": "Inline operator approvals in the coding session",
            "evidence": "Runtime-reported governed tool metadata",
        }
    ],
    "states": [{"state": "verified", "title": "Verified", "meaning": "All of it.", "next_step": "Nothing to do."}],
    "simulated": 0,
}
CONNECTION = {
    "passed": True,
    "at": NOW,
    "action": action("completed"),
    "steps": [{"name": "guard", "status": "pass", "detail": "Guard decided allow.", "milliseconds": 1.5}],
}

SPAN = {"window": "30d", "since": "2026-10-21T10:00:00.123456Z", "until": NOW}
PCAA_HEALTH = {
    **SPAN,
    "checkpointCoverage": 97.5,
    "approvalRate": 5,
    "evidenceCompletion": 0,
    "n": {"checkpointCoverage": 20, "approvalRate": 20, "evidenceCompletion": 20},
    "checkpoints": [
        {"id": "approval", "complete": 0, "pending": 0, "missing": 1, "not_required": 19, "denied": 0},
    ],
    "simulated": 0,
}
APPROVAL_INSIGHT: dict[str, Any] = {
    **SPAN,
    "asked": 1,
    "awaiting": 1,
    "approved": 0,
    "denied": 0,
    "expired": 0,
    "decided": 0,
    "approval_rate": None,
    "p50_seconds": None,
    "p95_seconds": None,
    "by_operator": [],
    "simulated": 0,
}
DECISION_MIX = {
    **SPAN,
    "n": 1,
    "allow": 1,
    "warn": 0,
    "require_approval": 0,
    "block": 0,
    "days": [{"day": "2026-11-20", "allow": 1, "warn": 0, "require_approval": 0, "block": 0}],
    "simulated": 0,
}


def problem(code: str, status: int, detail: str = "It went wrong; do this next.", **more: Any) -> dict[str, Any]:
    return {
        "type": f"urn:assent:problem:{code}",
        "title": code.replace("_", " "),
        "status": status,
        "detail": detail,
        "instance": "/api/x",
        "code": code,
        "errors": [],
        "error": detail,
        "details": [],
        **more,
    }
