"""Recorded events for bundles that are made for tests: headers and bodies as the service writes them.

The payloads are written out here, and by nobody's code: what was recorded once must verify for good, whatever later
versions record.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from assent.proof.act import act_digest
from assent.proof.canonical import digest
from assent.proof.policies import policy_digest

ORG = "org_acme"
START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)

POLICIES: list[dict[str, Any]] = [
    {
        "policy_id": "pol_threshold",
        "name": "High risk",
        "policy_type": "risk_threshold",
        "rules": {"threshold": 80, "action": "warn"},
        "agent_ids": [],
        "mode": "enforce",
    },
    {
        "policy_id": "pol_refund",
        "name": "Refunds über 100 €",
        "policy_type": "condition",
        "rules": {
            "when": {
                "all": [
                    {"field": "action_type", "op": "eq", "value": "refund"},
                    {
                        "any": [
                            {"field": "metadata.amount", "op": "gte", "value": 100.5},
                            {"not": {"field": "note", "op": "exists", "value": False}},
                        ]
                    },
                ]
            },
            "action": "require_approval",
        },
        "agent_ids": [],
        "mode": "enforce",
    },
    {
        "policy_id": "pol_rate",
        "name": "Not too fast",
        "policy_type": "rate_limit",
        "rules": {"max_actions": 5, "window_minutes": 60, "action": "warn"},
        "agent_ids": ["agent-7", "agent-8"],
        "mode": "enforce",
    },
    {
        "policy_id": "pol_try",
        "name": "Tried out",
        "policy_type": "block_action_type",
        "rules": {"action_types": ["refund", "wire"]},
        "agent_ids": [],
        "mode": "observe",
    },
    {
        "policy_id": "pol_wire",
        "name": "No wires",
        "policy_type": "block_action_type",
        "rules": {"action_types": ["wire"]},
        "agent_ids": [],
        "mode": "enforce",
    },
]  # fmt: skip


@dataclass(frozen=True)
class Written:
    """An event as texts."""

    header: str
    body: str | None

    @property
    def n(self) -> int:
        return int(json.loads(self.header)["n"])

    @property
    def leaf(self) -> bytes:
        return sha256(b"\0" + self.header.encode()).digest()


def at(minutes: float) -> str:
    """A recorded time, so many minutes after the start."""
    text = (START + timedelta(minutes=minutes)).isoformat()
    return text.replace("+00:00", "Z")


def write(
    n: int,
    type: str,
    subject: str,
    data: dict[str, Any],
    *,
    action: str | None,
    minutes: float,
    org: str = ORG,
    actor: str = "key_agent",
) -> Written:
    """The event as the log has it; the salt is made from its number."""
    salt = sha256(f"salt {org} {n}".encode()).digest()[:16]
    payload = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    header: dict[str, Any] = {} if action is None else {"action": action}
    header |= {
        "actor": actor,
        "body_digest": "sha256:" + sha256(salt + payload.encode()).hexdigest(),
        "n": n,
        "org": org,
        "subject": subject,
        "ts": _micros(minutes),
        "type": type,
        "v": 1,
    }
    return Written(json.dumps(header, separators=(",", ":")), f'{{"salt":"{salt.hex()}","data":{payload}}}')


def _micros(minutes: float) -> int:
    return (START + timedelta(minutes=minutes) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


CONTEXT: dict[str, Any] = {
    "action_type": "refund",
    "declared_goal": "Refund order 4711 — customer 𝔸",
    "agent_id": "agent-7",
    "systems_touched": ["stripe", "production"],
    "reversible": False,
    "risk_score": 12.5,
    "metadata": {"amount": 1e2 + 0.5, "tiny": 1e-7, "huge": 1e21, "note": "naïve 🦉"},
    "session_id": "ses_1",
}
WHY = 'Refunds über 100 €: action_type eq "refund" and (metadata.amount gte 100.5 or not (note exists false))'
PARAMETERS = digest({"order": 4711, "amount": 100.5})


def decision(**changed: Any) -> dict[str, Any]:
    """Guard's decision on the refund: it needs approval, and would be blocked."""
    digested = {name: value for name, value in CONTEXT.items() if name not in ("agent_id", "session_id")}
    return {
        "org_id": ORG,
        "decision_id": "dec_1",
        "agent_id": "agent-7",
        "action_type": "refund",
        "declared_goal": CONTEXT["declared_goal"],
        "decision": "require_approval",
        "would_decide": "block",
        "reason": WHY,
        "reasons": [WHY],
        "warnings": ["Not too fast: 5 or more actions in 60 minutes", "signal: spends more than usual"],
        "matched_policies": ["pol_refund", "pol_rate"],
        "observed_policies": ["pol_try"],
        "policy_version": 7,
        "risk_score": 55,
        "agent_risk_score": 12.5,
        "risk_breakdown": {"base": 20, "irreversible": 15, "production_system": 10, "history": 10},
        "predictive_risk": {
            "statistical": {
                "adjustment": 10,
                "failure_rate": 0.3333333333333333,
                "total_actions": 9,
                "avg_historical_risk": 41.2,
                "velocity": 6,
            },
            "total_adjustment": 10,
        },
        "runtime": "sdk_service",
        "session_id": "ses_1",
        "source": "live",
        "context": CONTEXT,
        "context_digest": digest(digested),
        "evaluated_at": at(0),
        "occurred_at": at(0),
        "created_at": at(0),
        "policy_digest": policy_digest(POLICIES),
    } | changed  # fmt: skip


