"""From a context to a decision that is ready to be recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from assent.contract.actions import CreateAction
from assent.contract.guard import GuardContext, PredictiveRisk, Runtime, Source, StatisticalRisk
from assent.contract.problems import Code
from assent_service.core.clock import microseconds, moment
from assent_service.core.faithful import digest_of
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.guard.context import Facts, gather
from assent_service.guard.parameters import check_parameters
from assent_service.guard.recorded import RecordedDecision
from assent_service.guard.risk import Predictive, Risk
from assent_service.guard.verdict import Verdict

# What only creating an action says; the rest of its body is the context that policies look at.
NOT_CONTEXT = frozenset(CreateAction.__struct_encode_fields__) - frozenset(GuardContext.__struct_encode_fields__)
# Who and when are compared by themselves.
NOT_DIGESTED = frozenset({"agent_id", "occurred_at", "source", "runtime", "session_id"})


@dataclass(frozen=True, slots=True)
class Question:
    """One request to guard, checked: `at` is when it happened, `now` when it is asked (microseconds)."""

    principal: Principal
    agent_id: str | None
    facts: Facts
    context: dict[str, Any]
    context_digest: str
    runtime: Runtime
    session_id: str | None
    source: Source
    at: int
    now: int


def question(principal: Principal, body: GuardContext | CreateAction, members: dict[str, Any], now: int) -> Question:
    """Raises `agent_mismatch`, `forbidden` for history without an admin key, and `invalid_body` for a context that
    has no canonical form (integers beyond 2^53, lone surrogates) or a parameters_digest that is not its parameters'."""
    agent_id = principal.speaks_for(body.agent_id)
    source = body.source or Source.LIVE
    principal.check_history(body)
    check_parameters(body)
    if source is not Source.LIVE and body.occurred_at is not None and microseconds(body.occurred_at) > now:
        raise refuse(Code.INVALID_BODY, f"occurred_at lies in the future: {body.occurred_at.isoformat()}.")
    context = {name: value for name, value in members.items() if value is not None and name not in NOT_CONTEXT}
    facts = gather(
        context,
        action_type=body.action_type,
        agent_id=agent_id,
        declared_goal=body.declared_goal,
        systems_touched=tuple(body.systems_touched or ()),
        reversible=body.reversible,
        agent_risk_score=body.risk_score,
    )
    default_runtime = Runtime.EVIDENCE_IMPORT if source is not Source.LIVE else Runtime.SDK_SERVICE
    return Question(
        principal=principal,
        agent_id=agent_id,
        facts=facts,
        context=context,
        context_digest=digest_of({name: value for name, value in context.items() if name not in NOT_DIGESTED}),
        runtime=body.runtime or default_runtime,
        session_id=body.session_id,
        source=source,
        at=microseconds(body.occurred_at) if body.occurred_at is not None else now,
        now=now,
    )


def recorded(
    asked: Question, decision_id: str, verdict: Verdict, risk: Risk, policy_version: int, policy_digest: str | None
) -> RecordedDecision:
    """The decision as it goes into the log."""
    now = moment(asked.now)
    template = risk.template
    return RecordedDecision(
        org_id=asked.principal.org_id,
        decision_id=decision_id,
        agent_id=asked.agent_id,
        action_type=asked.facts.action_type,
        declared_goal=asked.facts.declared_goal,
        decision=verdict.decision,
        would_decide=verdict.would_decide,
        reason="; ".join(verdict.reasons or verdict.warnings) or None,
        reasons=verdict.reasons,
        warnings=verdict.warnings,
        matched_policies=verdict.matched_policies,
        observed_policies=verdict.observed_policies,
        policy_version=policy_version,
        risk_score=risk.score,
        agent_risk_score=asked.facts.agent_risk_score,
        risk_breakdown=_breakdown(risk),
        predictive_risk=_predictive(risk.predictive),
        runtime=asked.runtime,
        session_id=asked.session_id,
        source=asked.source,
        context=asked.context,
        context_digest=asked.context_digest,
        evaluated_at=now,
        occurred_at=now if asked.at == asked.now else moment(asked.at),
        created_at=now,
        policy_digest=policy_digest,
        risk_template_id=UNSET if template is None else template.template_id,
        risk_template_version=UNSET if template is None else template.version,
        risk_template_score=UNSET if template is None else template.score,
    )


def _breakdown(risk: Risk) -> dict[str, float]:
    breakdown: dict[str, float] = {"base": risk.base}
    for factor in risk.factors:
        breakdown[factor.name] = factor.addition
    if risk.template is not None and risk.template.raised:
        breakdown["template"] = risk.template.raised
    if risk.predictive.adjustment:
        breakdown["history"] = risk.predictive.adjustment
    return breakdown


def _predictive(found: Predictive) -> PredictiveRisk:
    return PredictiveRisk(
        statistical=StatisticalRisk(
            adjustment=found.adjustment,
            failure_rate=found.failure_rate,
            total_actions=found.total_actions,
            avg_historical_risk=found.avg_historical_risk,
            velocity=found.velocity,
        ),
        total_adjustment=found.adjustment,
    )
