"""Records to judge by, with every member at something ordinary unless a test says otherwise."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from msgspec import UNSET

from assent.contract.control.actions import Action, ActionStatus, Verification
from assent.contract.control.approvals import Approval, ApprovalState
from assent.contract.control.guard import Decision, GuardResult, PredictiveRisk, Runtime, Source, StatisticalRisk

NINE = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def an_action(**members: Any) -> Action:
    ordinary: dict[str, Any] = {
        "org_id": "org_1",
        "action_id": "act_1",
        "agent_id": "bot",
        "action_type": "refund",
        "systems_touched": [],
        "status": ActionStatus.RUNNING,
        "reversible": True,
        "risk_score": 10.0,
        "confidence": 50,
        "decision": Decision.ALLOW,
        "decision_id": "dec_1",
        "side_effects": [],
        "artifacts_created": [],
        "timestamp_start": NINE,
        "verified": False,
        "metadata": {},
        "runtime": Runtime.SDK_SERVICE,
        "source": Source.LIVE,
        "created_by": "key_1",
        "created_at": NINE,
        "updated_at": NINE,
        "revision": 0,
        "verification": Verification.UNSIGNED,
        "outcome_marks": UNSET,
        "replaces": UNSET,
    }
    none: dict[str, Any] = dict.fromkeys(Action.__struct_fields__)
    return Action(**(none | ordinary | members))


def an_approval(**members: Any) -> Approval:
    ordinary: dict[str, Any] = {
        "org_id": "org_1",
        "approval_id": "apr_1",
        "action_id": "act_1",
        "agent_id": "bot",
        "action_type": "refund",
        "risk_score": 10.0,
        "reasons": [],
        "matched_policies": [],
        "state": ApprovalState.AWAITING,
        "requested_at": NINE,
        "expires_at": NINE.replace(day=3),
        "created_at": NINE,
        "systems_touched": [],
        "conditions": [],
        "refused_claims": 0,
    }
    none: dict[str, Any] = dict.fromkeys(Approval.__struct_fields__)
    return Approval(**(none | ordinary | members))


def a_decision(**members: Any) -> GuardResult:
    none = StatisticalRisk(adjustment=0, failure_rate=0, total_actions=0, avg_historical_risk=None, velocity=0)
    ordinary: dict[str, Any] = {
        "decision": Decision.ALLOW,
        "decision_id": "dec_1",
        "action_id": "dec_1",
        "agent_id": "bot",
        "action_type": "refund",
        "reason": None,
        "reasons": [],
        "warnings": [],
        "signals": [],
        "matched_policies": [],
        "would_decide": None,
        "observed_policies": [],
        "policy_version": 1,
        "risk_score": 10.0,
        "agent_risk_score": None,
        "risk_breakdown": {},
        "predictive_risk": PredictiveRisk(statistical=none, total_adjustment=0),
        "evaluated_at": NINE,
    }
    return GuardResult(**(ordinary | members))
