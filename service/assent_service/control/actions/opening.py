"""What a creation becomes. Pure.

1. A block becomes an action of status `blocked`: evidence of an attempt that did not run.
2. require_approval, or a client that asks for `pending_approval` itself, becomes `pending_approval`.
3. Anything else has the status that the client gives, or `running`.
4. History keeps the status it comes with, whatever the verdict: it happened. The verdict is recorded beside it.
"""

from __future__ import annotations

from msgspec import UNSET

from assent.contract.control.actions import FINAL, Action, ActionStatus, CreateAction, Verification
from assent.contract.control.guard import Decision, RecordedDecision, Source
from assent_service.base.clock import microseconds, moment
from assent_service.control.guard import GuardQuestion, as_sent, digest_of_parameters

DEFAULT_CONFIDENCE = 50


def opening_status(body: CreateAction, decision: Decision, source: Source) -> ActionStatus:
    """The first status of an action."""
    if source is not Source.LIVE:
        status = body.status or ActionStatus.RUNNING
        return ActionStatus.RUNNING if status is ActionStatus.PENDING_APPROVAL else status
    if decision is Decision.BLOCK:
        return ActionStatus.BLOCKED
    if decision is Decision.REQUIRE_APPROVAL:
        return ActionStatus.PENDING_APPROVAL
    return body.status or ActionStatus.RUNNING


def open_action(
    body: CreateAction,
    asked: GuardQuestion,
    decision: RecordedDecision,
    *,
    action_id: str,
    approval_id: str | None,
    status: ActionStatus,
    idempotency_key: str | None,
    verification: Verification = Verification.UNSIGNED,
) -> Action:
    """The action as it is first recorded."""
    now = moment(asked.now)
    start = body.timestamp_start if body.timestamp_start is not None else decision.occurred_at
    if asked.source is not Source.LIVE:
        start = moment(asked.at)
    ended = (start if asked.source is not Source.LIVE else now) if status in FINAL else None
    return Action(
        org_id=decision.org_id,
        action_id=action_id,
        agent_id=asked.agent_id,
        agent_name=body.agent_name,
        swarm_id=body.swarm_id,
        parent_action_id=body.parent_action_id,
        session_id=body.session_id,
        action_type=body.action_type,
        declared_goal=body.declared_goal,
        reasoning=body.reasoning,
        authorization_scope=body.authorization_scope,
        trigger=body.trigger,
        systems_touched=body.systems_touched or [],
        input_summary=body.input_summary,
        status=status,
        reversible=body.reversible is not False,
        risk_score=decision.risk_score,
        agent_risk_score=decision.agent_risk_score,
        confidence=DEFAULT_CONFIDENCE if body.confidence is None else body.confidence,
        decision=decision.decision,
        decision_id=decision.decision_id,
        would_decide=decision.would_decide,
        approval_id=approval_id,
        output_summary=None,
        side_effects=[],
        artifacts_created=[],
        error_message=decision.reason if status is ActionStatus.BLOCKED else None,
        timestamp_start=start if microseconds(start) <= asked.now else now,
        timestamp_end=ended,
        duration_ms=None,
        cost_estimate=body.cost_estimate,
        tokens_in=body.tokens_in,
        tokens_out=body.tokens_out,
        model=body.model,
        verified=verification is Verification.VERIFIED,
        verification=verification,
        approved_by=None,
        approved_at=None,
        metadata=body.metadata or {},
        runtime=asked.runtime,
        source=asked.source,
        idempotency_key=idempotency_key,
        created_by=asked.principal.key_id,
        created_at=now,
        updated_at=now,
        revision=0,
        parameters_digest=digest_of_parameters(body),
        externality=body.externality,
        action_type_as_sent=as_sent(body.action_type, asked.context),
        replaces=UNSET if body.replaces is None else body.replaces,
    )
