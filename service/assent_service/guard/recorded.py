"""A decision as it is recorded: what was asked, what was answered, and under which policies."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from assent.contract.guard import Decision, GuardResult, PredictiveRisk, Runtime, Source


class RecordedDecision(msgspec.Struct, frozen=True, kw_only=True):
    """The payload of `guard.decision.created` and a row of the table; see the table for what each member means."""

    org_id: str
    decision_id: str
    agent_id: str | None
    action_type: str
    declared_goal: str | None
    decision: Decision
    would_decide: Decision | None
    reason: str | None
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]
    matched_policies: tuple[str, ...]
    observed_policies: tuple[str, ...]
    policy_version: int
    risk_score: float
    agent_risk_score: float | None
    risk_breakdown: dict[str, float]
    predictive_risk: PredictiveRisk
    runtime: Runtime
    session_id: str | None
    source: Source
    context: dict[str, Any]
    context_digest: str
    evaluated_at: datetime
    occurred_at: datetime
    created_at: datetime
    policy_digest: str | None = None
    risk_template_id: str | UnsetType = UNSET
    risk_template_version: int | UnsetType = UNSET
    risk_template_score: float | UnsetType = UNSET

    def result(self) -> GuardResult:
        """What the caller is told."""
        return GuardResult(
            decision=self.decision,
            decision_id=self.decision_id,
            action_id=self.decision_id,
            agent_id=self.agent_id,
            action_type=self.action_type,
            reason=self.reason,
            reasons=list(self.reasons),
            warnings=list(self.warnings),
            signals=[*self.warnings, *self.reasons],
            matched_policies=list(self.matched_policies),
            would_decide=self.would_decide,
            observed_policies=list(self.observed_policies),
            policy_version=self.policy_version,
            risk_score=self.risk_score,
            agent_risk_score=self.agent_risk_score,
            risk_breakdown=self.risk_breakdown,
            predictive_risk=self.predictive_risk,
            evaluated_at=self.evaluated_at,
            risk_template_id=self.risk_template_id,
            risk_template_version=self.risk_template_version,
            risk_template_score=self.risk_template_score,
        )
