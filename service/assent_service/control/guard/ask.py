"""Guard's question, its record and its answer: the body of a request checked, the decision on it as it goes into the
log, and what the caller is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import UNSET, Struct
from msgspec.structs import replace

from assent.contract.control.actions import CreateAction
from assent.contract.control.guard import (
    GuardContext,
    GuardResult,
    PredictiveRisk,
    RecordedDecision,
    Runtime,
    Source,
    StatisticalRisk,
    TriageAnswer,
)
from assent.contract.names import RULE
from assent.contract.problems import Code, FieldError
from assent.destructive import VERSION as DESTRUCTIVE_TABLE
from assent.flows import Trace
from assent_service.base.clock import microseconds, moment
from assent_service.base.problem import refuse
from assent_service.control.guard.context import Facts, gather
from assent_service.control.guard.explore import Exploration
from assent_service.control.guard.flows import recorded_trace
from assent_service.control.guard.risk import Predictive, Risk
from assent_service.control.guard.spelling import misspelt
from assent_service.control.guard.verdict import Verdict
from assent_service.core.faithful import digest_of
from assent_service.core.principal import Principal

# What an action is done with, by its digest.
#
# Guard and creations take the parameters themselves, for policies to look at, or their digest, for agents that keep
# them to themselves; both, if they agree. What is kept with an action, and approved, is the digest alone.


class HasParameters(Protocol):
    """A body that may name what the action is done with."""

    @property
    def parameters(self) -> dict[str, Any] | None: ...
    @property
    def parameters_digest(self) -> str | None: ...


def digest_of_parameters(body: HasParameters) -> str | None:
    """The digest of the parameters, None where the body says nothing of them.

    Raises `invalid_body` for parameters without a canonical form, and for a digest that is not theirs."""
    if body.parameters is None:
        return body.parameters_digest
    # The function behind `assent.proof.act.parameters_digest`, with the door's words for what has no digest.
    found = digest_of(body.parameters, "parameters")
    if body.parameters_digest not in (None, found):
        raise refuse(
            Code.INVALID_BODY,
            f"parameters_digest is {body.parameters_digest}, but the digest of parameters is {found}; give one of the "
            "two, or the right digest (assent.proof.act.parameters_digest).",
            FieldError(place="parameters_digest", message="is not the digest of parameters"),
        )
    return found


def check_parameters(body: HasParameters) -> None:
    """Raises `invalid_body` where parameters and digest do not agree; costs nothing unless both are given."""
    if body.parameters is not None and body.parameters_digest is not None:
        digest_of_parameters(body)


# What only creating an action says; the rest of its body is the context that policies look at.
NOT_CONTEXT = frozenset(CreateAction.__struct_encode_fields__) - frozenset(GuardContext.__struct_encode_fields__)
# Who and when are compared by themselves.
NOT_DIGESTED = frozenset({"agent_id", "occurred_at", "source", "runtime", "session_id"})


class GuardQuestion(Struct, frozen=True):
    """One request to guard, checked: `at` is when it happened, `now` when it is asked (microseconds). `misspelt` are
    warnings of members that were probably meant to be others."""

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
    misspelt: tuple[str, ...] = ()


def question(
    principal: Principal, body: GuardContext | CreateAction, members: dict[str, Any], now: int
) -> GuardQuestion:
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
    return GuardQuestion(
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
        misspelt=misspelt(members, creating=isinstance(body, CreateAction)),
    )


def recorded(
    asked: GuardQuestion,
    decision_id: str,
    verdict: Verdict,
    risk: Risk,
    policy_version: int,
    policy_digest: str | None,
    by_key: tuple[str, ...] = (),
    exploration: Exploration | None = None,
    seen: Trace | None = None,
) -> RecordedDecision:
    """The decision as it goes into the log. Its numbers are of the types that it is read back with, so that a repeat
    is answered letter by letter what was answered first."""
    now = moment(asked.now)
    template = risk.template
    decision = RecordedDecision(
        org_id=asked.principal.org_id,
        decision_id=decision_id,
        agent_id=asked.agent_id,
        action_type=asked.facts.action_type,
        declared_goal=asked.facts.declared_goal,
        decision=verdict.decision,
        would_decide=verdict.would_decide,
        reason="; ".join(verdict.reasons or verdict.warnings) or None,
        reasons=verdict.reasons,
        warnings=verdict.warnings + asked.misspelt,
        matched_policies=verdict.matched_policies,
        observed_policies=verdict.observed_policies,
        policy_version=policy_version,
        risk_score=float(risk.score),
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
        risk_template_score=UNSET if template is None else float(template.score),
        destructive=asked.facts.destructive,
        destructive_table=DESTRUCTIVE_TABLE,
        limited_by_key=by_key or UNSET,
        name_rule=RULE,
        flow=UNSET if seen is None else recorded_trace(seen),
    )
    if exploration is None:
        return decision
    return replace(
        decision,
        propensity=exploration.propensity,
        explored=exploration.explored,
        explore_draw=exploration.draw,
        explore_below=exploration.below,
    )


def result_of(decision: RecordedDecision) -> GuardResult:
    """What the caller is told."""
    return GuardResult(
        decision=decision.decision,
        decision_id=decision.decision_id,
        action_id=decision.decision_id,
        agent_id=decision.agent_id,
        action_type=decision.action_type,
        reason=decision.reason,
        reasons=list(decision.reasons),
        warnings=list(decision.warnings),
        signals=[*decision.warnings, *decision.reasons],
        matched_policies=list(decision.matched_policies),
        would_decide=decision.would_decide,
        observed_policies=list(decision.observed_policies),
        policy_version=decision.policy_version,
        risk_score=decision.risk_score,
        agent_risk_score=decision.agent_risk_score,
        risk_breakdown=decision.risk_breakdown,
        predictive_risk=decision.predictive_risk,
        evaluated_at=decision.evaluated_at,
        risk_template_id=decision.risk_template_id,
        risk_template_version=decision.risk_template_version,
        risk_template_score=decision.risk_template_score,
        action_type_as_sent=as_sent(decision.action_type, decision.context) or UNSET,
        destructive=decision.destructive,
        explored=decision.explored or UNSET,
        triaged=_passed(decision) or UNSET,
    )


def _passed(decision: RecordedDecision) -> bool:
    """Whether triage let it pass."""
    return decision.triage is not UNSET and decision.triage.answer is TriageAnswer.ALLOW


def as_sent(action_type: str, context: Mapping[str, Any]) -> str | None:
    """The type as the agent spelled it, where it is kept by another spelling; else None."""
    said = context.get("action_type")
    return said if isinstance(said, str) and said != action_type else None


def _breakdown(risk: Risk) -> dict[str, float]:
    breakdown: dict[str, float] = {"base": float(risk.base)}
    for factor in risk.factors:
        breakdown[factor.name] = float(factor.addition)
    if risk.template is not None and risk.template.raised:
        breakdown["template"] = float(risk.template.raised)
    if risk.predictive.adjustment:
        breakdown["history"] = float(risk.predictive.adjustment)
    return breakdown


def _predictive(found: Predictive) -> PredictiveRisk:
    return PredictiveRisk(
        statistical=StatisticalRisk(
            adjustment=float(found.adjustment),
            failure_rate=found.failure_rate,
            total_actions=found.total_actions,
            avg_historical_risk=found.avg_historical_risk,
            velocity=found.velocity,
        ),
        total_adjustment=float(found.adjustment),
    )