def action(**changed: Any) -> dict[str, Any]:
    """The refund as it is first recorded: it waits."""
    return {
        "org_id": ORG,
        "action_id": "act_1",
        "agent_id": "agent-7",
        "agent_name": "Refunder",
        "swarm_id": None,
        "parent_action_id": None,
        "session_id": "ses_1",
        "action_type": "refund",
        "declared_goal": CONTEXT["declared_goal"],
        "reasoning": "The parcel never arrived.",
        "authorization_scope": "refunds up to 500 €",
        "trigger": "ticket 99",
        "systems_touched": ["stripe", "production"],
        "input_summary": "order 4711",
        "status": "pending_approval",
        "reversible": False,
        "risk_score": 55,
        "agent_risk_score": 12.5,
        "confidence": 80,
        "decision": "require_approval",
        "decision_id": "dec_1",
        "would_decide": "block",
        "approval_id": "apr_1",
        "output_summary": None,
        "side_effects": [],
        "artifacts_created": [],
        "error_message": None,
        "timestamp_start": at(0),
        "timestamp_end": None,
        "duration_ms": None,
        "cost_estimate": 0.1,
        "tokens_in": 1200,
        "tokens_out": None,
        "model": "m-1",
        "verified": False,
        "approved_by": None,
        "approved_at": None,
        "metadata": CONTEXT["metadata"],
        "runtime": "sdk_service",
        "source": "live",
        "idempotency_key": None,
        "created_by": "key_agent",
        "created_at": at(0),
        "updated_at": at(0),
        "revision": 0,
        "verification": "unsigned",
        "parameters_digest": PARAMETERS,
        "externality": {
            "destination_visibility": "partner",
            "data_classification": "confidential",
            "reversal_bound_seconds": 0,
        },
    } | changed


def changed(before: dict[str, Any], kind: str, by: str, minutes: float, **members: Any) -> dict[str, Any]:
    """The action after a change, and what it was."""
    after = {name: value for name, value in before.items() if name != "change"}
    replaced = {name: after[name] for name in members}
    after |= members | {"updated_at": at(minutes), "revision": before["revision"] + 1}
    return after | {"change": {"kind": kind, "by": by, "at": at(minutes), "changed": members, "replaced": replaced}}


def approval(**changed: Any) -> dict[str, Any]:
    """The approval as it is asked for."""
    return {
        "org_id": ORG,
        "approval_id": "apr_1",
        "action_id": "act_1",
        "agent_id": "agent-7",
        "action_type": "refund",
        "declared_goal": CONTEXT["declared_goal"],
        "risk_score": 55,
        "reasons": decision()["reasons"],
        "matched_policies": ["pol_refund", "pol_rate"],
        "state": "awaiting",
        "requested_at": at(0),
        "expires_at": at(60),
        "decided_at": None,
        "decided_by": None,
        "decided_by_key": None,
        "reasoning": None,
        "idempotency_key": None,
        "created_at": at(0),
        "systems_touched": ["stripe", "production"],
        "parameters_digest": PARAMETERS,
        "act_digest": act_digest("refund", CONTEXT["declared_goal"], ["stripe", "production"], PARAMETERS),
        "conditions": [],
        "valid_until": None,
        "claimed_at": None,
        "claimed_by": None,
        "claim_idempotency_key": None,
        "refused_claims": 0,
    } | changed


def assumption(number: int, **changed: Any) -> dict[str, Any]:
    return {
        "org_id": ORG,
        "assumption_id": f"asm_{number}",
        "action_id": "act_1",
        "agent_id": "agent-7",
        "action_type": "refund",
        "assumption": f"assumption {number} ✓",
        "basis": "tracking says lost" if number == 1 else None,
        "validated": False,
        "invalidated": False,
        "invalidated_reason": None,
        "validated_at": None,
        "source": "live",
        "occurred_at": at(number / 2),
        "created_at": at(number / 2),
        "updated_at": at(number / 2),
    } | changed
