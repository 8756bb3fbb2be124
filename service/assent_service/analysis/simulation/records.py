"""The records of the contract that rows of a simulated history become, as they are when they are first recorded. Pure.

`now` is when it is recorded (microseconds since 1970); what lies in the past is when it happened.
"""

from __future__ import annotations

from typing import Any

import msgspec

from assent.contract.control.actions import Action, ActionStatus
from assent.contract.control.approvals import Approval
from assent.contract.control.assumptions import Assumption
from assent.contract.control.guard import Decision, PredictiveRisk, RecordedDecision, Runtime, Source, StatisticalRisk
from assent.flows import Trace
from assent_service.analysis.simulation.timeline import ActionRow, AssumptionRow
from assent_service.base.clock import moment
from assent_service.control.approvals import request
from assent_service.control.guard import PolicySet, recorded_trace
from assent_service.core.faithful import digest_of

NOTHING_ADDED = PredictiveRisk(
    statistical=StatisticalRisk(adjustment=0, failure_rate=0.0, total_actions=0, avg_historical_risk=None, velocity=0),
    total_adjustment=0,
)
"""Simulated risk is drawn whole, the agent's history adds nothing to it."""
OPENING = {Decision.BLOCK: ActionStatus.BLOCKED, Decision.REQUIRE_APPROVAL: ActionStatus.PENDING_APPROVAL}

_systems = msgspec.json.Decoder(list[str]).decode


def decide(
    row: ActionRow,
    policies: PolicySet,
    *,
    org_id: str,
    decision_id: str,
    now: int,
    parameters: dict[str, Any] | None = None,
    seen: Trace | None = None,
) -> RecordedDecision:
    """Guard's decision, in the words of the workspace's policies; `seen` is what flow policies look at. Raises
    ValueError when the others decide otherwise."""
    verdict = policies.verdicts.of(row.matched, 0, ())
    if (verdict.decision, verdict.would_decide) != (row.decision, row.would_decide):
        raise ValueError(
            f"the workspace's policies say {verdict.decision} ({verdict.would_decide}) to action {row.number}, but "
            f"the simulation {row.decision} ({row.would_decide}); its policies have to be those of the simulation"
        )
    if seen is not None and policies.flows is not None:
        flowing = policies.flows.traced(seen, policies.flows.bits)
        if flowing:
            verdict = policies.by_flow(policies.verdicts.of(row.matched | sum(flowing), 0, ()), flowing)
    asked: dict[str, Any] = {
        "action_type": row.action_type,
        "declared_goal": row.declared_goal,
        "systems_touched": _systems(row.systems_touched),
        "reversible": row.reversible,
        "risk_score": int(row.risk_score),
    }
    if parameters is not None:
        asked["parameters"] = parameters
    about = {"agent_id": row.agent_id, "session_id": row.session_id, "source": Source.SIMULATED.value}
    at = moment(now)
    return RecordedDecision(
        org_id=org_id,
        decision_id=decision_id,
        agent_id=row.agent_id,
        action_type=row.action_type,
        declared_goal=row.declared_goal,
        decision=verdict.decision,
        would_decide=verdict.would_decide,
        reason="; ".join(verdict.reasons or verdict.warnings) or None,
        reasons=verdict.reasons,
        warnings=verdict.warnings,
        matched_policies=verdict.matched_policies,
        observed_policies=verdict.observed_policies,
        policy_version=policies.version,
        risk_score=row.risk_score,
        agent_risk_score=row.risk_score,
        risk_breakdown={"simulated": row.risk_score},
        predictive_risk=NOTHING_ADDED,
        runtime=Runtime.SDK_SERVICE,
        session_id=row.session_id,
        source=Source.SIMULATED,
        context=asked | about,
        context_digest=digest_of(asked),
        evaluated_at=at,
        occurred_at=moment(row.timestamp_start),
        created_at=at,
        policy_digest=policies.digest,
        flow=msgspec.UNSET if seen is None else recorded_trace(seen),
    )


def open_action(
    row: ActionRow, decision: RecordedDecision, *, action_id: str, approval_id: str, created_by: str
) -> Action:
    """The action, recorded at the same moment as its decision; it has the approval only when it waits."""
    status = OPENING.get(decision.decision, ActionStatus.RUNNING)
    blocked = status is ActionStatus.BLOCKED
    return Action(
        org_id=decision.org_id,
        action_id=action_id,
        agent_id=row.agent_id,
        agent_name=row.agent_name,
        swarm_id=None,
        parent_action_id=None,
        session_id=row.session_id,
        action_type=row.action_type,
        declared_goal=row.declared_goal,
        reasoning=None,
        authorization_scope=None,
        trigger=None,
        systems_touched=decision.context["systems_touched"],
        input_summary=None,
        status=status,
        reversible=row.reversible,
        risk_score=row.risk_score,
        agent_risk_score=row.risk_score,
        confidence=row.confidence,
        decision=decision.decision,
        decision_id=decision.decision_id,
        would_decide=decision.would_decide,
        approval_id=approval_id if status is ActionStatus.PENDING_APPROVAL else None,
        output_summary=None,
        side_effects=[],
        artifacts_created=[],
        error_message=decision.reason if blocked else None,
        timestamp_start=decision.occurred_at,
        timestamp_end=decision.occurred_at if blocked else None,
        duration_ms=None,
        cost_estimate=None,
        tokens_in=None,
        tokens_out=None,
        model=row.model,
        verified=False,
        approved_by=None,
        approved_at=None,
        metadata={},
        runtime=Runtime.SDK_SERVICE,
        source=Source.SIMULATED,
        idempotency_key=None,
        created_by=created_by,
        created_at=decision.created_at,
        updated_at=decision.created_at,
        revision=0,
    )


def ask(action: Action, decision: RecordedDecision, *, approval_id: str, expires_at: int) -> Approval:
    """The approval as any action asks for it, but asked for when the action happened."""
    asked = request(
        action,
        approval_id=approval_id,
        reasons=tuple(decision.reasons),
        matched=tuple(decision.matched_policies),
        expires_at=moment(expires_at),
    )
    return msgspec.structs.replace(asked, requested_at=action.timestamp_start)


def believe(row: AssumptionRow, *, org_id: str, assumption_id: str, action_id: str, now: int) -> Assumption:
    """The assumption before anybody has looked."""
    at = moment(now)
    return Assumption(
        org_id=org_id,
        assumption_id=assumption_id,
        action_id=action_id,
        agent_id=row.agent_id,
        action_type=row.action_type,
        assumption=row.assumption,
        basis=row.basis,
        validated=False,
        invalidated=False,
        invalidated_reason=None,
        validated_at=None,
        source=Source.SIMULATED,
        occurred_at=moment(row.occurred_at),
        created_at=at,
        updated_at=at,
    )
